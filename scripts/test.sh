#!/usr/bin/env bash
# Installs what is missing, builds, and runs the tests. Ends with the line "N passed, N failed, N skipped";
# the exit code is 0 only when nothing failed.
#
#   scripts/test.sh           everyday: release with interop and install tests, AddressSanitizer, big-endian
#   scripts/test.sh --full    also: ThreadSanitizer, the long tests, ten minutes of fuzzing per target
#
# SAVEDMODEL_REQUIRE_TF=1 makes it a failure when real TensorFlow cannot be had; else its tests skip.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

full=no
case "${1:-}" in
  "") ;;
  --full) full=yes ;;
  *) sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac

jobs=$(nproc)
# Objects are found again by ccache whatever folder the clone is in.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
export CMAKE_BUILD_PARALLEL_LEVEL=$jobs CTEST_PARALLEL_LEVEL=$jobs
export S390X_SYSROOT="$PWD/.cache/s390x"
results="$PWD/build/test-results"
rm -rf "$results"
mkdir -p "$results"
failed_stages=()

# stage NAME FUNCTION ARGUMENT...: goes on after a failure, so that one run shows everything that is wrong.
stage() {
  local name=$1 start=$SECONDS code
  shift
  printf '\n=== %s\n' "$name"
  (set -e; "$@")
  code=$?
  printf '=== %s: %s after %d s\n' "$name" "$([ $code -eq 0 ] && echo passed || echo FAILED)" $((SECONDS - start))
  [ $code -eq 0 ] || failed_stages+=("$name")
}

# counted NAME CTEST ARGUMENT...
counted() {
  local name=$1
  shift
  "$@" --output-junit "$results/$name.xml"
}

tensorflow() {
  scripts/setup_tensorflow.sh || [ "${SAVEDMODEL_REQUIRE_TF:-}" != 1 ]
}

release() {
  cmake --preset release
  cmake --build --preset release
  counted release ctest --preset release --no-tests=error
}

# Every day the rooms that read bytes of files and those that give them to objects; all of them, the samples and the
# fuzz targets' seeds with --full. What starts other programs or other compilers stays with release (CMakePresets.json
# says what).
asan() {
  cmake --preset asan
  if [ $full = yes ]; then
    cmake --build --preset asan
    counted asan ctest --preset asan --no-tests=error
  else
    cmake --build --preset asan --target base_tests proto_tests bundle_tests object_graph_tests checkpoint_tests
    counted asan ctest --preset asan --no-tests=error -L '^(base|proto|bundle|object_graph|checkpoint)$'
  fi
}

big_endian() {
  scripts/s390x_sysroot.sh "$S390X_SYSROOT"
  cmake --preset s390x
  cmake --build --preset s390x
  counted s390x ctest --preset s390x --no-tests=error -L '^(base|proto|bundle)$'
  # Of the checkpoint room what restores live objects; other tests of it write files in the host's order.
  counted s390x-restores ctest --preset s390x --no-tests=error \
    -R '^checkpoint\.(Checkpoint|DeferredRestore|RestoreOrder|RestoreByName|RegisteredSaver|RepeatedRestore|All/RestoreCase)\.'
}

tsan() {
  cmake --preset tsan
  cmake --build --preset tsan
  counted tsan ctest --preset tsan --no-tests=error
}

long_tests() {
  counted long ctest --test-dir build/release --output-on-failure -L '^long$'
}

stage "packages" scripts/install_dependencies.sh
stage "TensorFlow" tensorflow
stage "release" release
stage "demo" scripts/demo.sh
stage "asan" asan
stage "big-endian" big_endian
if [ $full = yes ]; then
  stage "tsan" tsan
  stage "long tests" long_tests
  stage "fuzz" scripts/fuzz.sh
fi

printf '\n'
[ ${#failed_stages[@]} -eq 0 ] || printf 'Failed: %s\n' "${failed_stages[*]}"
python3 scripts/count_results.py "$results" --stages "${failed_stages[@]}"
