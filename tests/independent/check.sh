#!/usr/bin/env bash
# check.sh AXELRAM PYTHON CONFIG: golden and the independent implementation write the same result
# for adversarial traces, without a code and with each code.
set -euo pipefail
axelram=$1 python=$2 config=$3
contract="$python $(dirname "$0")/contract.py"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$(dirname "$config")"/*.safetensors "$scratch"  # files that configurations name
seed=0
for code in none hamming74 hamming84 golay24; do
  seed=$((seed + 1))
  { grep -v '^ecc:' "$config"; echo "ecc: {code: $code}"; } >"$scratch/$code.yaml"
  $contract --random "$scratch/$code.yaml" -o "$scratch/$code.trace" --seed $seed --keys 48 --queries 24
  "$axelram" run "$scratch/$code.yaml" "$scratch/$code.trace" -o "$scratch/$code.golden"
  $contract "$scratch/$code.yaml" "$scratch/$code.trace" -o "$scratch/$code.independent"
  $contract --compare "$scratch/$code.golden" "$scratch/$code.independent"
done
