#!/usr/bin/env bash
# Installs the Debian packages that building and testing need: one transaction, and none when all are there.
#
#   scripts/install_dependencies.sh           everything that scripts/test.sh uses
#   scripts/install_dependencies.sh build     what the library, the command and their release tests need
#
# Needs Debian 12 and root or sudo.
set -euo pipefail

build_packages=(
  # tools
  ca-certificates git python3 g++ binutils cmake ninja-build ccache mold pkg-config protobuf-compiler
  # libraries of the library and the command
  libprotobuf-dev libabsl-dev libsnappy-dev nlohmann-json3-dev llvm-19-dev libcli11-dev
  # libraries of the tests and benchmarks
  libgtest-dev libgmock-dev libbenchmark-dev libleveldb-dev zlib1g-dev strace strace
)
test_packages=(
  # the sanitizer and fuzz builds, and the formatter that the style test asks
  clang-19 libclang-rt-19-dev llvm-19 clang-format-19
  # big-endian
  g++-s390x-linux-gnu qemu-user-static debian-archive-keyring
  # real TensorFlow in an environment of its own
  python3-venv
)

case "${1:-all}" in
  all) packages=("${build_packages[@]}" "${test_packages[@]}") ;;
  build) packages=("${build_packages[@]}") ;;
  *) sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac

is_installed() {
  [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "All ${#packages[@]} packages are installed."
  exit 0
fi
if ! command -v apt-get >/dev/null; then
  echo "install_dependencies.sh: needs Debian's apt-get; missing here: ${missing[*]}" >&2
  exit 1
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "install_dependencies.sh: run as root or install sudo; missing: ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "Installing ${#missing[@]} packages: ${missing[*]}"
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 -o DPkg::Lock::Timeout=600)
"${apt[@]}" update
"${apt[@]}" install -y --no-install-recommends "${missing[@]}"
