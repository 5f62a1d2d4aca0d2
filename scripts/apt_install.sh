#!/usr/bin/env bash
# apt_install.sh CALLER PACKAGE...: installs Debian packages, as root or by sudo, and asks nothing. Messages name CALLER.
set -euo pipefail

caller=$1
shift
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo > /dev/null; then
    echo "$caller: these packages are missing and need root to install: $*" >&2
    echo "hint: run 'apt-get install $*' as root" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "== packages: installing $*"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${as_root[@]}" apt-get update && "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
       apt-get install -y --no-install-recommends "$@"; } > "$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "$caller: apt-get failed; see above" >&2
  exit 1
fi
