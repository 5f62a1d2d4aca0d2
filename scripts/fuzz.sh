#!/usr/bin/env bash
# Builds the fuzz targets with clang and runs each for some seconds: fuzz.sh [SECONDS [TARGET...]]. What is
# found stays in build-fuzz/found/; inputs that reach new code gather in build-fuzz/corpus/.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-20}
shift || true
cmake -G Ninja -S fuzz -B build-fuzz -DCMAKE_CXX_COMPILER=clang++ > /dev/null
cmake --build build-fuzz -j "$(nproc)"
mkdir -p build-fuzz/found
for source in fuzz/*_fuzz.cpp; do
  target=$(basename "$source" .cpp)
  name=${target%_fuzz}
  if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
  mkdir -p "build-fuzz/corpus/$name"
  echo "== $name, $seconds s"
  log="build-fuzz/$name.log"
  if ! "build-fuzz/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=512 \
       -max_len=65536 -artifact_prefix="build-fuzz/found/$name-" -print_final_stats=1 \
       "build-fuzz/corpus/$name" "fuzz/corpus/$name" > "$log" 2>&1; then
    tail -n 40 "$log" >&2
    echo "fuzz: $name fails; its input is in build-fuzz/found/" >&2
    exit 1
  fi
  grep -E 'stat::(number_of_executed_units|peak_rss_mb)' "$log" | sed 's/stat::/   /'
done
