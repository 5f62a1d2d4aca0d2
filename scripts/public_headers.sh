#!/usr/bin/env bash
# Prints the public headers, one a line: eqm/eqm.h and what it includes, directly or not. They are installed and
# documented; all others are internal.
set -euo pipefail
cd "$(dirname "$0")/.."
declare -A seen=()
waiting=(eqm/eqm.h)
while [ ${#waiting[@]} -gt 0 ]; do
  header=${waiting[0]}
  waiting=("${waiting[@]:1}")
  [ -z "${seen[$header]:-}" ] || continue
  seen[$header]=1
  while read -r included; do waiting+=("$included"); done < <(sed -nE 's/^#include "(eqm\/[^"]+)".*/\1/p' "$header")
done
printf '%s\n' "${!seen[@]}" | sort
