#!/usr/bin/env bash
# How much memory importing a large checkpoint takes: makes one of the reference's XL/2 with its average and
# optimiser (10.8 GB), imports it, and fails when more than 1.2 times what is kept was in memory.
# measure_import.sh [FOLDER [PRESET]]; needs 14 GB of disk there for XL/2.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d "${1:-/tmp}/eqm-import-XXXXXX")
trap 'rm -rf "$folder"' EXIT
preset=${2:-XL/2}
cmake --build "$root/build" --target eqm_cli made_checkpoint > /dev/null
echo "== making a checkpoint of $preset"
"$root/build/bench/made_checkpoint" "$folder/made.pt" "$preset"
echo "== importing it: $(stat -c %s "$folder/made.pt") bytes"
# The program's own peak, as the kernel counts it: pages of the mapped file that were in memory included.
start=$(date +%s%N)
"$root/build/eqm" --quiet import "$folder/made.pt" --out "$folder/model.safetensors" > "$folder/report" &
process=$!
peak=0
while kill -0 "$process" 2> /dev/null; do
  now=$(awk '/^VmHWM/ {print $2}' "/proc/$process/status" 2> /dev/null || true)
  if [ "${now:-0}" -gt "$peak" ]; then peak=$now; fi
  sleep 0.05
done
wait "$process"
milliseconds=$((($(date +%s%N) - start) / 1000000))
kept=$(stat -c %s "$folder/model.safetensors")
cat "$folder/report"
awk -v peak="$peak" -v kept="$kept" -v seconds="$((milliseconds / 1000))" 'BEGIN {
  printf "kept %.0f MB, most memory %.0f MB: %.2f of it, in %d s\n", kept / 1e6, peak * 1024 / 1e6, peak * 1024 / kept, seconds
  exit peak * 1024 > 1.2 * kept
}'
