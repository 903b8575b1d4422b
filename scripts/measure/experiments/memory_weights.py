"""What training made of the parameters of differential attention and of the gates, by layer; recipes of the models."""
import json
import pathlib

import numpy

from . import memory_plan as plan
from . import with_models  # noqa: F401, before byte_coda
from .tensors import tensors

TOKENS = 1024  # whose gates are read


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def recipes(trained):
    """The models as trained: (head, rows) of those of bytes, then of those of recall."""
    shared = ["steps", "rate", "own rate", "seconds", "device", "PyTorch"]

    def cells(recipe):
        """Own parameters are those of differential attention, which GQA lacks, and of memories."""
        own = recipe.get("differential") or recipe.get("coda") or recipe["memory"]
        return [recipe["steps"], f"{recipe['rate']:g}", f"{recipe['rate'] * recipe['own_factor']:g}" if own else "",
                recipe["seconds"], recipe.get("device", "cpu"), recipe["pytorch"]]

    rows, texts = [], []
    for arm in filter(plan.ARMS.get, plan.ARMS):
        for seed in plan.SEEDS:
            path = pathlib.Path(trained) / plan.folder(arm, seed) / "recipe.json"
            if path.exists():
                recipe = json.loads(path.read_text())
                texts = list(recipe["held_out"])
                rows.append([f"{arm}, seed {seed}", recipe["phase"], f"{recipe['batch']} x {recipe['context']}",
                             f"{recipe['gate_penalty']:g}", *cells(recipe),
                             *(f"{recipe['held_out'][text]:.4f}" for text in texts)])
    yield ["", "phase", "bytes a step", "gate penalty", *shared, *(f"{text}, nats a byte" for text in texts)], rows
    recall = {path.parent.name: json.loads(path.read_text())
              for path in sorted(pathlib.Path(trained).glob("recall-*/recipe.json"))}
    yield ["", *shared], [[name, *cells(recipe)] for name, recipe in recall.items()]


def angles(layer, weights):
    turned = numpy.degrees(weights[f"{layer}.theta"].astype(float))
    share = sigmoid(weights[f"{layer}.lambda_proj.bias"].astype(float))
    slope = numpy.linalg.norm(weights[f"{layer}.lambda_proj.weight"].astype(float), axis=1)
    return [f"{turned.mean():.1f}", f"{abs(turned - 90).max():.1f}", f"{share.min():.4f} .. {share.max():.4f}",
            f"{slope.mean():.3f}"]


def noise(campaign, arm, gated):
    """Mean and largest share of noise of each layer on a text, seeing every key; None without PyTorch."""
    path = campaign.store.path(f"{plan.known_as(campaign.store, campaign.model(arm))}/noise.json")
    if path.exists():
        return json.loads(path.read_text())
    try:
        import torch
        from byte_coda import checkpoint
    except ImportError as missing:
        campaign.store.missing.append(f"{path}: no {missing.name}")
        return None
    text, skip = plan.texts()[campaign.text]
    model, shares = checkpoint.load(campaign.model(arm), True, gated), []
    for layer in model.layers:
        layer.self_attn.lambda_proj.register_forward_hook(lambda _, __, logits: shares.append(logits.sigmoid()))
    with torch.no_grad():
        model(torch.tensor(list(text.read_bytes()[skip:skip + TOKENS]))[None])
    found = [[share.mean().item(), share.max().item()] for share in shares]
    campaign.store.put(path.relative_to(campaign.store.folder), json.dumps(found))
    return found


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
        differential, gated = (f"model.layers.0.self_attn.{name}" in weights for name in ("theta", "write_proj.bias"))
        shares = noise(campaign, arm, gated) if differential else None
        for number in range(config["num_hidden_layers"]):
            layer = f"model.layers.{number}.self_attn"
            if differential:
                on_text = [f"{share:.4f}" for share in shares[number]] if shares else ["", ""]
                lines.append([f"{arm}: layer {number}", *angles(layer, weights), *on_text])
            if gated and (cells := gates(campaign, arm, number, config["num_key_value_heads"])):
                blend = sigmoid(weights[f"{layer}.summary_eta_logit"].astype(float))
                opened.append([f"{arm}: layer {number}", *cells, ", ".join(f"{x:.3f}" for x in blend)])
    yield ["", "mean angle", "furthest from 90", "share of noise at bias", "norm of its weights", "its mean on a text",
           "its largest"], lines
    heads = len(opened[0]) - 2 if opened else 0
    yield ["", *(f"head {head}, seeing every key: mean gate, below 0.1" for head in range(heads)), "blend"], opened
