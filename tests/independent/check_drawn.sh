#!/usr/bin/env bash
# check_drawn.sh AXELRAM PYTHON FIRST LAST [--two-parts | --attention]: golden, fast and the independent implementation write
# the same bytes for adversarial traces of the configurations that seeds FIRST to LAST draw.
set -euo pipefail
axelram=$1 python=$2
contract=("$python" "$(dirname "$0")/contract.py")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for ((seed = $3; seed <= $4; seed++)); do
  config=$scratch/$seed.yaml
  "${contract[@]}" --draw -o "$config" --seed "$seed" "${@:5}"
  "${contract[@]}" --random "$config" -o "$scratch/trace" --force --seed $seed --keys 48 --queries 23
  "${contract[@]}" "$config" "$scratch/trace" -o "$scratch/independent" --force
  for engine in golden fast; do
    "$axelram" run "$config" "$scratch/trace" -o "$scratch/$engine" --force --engine $engine
    "${contract[@]}" --compare "$scratch/$engine" "$scratch/independent" || { cat "$config" && exit 1; }
    cmp "$scratch/$engine" "$scratch/independent"
  done
done
