#!/usr/bin/env bash
# Checks that includes between our folders only go the ways listed in scripts/include_rules.txt.
# With --self-test, plants a forbidden include in a copy and demands that it is found.
set -euo pipefail
cd "$(dirname "$0")/.."

check() {  # check ROOT: prints violations, fails if there are any
  local root=$1
  find "$root/eqm" "$root/cli" -name '*.h' -o -name '*.cpp' | sort | xargs awk -v root="$root/" '
    NR == FNR { if ($0 !~ /^#/ && NF) { from = $1; sub(":", "", from); allowed[from, from] = 1; known[from] = 1
                for (i = 2; i <= NF; i++) allowed[from, $i] = 1 } ; next }
    function folder(path) { sub("^eqm/", "", path); sub("/.*", "", path); return path }
    /^#include "/ {
      file = FILENAME; sub(root, "", file)
      target = $2; gsub("\"", "", target)
      from = folder(file); to = folder(target)
      if (!(from in known)) { print file ": folder \"" from "\" is not in include_rules.txt"; bad = 1 }
      else if (!((from, to) in allowed)) { print file ":" FNR ": " from " must not include " target; bad = 1 }
    }
    END { exit bad }
  ' scripts/include_rules.txt
}

if [ "${1:-}" = "--self-test" ]; then
  copy=$(mktemp -d)
  trap 'rm -rf "$copy"' EXIT
  cp -r eqm cli "$copy/"
  echo '#include "eqm/landscape/field.h"' >> "$copy/eqm/base/error.cpp"
  if check "$copy" > /dev/null; then
    echo "check_includes: a forbidden include was not found" >&2
    exit 1
  fi
fi
check .
