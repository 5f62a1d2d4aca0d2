#!/usr/bin/env bash
# clang-tidy over the sources that changed since the main branch or, on it, in the last commits. Each source that
# includes LibTorch takes most of a minute, so there is a limit of sources (MOST, 20) and of time (SECONDS_ALLOWED, 900);
# what was left out is named and no failure. `make lint` looks at everything.
#   scripts/lint_changed.sh [COMMITS]    how far back on the main branch (8)
set -euo pipefail
cd "$(dirname "$0")/.."
commits=${1:-8}
most=${MOST:-20}
allowed=${SECONDS_ALLOWED:-900}

base=$(git merge-base HEAD origin/main 2> /dev/null || true)
if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
  base=$(git rev-list --max-count=$((commits + 1)) --first-parent HEAD | tail -n 1)
fi
# A changed header is seen through the source of the same name.
mapfile -t changed < <(
  { git diff --name-only --diff-filter=d "$base" -- eqm cli bench serve python; git ls-files -o --exclude-standard; } |
    sed -nE 's/\.(h|cpp)$/.cpp/p' | sort -u | while read -r file; do [ ! -f "$file" ] || echo "$file"; done)
[ ${#changed[@]} -gt 0 ] || { echo "== clang-tidy: no source has changed since $(git rev-parse --short "$base")"; exit 0; }

cmake -G Ninja -S . -B build-tidy -DEQM_PCH=OFF -DEQM_TESTS=OFF -DCMAKE_CXX_COMPILER=clang++ \
  -DCMAKE_BUILD_TYPE=Debug -DEQM_GROUP=1 --log-level=WARNING -Wno-dev > /dev/null
chosen=()
for file in "${changed[@]}"; do
  grep -qF "\"$PWD/$file\"" build-tidy/compile_commands.json || continue
  if [ ${#chosen[@]} -lt "$most" ]; then chosen+=("$file"); else echo "   left out: $file"; fi
done
[ ${#chosen[@]} -gt 0 ] || { echo "== clang-tidy: nothing that is compiled has changed"; exit 0; }
echo "== clang-tidy: ${#chosen[@]} sources changed since $(git rev-parse --short "$base")"

look() {
  if [ "$(date +%s)" -ge "$deadline" ]; then echo "   left out, no time: $1"; return 0; fi
  clang-tidy -p build-tidy --quiet --warnings-as-errors='*' \
    --extra-arg=-include --extra-arg="$PWD/scripts/clang_vector.h" "$1" \
    2> >(grep -vE ' warnings?( and [0-9]+ errors?)? generated\.$' >&2)
}
export -f look
deadline=$(($(date +%s) + allowed))
export deadline
printf '%s\n' "${chosen[@]}" | xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'look {}'
