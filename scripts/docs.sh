#!/usr/bin/env bash
# Writes the API reference of the public headers to build/docs/index.html, with Doxygen. Needs no build.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build/docs
{
  cat docs/Doxyfile
  printf 'PROJECT_NUMBER = %s\n' "$(sed -nE 's/^project\(eqm VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)"
  printf 'INPUT = %s\n' "$(scripts/public_headers.sh | tr '\n' ' ')"
} | doxygen -
echo "== the reference: build/docs/index.html"
