#!/usr/bin/env bash
# Runs the numeric tests as other processors would: OpenBLAS, oneDNN, LibTorch and eqm choose their kernels by
# instruction set, and results differ in their last digits. A test that holds for one of them only is a mistake.
#
#   scripts/test_portable.sh            every kind of processor that this one can imitate, on 1 and 2 threads
#   scripts/test_portable.sh --short    three of them, once each (for CI)
#   scripts/test_portable.sh --program  also the tests of the program
#   JOBS=2, FILTER='Golden*', KINDS='nehalem native' choose how many at once, which tests, and which processors.
set -euo pipefail
cd "$(dirname "$0")/.."

short=false program=false
for word in "$@"; do
  case "$word" in
    --short) short=true ;;
    --program) program=true ;;
    *) echo "test_portable: unknown option '$word' (--short, --program)" >&2; exit 2 ;;
  esac
done
jobs=${JOBS:-$(nproc)}
logs=build/portable
rm -rf "$logs"
mkdir -p "$logs"

# name: what the processor must have; OPENBLAS_CORETYPE; ONEDNN_MAX_CPU_ISA; ATEN_CPU_CAPABILITY; EQM_KERNELS
kinds='
nehalem:      sse4_2;        Nehalem;    SSE41;            default; SSE4
haswell:      avx2 fma;      Haswell;    AVX2;             avx2;    AVX2
zen:          avx2 fma;      Zen;        AVX2;             avx2;    plain
skylake-x:    avx512f avx512bw avx512dq avx512vl; SkylakeX; AVX512_CORE; avx512; AVX-512
cooper-lake:  avx512f avx512bw avx512dq avx512vl avx512_bf16; Cooperlake; AVX512_CORE_BF16; avx512; AVX-512
westmere:     sse4_2;        Nehalem;    SSE41;            default; plain
ice-lake:     avx512f avx512bw avx512dq avx512vl; SkylakeX; AVX512_CORE; avx512; plain
mixed:        avx2 fma;      Nehalem;    AVX2;             default; SCALAR
native:       ;              ;           ;                 ;
'

lacks() {  # the first of the words that /proc/cpuinfo does not list
  local word
  for word in $1; do
    grep -qw "$word" /proc/cpuinfo || { echo "$word"; return; }
  done
}

filter=${FILTER:-*}

run_one() {  # name threads program tests
  local name=$1 threads=$2 log="$logs/$1-$2-$3.log"
  if env ${settings[$name]} OMP_NUM_THREADS="$threads" OMP_WAIT_POLICY=passive \
      "build/tests/$3" --gtest_brief=1 --gtest_filter="$4" > "$log" 2>&1; then
    echo "passed  $name, $threads thread$([ "$threads" = 1 ] || echo s), $3: $(grep -oE 'PASSED  \] [0-9]+ tests?' "$log" | cut -c 11-)"
  else
    echo "FAILED  $name, $threads threads, $3: env ${settings[$name]} OMP_NUM_THREADS=$threads build/tests/$3"
    grep -E '^\[  FAILED  \] [^ ]*(,|$)|: Failure$' "$log" | sort -u | head -n 20 | sed 's/^/        /' || tail -n 3 "$log"
    touch "$logs/failed"
  fi
}

declare -A settings
work=()
while IFS=: read -r name rest; do
  [ -n "$name" ] || continue
  [[ " ${KINDS:-$name} " == *" $name "* ]] || continue
  IFS=';' read -r needs blas onednn aten kernels <<< "$rest"
  missing=$(lacks "$needs")
  if [ -n "$missing" ]; then
    echo "skipped $name: this processor lacks $missing"
    continue
  fi
  chosen=""
  for pair in OPENBLAS_CORETYPE="$(echo $blas)" ONEDNN_MAX_CPU_ISA="$(echo $onednn)" \
              ATEN_CPU_CAPABILITY="$(echo $aten)" EQM_KERNELS="$(echo $kernels)"; do
    [ "${pair#*=}" = "" ] || chosen="$chosen $pair"
  done
  settings[$name]=$chosen
  if $short; then
    case $name in
      nehalem) work+=("$name 1 eqm_tests") ;;
      haswell | skylake-x) work+=("$name 2 eqm_tests") ;;
    esac
  else
    work+=("$name 1 eqm_tests" "$name 2 eqm_tests")
  fi
  if $program; then work+=("$name 2 eqm_cli_tests"); fi
done <<< "$kinds"

if [ ${#work[@]} = 0 ]; then
  echo "test_portable: nothing to run (KINDS='${KINDS:-}')" >&2
  exit 2
fi

for item in "${work[@]}"; do
  read -r name threads tests <<< "$item"
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
  run_one "$name" "$threads" "$tests" "$filter" &
done
wait
if [ -e "$logs/failed" ]; then
  echo "test_portable: some tests depend on the processor; their output is in $logs/" >&2
  exit 1
fi
echo "== every test holds on every kind of processor tried"
