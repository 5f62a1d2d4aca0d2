#!/usr/bin/env bash
# Builds and runs the tests under AddressSanitizer with UndefinedBehaviorSanitizer, then ThreadSanitizer.
# LibTorch and OpenMP themselves are not instrumented; what they report about themselves is suppressed.
#
#   scripts/sanitize.sh                 all tests under both
#   scripts/sanitize.sh asan | tsan     under one of them
#   scripts/sanitize.sh --short         for CI: the core's tests under asan, what has threads of its own under tsan
#   JOBS=2 chooses how many at once.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
suppressions="$PWD/scripts/sanitizers"
export LSAN_OPTIONS="suppressions=$suppressions/leak.txt:print_suppressions=0"
export ASAN_OPTIONS="detect_odr_violation=0"
export TSAN_OPTIONS="suppressions=$suppressions/thread.txt:ignore_noninstrumented_modules=1"

build() {  # preset [target]
  echo "== $1${2:+: $2}"
  # OpenMP's threads synchronise in ways that the thread sanitizer cannot see; our own threads remain.
  if [ "$1" = tsan ]; then export OMP_NUM_THREADS=1; else unset OMP_NUM_THREADS; fi
  cmake --preset "$1" --log-level=WARNING > /dev/null
  cmake --build --preset "$1" -j "$jobs" ${2:+--target "$2"}
}

run_all() {  # preset
  build "$1"
  ctest --preset "$1" -j "$jobs" --no-tests=error
}

run_one() {  # preset test-program
  build "$1" "$2"
  "build-$1/tests/$2" --gtest_brief=1
}

case "${1:-}" in
  "") run_all asan; run_all tsan ;;
  asan | tsan) run_all "$1" ;;
  --short) run_one asan eqm_core_tests; run_one tsan eqm_thread_tests ;;
  *) echo "sanitize: unknown word '$1' (asan, tsan, --short)" >&2; exit 2 ;;
esac
