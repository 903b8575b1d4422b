#!/usr/bin/env bash
# check.sh AXELRAM PYTHON CONFIG: golden and the independent implementation write the same result
# for an adversarial trace.
set -euo pipefail
axelram=$1 python=$2 config=$3
contract="$python $(dirname "$0")/contract.py"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for seed in 1 2; do
  $contract --random "$config" -o "$scratch/$seed.trace" --seed $seed --keys 48 --queries 24
  "$axelram" run "$config" "$scratch/$seed.trace" -o "$scratch/$seed.golden"
  $contract "$config" "$scratch/$seed.trace" -o "$scratch/$seed.independent"
  $contract --compare "$scratch/$seed.golden" "$scratch/$seed.independent"
done
