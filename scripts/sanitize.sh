#!/usr/bin/env bash
# Builds and runs the tests under AddressSanitizer with UndefinedBehaviorSanitizer, then ThreadSanitizer.
# LibTorch and OpenMP themselves are not instrumented; what they report about themselves is suppressed.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}  # then the presets, if not both
suppressions="$PWD/scripts/sanitizers"
export LSAN_OPTIONS="suppressions=$suppressions/leak.txt:print_suppressions=0"
export ASAN_OPTIONS="detect_odr_violation=0"
export TSAN_OPTIONS="suppressions=$suppressions/thread.txt:ignore_noninstrumented_modules=1"
for preset in ${2:-asan tsan}; do
  echo "== $preset"
  # OpenMP's threads synchronise in ways that the thread sanitizer cannot see; our own threads remain.
  if [ "$preset" = tsan ]; then export OMP_NUM_THREADS=1; else unset OMP_NUM_THREADS; fi
  cmake --preset "$preset" > /dev/null
  cmake --build --preset "$preset" -j "$jobs"
  ctest --preset "$preset" -j "$jobs" --no-tests=error
done
