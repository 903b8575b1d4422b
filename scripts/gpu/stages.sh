# shellcheck shell=bash
# The stages of scripts/gpu_check, which sources this. A stage's function prints to its log; what it
# wants in the result it writes to $lines. It returns 0 passed, 77 skipped (its last line says why).

# Of the whole check: the result is to be written within the 600 s that a machine may be lent for.
readonly kSeconds=540

json_text() { # as a JSON string
  local text=${1//\\/\\\\}
  text=${text//\"/\\\"}
  printf '"%s"' "$(tr -d '\000-\037' <<<"$text")"
}

# check NAME BUDGET FUNCTION ARGUMENT...: a stage that decides whether results are right. One that did
# not finish has shown nothing: it has failed.
check() { must_finish=1 stage "$@"; }

# stage NAME BUDGET FUNCTION ARGUMENT...: at most BUDGET seconds of what is left of the whole.
stage() {
  local name=$1 budget=$2 log start=$SECONDS status outcome detail late=unfinished
  [[ -n "${must_finish:-}" ]] && late=failed
  shift 2
  log=$logs/$(tr -c 'a-zA-Z0-9\n' _ <<<"$name").log
  local left=$((kSeconds - SECONDS))
  ((budget < left)) || budget=$left
  printf '%-36s ' "$name"
  if ((left < 5)) && [[ -z "$dry" ]]; then
    echo "not started: out of time; a second call finds what this one has built" >"$log"
    status=77
    [[ $late == failed ]] && status=1
  else
    [[ -n "$dry" ]] && budget=3600
    stage_seconds=$budget
    within "$budget" "$@" >"$log" 2>&1
    status=$?
  fi
  # The last line that says anything. ASCII alone: no cut splits a character.
  detail=$(LC_ALL=C tr -cd '\n\040-\176' <"$log" | grep '[^ ]' | tail -1 | cut -c1-160)
  case $status in
    0) outcome=passed detail="" ;;
    77) outcome=skipped ;;
    124) outcome=$late detail="stopped after $budget s${detail:+; last: $detail}" ;;
    *) outcome=failed ;;
  esac
  echo "$outcome, $((SECONDS - start)) s${detail:+: $detail}"
  drop_half_line "$lines"
  printf '{"stage": %s, "outcome": "%s", "seconds": %d, "detail": %s}\n' "$(json_text "$name")" \
    $outcome $((SECONDS - start)) "$(json_text "$detail")" >>"$lines"
}

# What a stopped program had begun to write.
drop_half_line() {
  [[ ! -s "$1" || -z "$(tail -c1 "$1")" ]] || sed -i '$d' "$1"
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
    kill -KILL -- -$pid
  ) >/dev/null 2>&1 &
  watcher=$!
  set +m
  rm -f "$scratch/timeout"
  wait $pid 2>/dev/null
  status=$?
  kill -- -$watcher 2>/dev/null
  wait $watcher 2>/dev/null
  end_group $pid
  [[ -e "$scratch/timeout" ]] && return 124
  return $status
}

# The next stage has the GPU alone: none of the group is left, or 5 s have passed.
end_group() {
  local i
  for ((i = 0; i < 50; ++i)); do
    kill -KILL -- "-$1" 2>/dev/null || return 0
    sleep 0.1
  done
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
    -DAXELRAM_WERROR=OFF -DAXELRAM_BENCH=OFF -DAXELRAM_MPI=OFF -DAXELRAM_CUDA=ON \
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

kernels_against_golden() {
  "$tests"
  case $? in
    0) ;;
    77) echo "no device any more" && return 1 ;; # gpu_bench has listed one
    *) return 1 ;;
  esac
}

