"""What training made of the parameters of differential attention and of the gates, by layer; recipes of the models."""
import json
import pathlib

import numpy

from . import memory_plan as plan
from .tensors import tensors

TOKENS = 1024  # whose gates are read


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def recipes(trained):
    """A line for each model."""
    lines = []
    for arm in filter(plan.ARMS.get, plan.ARMS):
        for seed in plan.SEEDS:
            path = pathlib.Path(trained) / plan.folder(arm, seed) / "recipe.json"
            if path.exists():
                recipe = json.loads(path.read_text())
                held = ", ".join(f"{name} {value:.4f}" for name, value in recipe["held_out"].items())
                line = ("- {arm}: phase {phase}, {steps} steps of {batch} x {context} bytes, seed {seed}, {seconds} s on "
                        "{device}, PyTorch {pytorch}; held out, nats a byte: {held}.\n")
                lines.append(line.format(arm=arm, held=held, **recipe))
    return "\n" + "".join(lines)


def angles(layer, weights):
    turned = numpy.degrees(weights[f"{layer}.theta"].astype(float))
    share = sigmoid(weights[f"{layer}.lambda_proj.bias"].astype(float))
    slope = numpy.linalg.norm(weights[f"{layer}.lambda_proj.weight"].astype(float), axis=1)
    return [f"{turned.mean():.1f}", f"{abs(turned - 90).max():.1f}", f"{share.min():.4f} .. {share.max():.4f}",
            f"{slope.mean():.3f}"]


def gates(campaign, arm, layer, heads):
    """Mean gate of each head, and the share of tokens that may not be landmarks, of a model that sees every key."""
    path, skip = plan.texts()[campaign.text]
    filed = plan.known_as(campaign.store, campaign.model(arm))
    cells = []
    for head in range(heads):
        trace = campaign.store.file(f"{filed}/gates-{layer}-{head}", "capture", campaign.model(arm), path, "--skip", skip,
                                    "--layer", layer, "--head", head, "--memory", "--tokens", TOKENS,
                                    "--window", TOKENS)
        if trace is None:
            return None
        opened = sigmoid(tensors(trace)[0]["gates"].astype(float))
        cells.append(f"{opened.mean():.3f}, {100 * (opened < 0.1).mean():.1f} %")
    return cells


def tables(campaign):
    lines, opened = [], []
    for arm in ("CoDA", "CoDA, bounded", "GQA, bounded"):
        if plan.known_as(campaign.store, campaign.model(arm)) is None:
            continue
        weights, _ = tensors(campaign.model(arm) / "model.safetensors")
        config = json.loads((campaign.model(arm) / "config.json").read_text())
        for number in range(config["num_hidden_layers"]):
            layer = f"model.layers.{number}.self_attn"
            if f"{layer}.theta" in weights:
                lines.append([f"{arm}: layer {number}", *angles(layer, weights)])
            gated = f"{layer}.write_proj.bias" in weights
            if gated and (cells := gates(campaign, arm, number, config["num_key_value_heads"])):
                blend = sigmoid(weights[f"{layer}.summary_eta_logit"].astype(float))
                opened.append([f"{arm}: layer {number}", *cells, ", ".join(f"{x:.3f}" for x in blend)])
    yield ["", "mean angle", "furthest from 90", "share of noise at bias", "norm of its weights"], lines
    heads = len(opened[0]) - 2 if opened else 0
    yield ["", *(f"head {head}, seeing every key: mean gate, below 0.1" for head in range(heads)), "blend"], opened
