#!/usr/bin/env bash
# Formatting, include directions, and clang-tidy over the library, the program and the benchmarks.
# clang-tidy looks through all of LibTorch for every source it is given, which takes most of a minute, so it
# is given sources sixteen at a time (EQM_GROUP); names that are local to two files of a group collide, and
# one of them wants a better name. clang cannot read GCC's precompiled headers, hence a
# build folder without them, and needs scripts/clang_vector.h to read LibTorch.
set -euo pipefail
cd "$(dirname "$0")/.."
echo "== formatting"
scripts/check_format.sh
echo "== include directions"
scripts/check_includes.sh
echo "== clang-tidy, about ten minutes"
cmake --fresh -G Ninja -S . -B build-lint -DEQM_PCH=OFF -DEQM_TESTS=OFF -DCMAKE_CXX_COMPILER=clang++ \
  -DCMAKE_BUILD_TYPE=Debug -DEQM_GROUP=16 \
  --log-level=WARNING -Wno-dev > /dev/null
# Also on stderr: how many warnings it found in other people's headers and did not show.
sed -nE 's/^ *"file": "(.*)".*/\1/p' build-lint/compile_commands.json | sort -u |
  xargs -P "${1:-$(nproc)}" -n 1 clang-tidy -p build-lint --quiet --warnings-as-errors='*' \
    --extra-arg=-include --extra-arg="$PWD/scripts/clang_vector.h" \
    2> >(grep -v ' warnings\? generated\.$' >&2)
