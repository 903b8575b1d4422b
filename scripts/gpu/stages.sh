# shellcheck shell=bash
# The stages of scripts/gpu_check, which sources this. A stage's function prints to its log; what it
# wants in the result it writes to $lines. It returns 0 passed, 77 skipped (its last line says why).

readonly kSeconds=590 # of the whole check

json_text() { # as a JSON string
  local text=${1//\\/\\\\}
  text=${text//\"/\\\"}
  printf '"%s"' "$(tr -d '\000-\037' <<<"$text")"
}

# stage NAME BUDGET FUNCTION ARGUMENT...: at most BUDGET seconds of what is left of the whole.
stage() {
  local name=$1 budget=$2 log start=$SECONDS status outcome detail
  shift 2
  log=$logs/$(tr -c 'a-zA-Z0-9\n' _ <<<"$name").log
  local left=$((kSeconds - SECONDS))
  ((budget < left)) || budget=$left
  printf '%-36s ' "$name"
  if ((budget < 5)) && [[ -z "$dry" ]]; then
    echo "out of time" >"$log"
    status=77
  else
    [[ -n "$dry" ]] && budget=3600
    within "$budget" "$@" >"$log" 2>&1
    status=$?
  fi
  detail=$(tail -1 "$log" | cut -c1-160)
  case $status in
    0) outcome=passed detail="" ;;
    77) outcome=skipped ;;
    124) outcome=unfinished detail="stopped after $budget s" ;;
    *) outcome=failed ;;
  esac
  echo "$outcome, $((SECONDS - start)) s${detail:+: $detail}"
  printf '{"stage": %s, "outcome": "%s", "seconds": %d, "detail": %s}\n' "$(json_text "$name")" \
    $outcome $((SECONDS - start)) "$(json_text "$detail")" >>"$lines"
}

# within SECONDS FUNCTION...: 124 where it took longer; what it started ends with it.
within() {
  local seconds=$1 pid watcher status
  shift
  set -m # process groups of their own
  ("$@") &
  pid=$!
  (
    sleep "$seconds"
    touch "$scratch/timeout"
    kill -TERM -- -$pid
    sleep 5
    kill -KILL -- -$pid
  ) >/dev/null 2>&1 &
  watcher=$!
  set +m
  rm -f "$scratch/timeout"
  wait $pid
  status=$?
  kill -- -$watcher 2>/dev/null
  wait $watcher 2>/dev/null
  [[ -e "$scratch/timeout" ]] && return 124
  return $status
}

skip() {
  echo "$1"
  exit 77
}

