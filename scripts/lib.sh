# shellcheck shell=bash
# What the shell scripts share. A script sources it from the root of the repository:
#   cd "$(dirname "$0")/.." && source scripts/lib.sh
# and calls `need TARGET...` for what it uses of the build: nothing else has to be run before.

export LC_ALL=C # what tools print, and the order of sort, are those of no user's language

script=scripts/$(realpath --relative-to="$PWD/scripts" "$0")
AXELRAM_BUILD=${AXELRAM_BUILD:-build}

# fail MESSAGE [EXIT-CODE]: one line; 3 (the environment lacks something) by default.
fail() {
  echo "$script: $1" >&2
  exit "${2:-3}"
}

# usage [EXIT-CODE]: the comment at the head of the script.
# shellcheck disable=SC2120  # scripts pass it
usage() {
  sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
  exit "${1:-0}"
}

# skip_without TOOL...: ends the script, as a test that is skipped, where one is missing.
skip_without() {
  local tool
  for tool; do
    command -v "$tool" >/dev/null || fail "skipped: no $tool" 77
  done
}

# make_scratch: $scratch, a folder that is removed at the end.
make_scratch() {
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
}

# quiet COMMAND...: prints the output of a command only if it fails.
quiet() {
  local log status=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 || {
    status=$?
    cat "$log" >&2
  }
  rm -f "$log"
  return $status
}

# step TITLE COMMAND...: announces a step, runs it and prints how long it took.
step() {
  local title=$1 start=$SECONDS
  shift
  echo
  echo "[$((++steps))${step_count:+/$step_count}] $title"
  "$@" || return
  echo "      $((SECONDS - start)) s"
}
steps=0

# check NAME COMMAND...: runs a check and counts it in $passed or $failed.
check() {
  local name=$1 start=$SECONDS
  shift
  echo "== $name"
  if "$@"; then
    passed=$((passed + 1))
    echo "$name: passed, $((SECONDS - start)) s"
  else
    failed=$((failed + 1))
    echo "$name: FAILED, $((SECONDS - start)) s"
  fi
}
passed=0 failed=0

# cache_home: $XDG_CACHE_HOME, else ~/.cache; a relative path is no place, as the XDG specification says.
cache_home() {
  case ${XDG_CACHE_HOME:-} in
    /*) echo "$XDG_CACHE_HOME" ;;
    *) echo "$HOME/.cache" ;;
  esac
}

# Tools in Python, which pip installs into the cache.
declare -A python_tools=([pyslang]=12.0.0 [ruff]=0.17.6)

# python_tool NAME: prints the folder of a tool in Python, and installs it first if it is missing; 3 without a network.
python_tool() {
  local folder new
  folder=$(cache_home)/axelram/tools/$1-${python_tools[$1]}
  if [[ ! -d $folder ]]; then
    mkdir -p "${folder%/*}" && new=$(mktemp -d "$folder.XXXXXX") || return 3
    # Another process may do the same: the first one to end wins.
    quiet python3 -m pip install --quiet --disable-pip-version-check --target "$new" "$1==${python_tools[$1]}" &&
      chmod 755 "$new" && mv -T "$new" "$folder" 2>/dev/null
    rm -rf "$new"
    [[ -d $folder ]] || return 3
  fi
  echo "$folder"
}

have_gpu() { [[ "$(nvidia-smi -L 2>/dev/null)" == GPU* ]]; }

# configure [OPTION...]: prepares $AXELRAM_BUILD. The first time kernels for a GPU are left out if no
# GPU answers, as they take minutes to compile; a directory that has them keeps them.
# shellcheck disable=SC2120  # scripts/build and scripts/test pass options
configure() {
  local cuda=()
  if [[ ! -e $AXELRAM_BUILD/CMakeCache.txt ]] && ! have_gpu; then
    cuda=(-DAXELRAM_CUDA=OFF)
  elif have_gpu && grep -qs '^AXELRAM_CUDA:[A-Z]*=OFF' "$AXELRAM_BUILD/CMakeCache.txt"; then
    cuda=(-DAXELRAM_CUDA=AUTO)
  fi
  if [[ $# -gt 0 || ${#cuda[@]} -gt 0 || ! -e $AXELRAM_BUILD/build.ninja ]]; then
    quiet cmake --preset release -B "$AXELRAM_BUILD" "${cuda[@]}" "$@"
  fi
}

# build TARGET...: shows progress on a terminal, else nothing unless it fails.
build() {
  local command=(cmake --build "$AXELRAM_BUILD" -j "$(nproc)" --target "$@")
  if [[ -t 1 ]]; then "${command[@]}"; else quiet "${command[@]}"; fi
}

# need TARGET...: packages, configuration and targets, each only if missing or out of date.
# AXELRAM=FILE, a program built elsewhere, stands for the target axelram_program, and
# AXELRAM_CODE_UNIT=FILE for code_unit_writer. Sets both names for the programs to use.
need() {
  local target targets=()
  for target; do
    case $target in
      axelram_program) [[ -n "${AXELRAM:-}" ]] || targets+=("$target") ;;
      code_unit_writer) [[ -n "${AXELRAM_CODE_UNIT:-}" ]] || targets+=("$target") ;;
      *) targets+=("$target") ;;
    esac
  done
  if ((${#targets[@]} > 0)); then
    scripts/setup || exit
    configure || fail "the configuration failed" 1
    build "${targets[@]}" || fail "the build failed" 1
  fi
  AXELRAM=${AXELRAM:-$PWD/$AXELRAM_BUILD/cli/axelram}
  AXELRAM_CODE_UNIT=${AXELRAM_CODE_UNIT:-$PWD/$AXELRAM_BUILD/tests/proofs/code_unit_writer}
  export AXELRAM AXELRAM_CODE_UNIT
}

# code_units: a line `FAMILY CODE DECODER complete|detects` for each code with each of its decoders,
# from the table of codes; needs code_unit_writer.
code_units() { "$AXELRAM_CODE_UNIT" --list; }

# codes: the names of the codes that tests and measurements cover, one per line.
codes() { code_units | awk '{ print $2 }' | uniq; }

# spoil_scores FILE: changes the last digit of the last score in vectors/ of a generated folder.
spoil_scores() { sed -i '$ { s/7$/x/; t; s/.$/7/; }; s/x$/8/' "$1"; }

# provenance: date, commit and machine, for the head of a record.
provenance() {
  echo "$(date -I), commit $(git rev-parse --short HEAD), $(nproc) cores of" \
    "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)"
}

# Every script describes itself.
case "${1:-}" in -h | --help) usage ;; esac
