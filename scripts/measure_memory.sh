#!/usr/bin/env bash
# How much memory a large model takes. Makes a checkpoint of the reference's XL/2 with its average and optimiser
# (10.8 GB), imports it, and draws four samples at once from the model. Fails when importing takes more than
# 1.2 times what is kept, or sampling more than 1.15 times the weights and 64 MB for the activations of four rows.
# measure_memory.sh [FOLDER [PRESET]]; needs 14 GB of disk there for XL/2. LibTorch itself takes some 170 MB, which breaks the
# limits of small presets.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d "${1:-/tmp}/eqm-memory-XXXXXX")
trap 'rm -rf "$folder"' EXIT
preset=${2:-XL/2}

# measured LIMIT MORE KEPT COMMAND...: runs the command and compares its peak with LIMIT times the bytes kept (a
# file's, looked up afterwards) and MORE. The peak is the kernel's count, pages of mapped files that were in memory included.
measured() {
  local limit=$1 more=$2 kept=$3 start process now peak=0
  shift 3
  start=$(date +%s%N)
  "$@" > "$folder/report" &
  process=$!
  while kill -0 "$process" 2> /dev/null; do
    now=$(awk '/^VmHWM/ {print $2}' "/proc/$process/status" 2> /dev/null || true)
    if [ "${now:-0}" -gt "$peak" ]; then peak=$now; fi
    sleep 0.05
  done
  wait "$process"
  cat "$folder/report"
  awk -v peak="$peak" -v kept="$(stat -c %s "$kept")" -v limit="$limit" -v more="$more" \
    -v seconds="$((($(date +%s%N) - start) / 1000000000))" 'BEGIN {
    printf "weights %.0f MB, most memory %.0f MB: %.2f of them, in %d s\n", kept / 1e6, peak * 1024 / 1e6, peak * 1024 / kept, seconds
    if (peak * 1024 <= limit * kept + more) exit 0
    printf "that is more than the limit of %.0f MB\n", (limit * kept + more) / 1e6 > "/dev/stderr"
    exit 1
  }'
}

cmake --build "$root/build" --target eqm_cli made_checkpoint > /dev/null
model=$folder/model.safetensors
echo "== making a checkpoint of $preset"
"$root/build/bench/made_checkpoint" "$folder/made.pt" "$preset"
echo "== importing it: $(stat -c %s "$folder/made.pt") bytes"
measured 1.2 0 "$model" "$root/build/eqm" --quiet import "$folder/made.pt" --out "$model"
rm "$folder/made.pt"
echo "== sampling: four states, two steps"
measured 1.15 64000000 "$model" "$root/build/eqm" --quiet sample "$model" --labels 1 --count 4 --limit 2 --eta 1e-12 --no-pictures \
  --out "$folder/samples"
