#!/usr/bin/env bash
# Formatting, include directions, and clang-tidy over all our sources but those of tests/install/, which are
# programs of their own against the installed tree. clang cannot read GCC's precompiled headers, so it gets a
# build folder without them, and scripts/clang_vector.h so that it can read LibTorch.
set -euo pipefail
cd "$(dirname "$0")/.."
echo "== formatting"
scripts/check_format.sh
echo "== include directions"
scripts/check_includes.sh
echo "== clang-tidy"
cmake -G Ninja -S . -B build-lint -DEQM_PCH=OFF -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug \
  --log-level=WARNING -Wno-dev > /dev/null
# Also on stderr: how many warnings it found in other people's headers and did not show.
git ls-files -co --exclude-standard 'eqm/*.cpp' 'cli/*.cpp' 'tests/*.cpp' 'bench/*.cpp' ':!tests/install' |
  xargs -P "${1:-$(nproc)}" -n 1 clang-tidy -p build-lint --quiet --warnings-as-errors='*' \
    --extra-arg=-include --extra-arg="$PWD/scripts/clang_vector.h" \
    2> >(grep -v ' warnings\? generated\.$' >&2)
