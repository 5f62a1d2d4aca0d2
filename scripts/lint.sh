#!/usr/bin/env bash
# Formatting, include directions, and clang-tidy over our sources. clang cannot read GCC's precompiled
# headers, so it gets a build folder without them; nor LibTorch with GCC's standard library in C++20, so it
# reads its own.
set -euo pipefail
cd "$(dirname "$0")/.."
echo "== formatting"
scripts/check_format.sh
echo "== include directions"
scripts/check_includes.sh
echo "== clang-tidy"
cmake -G Ninja -S . -B build-lint -DEQM_PCH=OFF -DEQM_TESTS=OFF -DEQM_BENCH=OFF \
  -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug > /dev/null
git ls-files 'eqm/*.cpp' 'cli/*.cpp' | xargs -P "$(nproc)" -n 4 clang-tidy -p build-lint --quiet \
  --extra-arg=-stdlib=libc++ --warnings-as-errors='*'
