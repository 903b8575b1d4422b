#!/usr/bin/env python3
"""Compares state files of `axelram prefill` with the memory as the contract states it.

check_state.py AXELRAM MODELS TEXT

Reads each file by the contract's own checks, with the digests of model and signs computed from the files. The slots of
layer 0, whose keys no cache changes, must be those of the memory that takes the tokens of `axelram capture --memory`.
A file that is written again must have the same bytes. Exit codes: 0 equal, 1 different, 2 bad usage."""
import json
import pathlib
import sys
import tempfile
from dataclasses import replace

import config as config_file
import memory_masters as masters
import memory_state
import memory_tensors
import safetensors
from memory_macro import MemoryMacro
from memory_parameters import gate_code
from memory_traces import enter
from program import run

SIZES = "window: 20, exact: 8, summary: 6, sinks: 2"
PLAIN, CODA = "byte-llama-d128", "byte-coda-d128"  # the second one has gates, and decides the blend
CASES = {  # name: (model, tokens, options of the cache, section ecc, the same options of the parameters)
    "records": (PLAIN, 150, "", "", {}),
    "within the window": (PLAIN, 11, "", "", {}),
    "FP16": (PLAIN, 150, ",store=fp16", "", {"store": "fp16"}),
    "band": (PLAIN, 150, ",store=fp16,summary_key=band", "", {"store": "fp16", "summary_key": "band"}),
    "Hamming(8,4)": (PLAIN, 90, "", "ecc: {code: hamming84, erasure: zero}\n", {}),
    "gates and blend of the model": (CODA, 150, "", "", {"blend": None}),
    "the same, FP16, lru": (CODA, 150, ",store=fp16,evict=lru", "", {"store": "fp16", "evict": "lru", "blend": None}),
}


def blends(tensors, layers):
    """H of each KV head of each layer."""
    logits = [tensors[f"model.layers.{layer}.self_attn.summary_eta_logit"].values() for layer in range(layers)]
    return [[gate_code(masters.half_floats([logit])[0]) for logit in layer] for layer in logits]


def model_of(folder, model, ecc, own):
    """What the states of a checkpoint in `model` belong to (contract: state file)."""
    sizes = json.loads((model / "config.json").read_text())
    layers, heads = sizes["num_hidden_layers"], sizes["num_key_value_heads"]
    macros = []
    for layer in range(layers):
        for head in range(heads):
            path = folder / "head.yaml"
            path.write_text(f"macro: {{head_dim: {sizes['head_dim']}, index_bits: 3}}\nmemory: {{{SIZES}}}\n{ecc}"
                            f"rotation: {{layer: {layer}, head: {head}}}\n")
            c = config_file.load(str(path))
            macros.append(MemoryMacro(c))
    records = [macro.records for macro in macros]
    signs = [one.path.signs for one in records]
    tensors, _ = safetensors.read(str(model / "model.safetensors"))
    digest = memory_state.checkpoint_digest(tensors, (model / "config.json").read_bytes())
    return memory_state.Model([records[i * heads:(i + 1) * heads] for i in range(layers)],
                              replace(macros[0].parameters, **own), sizes["hidden_size"], memory_state.numerics(c), digest,
                              memory_state.signs_digest(signs), sizes["max_position_embeddings"],
                              blends(tensors, layers) if "blend" in own else None)


def of_capture(axelram, model, text, tokens, head, folder, memory):
    """The memory after the tokens that the program captures."""
    trace = folder / "trace.safetensors"
    run(axelram, "capture", model, text, "--layer", 0, "--head", head, "--memory", "--tokens", tokens, "--window", tokens,
        "-o", trace, "--force")
    tensors, _ = safetensors.read(str(trace))
    d = tensors["keys"].shape[1]
    rows = {name: list(tensors[name].values()) for name in ("keys", "values")}
    for t, gate in enumerate(tensors["gates"].values()):
        enter(memory, *(rows[name][t * d:(t + 1) * d] for name in ("keys", "values")), gate)
    return memory_tensors.moment(memory)


def check(axelram, models, text, folder, name):
    which, tokens, options, ecc, own = CASES[name]
    model_path = models / which
    model = model_of(folder, model_path, ecc, own)
    state, again = folder / "a.state", folder / "b.state"
    cache = "memory:" + SIZES.replace(": ", "=").replace(", ", ",") + options
    if ecc:
        config = folder / "coded.yaml"
        config.write_text(f"macro: {{head_dim: {model.records[0][0].d}, index_bits: 3}}\n{ecc}")
        cache += f",config={config}"
    run(axelram, "prefill", model_path, text, "--tokens", tokens, "--cache", cache, "-o", state, "--force")
    memories, hidden = memory_state.read(str(state), model)
    lines = []
    for head in range(len(model.records[0])):
        want = of_capture(axelram, model_path, text, tokens, head, folder, model.memory(0, head))
        found = memory_tensors.moment(memories[head])
        lines += [f"{name}: layer 0, head {head}: {tensor} differ" for tensor in want if want[tensor] != found[tensor]]
    memory_state.write(str(again), model, memories, hidden, True)
    if safetensors.differences(str(state), str(again)):
        lines.append(f"{name}: a file that is written again differs")
    return lines


def main():
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    axelram, models, text = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for name in CASES:
            try:
                lines += check(axelram, models, text, pathlib.Path(folder), name)
            except ValueError as error:
                lines.append(f"{name}: {error}")
    print("\n".join(lines) or f"{len(CASES)} state files: equal")
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
