#!/usr/bin/env bash
# Builds the fuzz targets and lets each search for a while, two at a time, from the seeds in fuzz/corpus.
#
#   scripts/fuzz.sh [SECONDS]    600 by default, per target
#
# A finding stops its target, is kept in build/fuzz/findings, and fails this script. Make it a test: copy it to
# fuzz/corpus/<target>/ under a name that says what went wrong.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-600}

cmake --preset fuzz
cmake --build --preset fuzz
findings="$PWD/build/fuzz/findings"
mkdir -p "$findings"

# search TARGET: new inputs go to a folder of the build, the seeds stay as they are.
search() {
  local target=$1 subject=${1%_fuzz}
  mkdir -p "build/fuzz/corpus/$subject" "fuzz/corpus/$subject"
  "build/fuzz/bin/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$findings/$subject-" "build/fuzz/corpus/$subject" "fuzz/corpus/$subject" \
    > "build/fuzz/$subject.log" 2>&1 && code=0 || code=$?
  echo "$target: exit $code, $(grep -E 'number_of_executed_units' "build/fuzz/$subject.log" || tail -n 3 "build/fuzz/$subject.log")"
  return "$code"
}
export -f search
export seconds findings

targets=$(find fuzz -maxdepth 1 -name '*_fuzz.cc' -printf '%f\n' | sed 's/\.cc$//' | sort)
[ -n "$targets" ] || { echo "fuzz.sh: there are no fuzz targets" >&2; exit 1; }
printf '%s\n' "$targets" | xargs -P "$(nproc)" -I{} bash -euo pipefail -c 'search {}'