say_machine() {
  local driver="" gpu="none: a dry run" nvcc_version
  if [[ -z "$dry" ]]; then
    IFS=, read -r gpu driver < <(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader)
  fi
  nvcc_version=$(nvcc --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p')
  printf '{"machine": %s, "driver": %s, "nvcc": %s, "date": "%s", "revision": %s}\n' \
    "$(json_text "$gpu")" "$(json_text "${driver# }")" "$(json_text "$nvcc_version")" \
    "$(date -u +%Y-%m-%d)" "$(json_text "$(git describe --always --dirty 2>/dev/null)")" >>"$lines"
}

configure() {
  local architecture=native generator=()
  [[ -n "$dry" ]] && architecture=90-real
  command -v ninja >/dev/null && generator=(-G Ninja)
  cmake -S . -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DAXELRAM_TESTS=OFF \
    -DAXELRAM_BENCH=OFF -DAXELRAM_MPI=OFF -DAXELRAM_CUDA_WANTED=ON \
    -DCMAKE_CUDA_ARCHITECTURES=$architecture
}
build_kernels() {
  configure || return 1
  local targets=(test_kernels_cuda gpu_bench gpu_report random_llama)
  [[ -n "$dry" ]] && targets+=(test_kernels gpu_bench_emulated)
  # What does not compile stops no other target.
  local keep_going=(-k)
  [[ -e "$build/build.ninja" ]] && keep_going=(-k 0)
  cmake --build "$build" -j "$(nproc)" --target "${targets[@]}" -- "${keep_going[@]}"
}
build_program() {
  [[ "$(cmake --build "$build" --target help)" == *axelram_program* ]] ||
    skip "header-only libraries are missing: scripts/carry_headers collects them"
  cmake --build "$build" -j "$(nproc)" --target axelram_program
}

kernels_against_golden() { "$tests"; }

# Configurations as JSON: a build without yaml-cpp reads nothing else.
write_configurations() {
  local b
  for b in 2 3 4; do
    echo "{\"macro\": {\"index_bits\": $b}}" >"$scratch/d128-b$b.json"
  done
  echo '{"numerics": {"query_bits": 12, "centroid_bits": 10}}' >"$scratch/d128-b3-wide.json"
  echo '{"ecc": {"code": "golay24"}}' >"$scratch/d128-b3-golay24.json"
}
run_equals_golden() {
  [[ -x "$program" ]] || skip "no program $program"
  write_configurations
  local config engine trace=traces/byte-llama-d128.safetensors
  for config in "$scratch"/*.json; do
    for engine in golden cuda; do
      "$program" run "$config" "$trace" --engine $engine -o "$scratch/$engine.safetensors" --force
      case $? in
        0) ;;
        3) [[ $engine == cuda ]] && skip "$("$program" run "$config" "$trace" --engine cuda -o "$scratch/x" 2>&1 | tail -1)" ;;
        *) return 1 ;;
      esac
    done
    cmp "$scratch/golden.safetensors" "$scratch/cuda.safetensors" || return 1
  done
}

number_of() { # number_of KEY FILE: the first in the file
  sed -n "s/^ *\"$1\": \([-0-9.e+]*\),*$/\1/p" "$2" | head -1
}
# perplexity_of DEVICE CACHE
perplexity_of() {
  "$program" perplexity "$@" --json "$scratch/perplexity.json" --force >&2 || return
  number_of perplexity "$scratch/perplexity.json"
}
compare_perplexity() {
  [[ -x "$program" ]] || skip "no program $program"
  [[ "$("$program" perplexity --help)" == *--device* ]] || skip "perplexity has no --device"
  write_configurations
  head -c 20000 docs/theory-of-operation.md >"$scratch/text"
  local cache cpu cuda status=0
  local model=(models/byte-llama-d128 "$scratch/text" --tokens "$tokens")
  for cache in fp16 "axelram:config=$scratch/d128-b3.json" "axelram:config=$scratch/d128-b4.json" \
    "axelram:config=$scratch/d128-b3-golay24.json,ber=0.001"; do
    cpu=$(perplexity_of "${model[@]}" --cache "$cache" --device cpu) || return 1
    cuda=$(perplexity_of "${model[@]}" --cache "$cache" --device cuda) || status=1
    echo "$cache: CPU $cpu, CUDA ${cuda:-failed}"
    printf '{"perplexity": %s, "model": "byte-llama-d128", "tokens": %d, "cpu": %s, "cuda": %s}\n' \
      "$(json_text "${cache//$scratch\//}")" "$tokens" "$cpu" "${cuda:-null}" >>"$lines"
  done
  return $status
}

# What warps issue for a key: counted by ncu, or as recorded from the machine code.
count_instructions() {
  local rows count
  if command -v ncu >/dev/null; then
    ncu --clock-control none --metrics smsp__inst_executed.sum -k regex:write -c 1 --csv \
      "$bench" --once | tee "$scratch/ncu"
    rows=$(sed -n 's/.*"rows": \([0-9]*\).*/\1/p' "$scratch/ncu")
    count=$(sed -n 's/.*smsp__inst_executed.sum","inst","\([0-9,]*\)".*/\1/p' "$scratch/ncu" | tr -d ,)
    if [[ -n "$rows" && -n "$count" ]]; then
      awk "BEGIN { print $count / $rows }" >"$scratch/instructions"
      return 0
    fi
  fi
  recorded_instructions >"$scratch/instructions"
  [[ -s "$scratch/instructions" ]] || skip "no ncu, and no figure in docs/measurements/kernels_sass.md"
  echo "as recorded: $(cat "$scratch/instructions")"
}
recorded_instructions() {
  sed -n 's/^counted along that path: \([0-9.]*\)$/\1/p' docs/measurements/kernels_sass.md
}

run_benchmarks() {
  local count=0
  [[ -s "$scratch/instructions" ]] && count=$(cat "$scratch/instructions")
  # shellcheck disable=SC2086 # $bench may have arguments
  $bench --write-instructions "$count" | tee -a "$lines"
}

run_peers() {
  local arguments=() status
  [[ -n "$dry" ]] && arguments=(--device cpu --small)
  command -v python3 >/dev/null || skip "no python3"
  python3 scripts/gpu/peer.py "${arguments[@]}" >"$scratch/peers"
  status=$?
  tee -a "$lines" <"$scratch/peers"
  ((status == 3)) && skip "no PyTorch that sees a GPU: ratios are against this project's FP16 kernel"
  return $status
}

# Small cases: the sanitizer is 10 to 100 times slower.
sanitize() {
  command -v compute-sanitizer >/dev/null || skip "no compute-sanitizer"
  compute-sanitizer --tool "$1" --error-exitcode 9 "$tests" \
    --test-case-exclude='*long*,*many*,*every word*,*16 tiles*,*for every dimension*,products:*'
}

# The path of a large checkpoint: shards, upload, products and attention of Llama 3.1 8B's shape.
large_model() {
  [[ -x "$program" ]] || skip "no program $program"
  [[ "$("$program" perplexity --help)" == *--device* ]] || skip "perplexity has no --device"
  local folder=$scratch/llama free
  free=$(df -Pk "$scratch" | awk 'NR == 2 { print int($4 / 1048576) }')
  [[ -n "$llama_size" ]] || ((free >= 20)) || skip "$free GB of disk are free; 20 are needed"
  write_configurations
  # shellcheck disable=SC2086 # $llama_size may be empty
  "$build/bench/random_llama" "$folder" $llama_size || return 1
  local cuda begin=$SECONDS
  cuda=$(perplexity_of "$folder" "$folder/tokens.safetensors" \
    --cache "axelram:config=$scratch/d128-b3.json" --device cuda)
  rm -rf "$folder"
  [[ "$cuda" =~ ^[0-9] ]] || return 1
  printf '{"perplexity": "random 8B, axelram", "cpu": null, "cuda": %s, "seconds": %d}\n' "$cuda" \
    $((SECONDS - begin)) >>"$lines"
}
