#!/usr/bin/env bash
# Fails when a source file is not formatted as clang-format would.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files -co --exclude-standard '*.h' '*.cpp' | xargs clang-format --dry-run -Werror