# Configurations as JSON: a build without yaml-cpp reads nothing else.
write_configurations() {
  local b
  for b in 2 3 4; do
    echo "{\"macro\": {\"index_bits\": $b}}" >"$scratch/d128-b$b.json"
  done
  echo '{"numerics": {"query_bits": 12, "centroid_bits": 10}}' >"$scratch/d128-b3-wide.json"
  echo '{"ecc": {"code": "golay24"}}' >"$scratch/d128-b3-golay24.json"
}
readonly trace=traces/byte-llama-d128.safetensors
# Skips where there is no program that has kernels; whatever else is wrong is not for here.
needs_program() {
  [[ -x "$program" ]] || skip "no program $program"
  write_configurations
  [[ "$("$program" run "$scratch/d128-b3.json" $trace --engine cuda -o "$scratch/probe.safetensors" --force 2>&1)" \
    != *"built without CUDA"* ]] || skip "$program was built without CUDA"
}
run_equals_golden() {
  needs_program
  local config engine
  for config in "$scratch"/*.json; do
    for engine in golden cuda; do
      "$program" run "$config" $trace --engine $engine -o "$scratch/$engine.safetensors" --force ||
        return 1
    done
    cmp "$scratch/golden.safetensors" "$scratch/cuda.safetensors" || return 1
  done
}

is_number() { [[ "$1" =~ ^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$ ]]; }
number_of() { # number_of KEY FILE: the first in the file
  sed -n "s/^ *\"$1\": \([-0-9.e+]*\),*$/\1/p" "$2" | head -1
}
# perplexity_of ARGUMENT...: a number, or null where the program fails or finds none (NaN).
perplexity_of() {
  local value=""
  rm -f "$scratch/perplexity.json"
  "$program" perplexity "$@" --json "$scratch/perplexity.json" --force >&2 &&
    value=$(number_of perplexity "$scratch/perplexity.json")
  is_number "$value" || value=null
  echo "$value"
}
compare_perplexity() {
  needs_program
  head -c 20000 docs/theory-of-operation.md >"$scratch/text"
  local cache cpu cuda without=""
  local model=(models/byte-llama-d128 "$scratch/text" --tokens "$tokens")
  for cache in fp16 "axelram:config=$scratch/d128-b3.json" "axelram:config=$scratch/d128-b4.json" \
    "axelram:config=$scratch/d128-b3-golay24.json,ber=0.001"; do
    cpu=$(perplexity_of "${model[@]}" --cache "$cache" --device cpu)
    cuda=$(perplexity_of "${model[@]}" --cache "$cache" --device cuda)
    echo "$cache: CPU $cpu, CUDA $cuda"
    [[ "$cpu $cuda" == *null* ]] && without+="; ${cache//$scratch\//}: CPU $cpu, CUDA $cuda"
    printf '{"perplexity": %s, "model": "byte-llama-d128", "tokens": %d, "cpu": %s, "cuda": %s}\n' \
      "$(json_text "${cache//$scratch\//}")" "$tokens" "$cpu" "$cuda" >>"$lines"
  done
  [[ -z "$without" ]] || {
    echo "no perplexity: ${without#; }"
    return 1
  }
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
  # It begins no shape that it may not finish; and lines are kept as they come.
  arguments=(--seconds $((stage_seconds > 50 ? stage_seconds - 40 : 10)))
  [[ -n "$dry" ]] && arguments+=(--device cpu --small)
  command -v python3 >/dev/null || skip "no python3"
  python3 scripts/gpu/pytorch_baseline.py "${arguments[@]}" | tee -a "$lines"
  status=${PIPESTATUS[0]}
  ((status == 3)) && skip "no PyTorch that sees a GPU: ratios are against this project's FP16 kernel"
  return "$status"
}

# Small cases: the sanitizer is 10 to 100 times slower.
sanitize() {
  command -v compute-sanitizer >/dev/null || skip "no compute-sanitizer"
  local status
  compute-sanitizer --tool "$1" --error-exitcode 9 "$tests" \
    --test-case-exclude='*long*,*many*,*every word*,*16 tiles*,*for every dimension*,products:*' \
    2>&1 | tee "$scratch/sanitizer"
  status=${PIPESTATUS[0]}
  ((status != 0)) && grep -qi 'device not supported' "$scratch/sanitizer" &&
    skip "compute-sanitizer: Device not supported"
  return "$status"
}

# The path of a large checkpoint: shards, upload, products and attention of Llama 3.1 8B's shape.
large_model() {
  needs_program
  local folder=$scratch/llama free
  free=$(df -Pk "$scratch" | awk 'NR == 2 { print int($4 / 1048576) }')
  [[ -n "$llama_size" ]] || ((free >= 20)) || skip "$free GB of disk are free; 20 are needed"
  # shellcheck disable=SC2086 # $llama_size may be empty
  "$build/bench/random_llama" "$folder" $llama_size || return 1
  local cuda begin=$SECONDS
  cuda=$(perplexity_of "$folder" "$folder/tokens.safetensors" \
    --cache "axelram:config=$scratch/d128-b3.json" --device cuda)
  rm -rf "$folder"
  is_number "$cuda" || {
    echo "no perplexity"
    return 1
  }
  printf '{"perplexity": "random 8B, axelram", "cpu": null, "cuda": %s, "seconds": %d}\n' "$cuda" \
    $((SECONDS - begin)) >>"$lines"
}
