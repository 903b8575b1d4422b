"""Texts to train on, and the loss on what is held out of them."""

import math
import os
import pathlib

import torch

STANDARD_MIX = ["shakespeare.txt:0.9", "warpeace.txt:0.95", "wikitext2-valid.txt"]
STANDARD_HELD_OUT = ["wikitext2-raw-test.txt"]


class Wrong(Exception):
    """A text that cannot be read, or a bad share of one."""


def read_text(entry, folder):
    """Name, trained part and held-out part of FILE[:FRACTION]."""
    name, _, fraction = entry.rpartition(":")
    if not name:
        name, fraction = entry, "1"
    try:
        share = float(fraction)
    except ValueError:
        share = math.nan
    if not 0 < share <= 1:
        raise Wrong(f"--text {entry}: the fraction is a number above 0, at most 1")
    path = pathlib.Path(name)
    if not path.exists():
        path = folder / name
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Wrong(
            f"{path}: {error.strerror}; its folder is --data, or $AXELRAM_DATA/text"
        ) from None
    cut = int(len(content) * share)
    return path.stem, content[:cut], content[cut:]


def read_texts(options):
    """Bytes to train on, and held-out bytes by name."""
    texts = [read_text(entry, options.data) for entry in options.text or STANDARD_MIX]
    held_out = {name: rest for name, _, rest in texts}
    for entry in options.held_out if options.text else STANDARD_HELD_OUT + options.held_out:
        name, content, _ = read_text(entry, options.data)
        held_out[name] = content
    train = b"".join(part for _, part, _ in texts)
    if len(train) <= options.context + 1:
        raise Wrong(f"the texts have {len(train)} bytes to train on; more than --context is needed")
    return train, {name: rest for name, rest in held_out.items() if len(rest) > options.context}


def tensor(content, device):
    return torch.frombuffer(bytearray(content), dtype=torch.uint8).to(device)


def told(model, text, held_out, options):
    """Both on the device; says how much there is."""
    size = sum(p.numel() for p in model.parameters())
    print(f"{size} parameters, {len(text)} bytes to train on, {options.device}", flush=True)
    held_out = {name: tensor(content, options.device) for name, content in held_out.items()}
    return tensor(text, options.device), held_out


def batch(text, options, generator):
    """Windows of a text at random places, and the bytes that follow each of theirs."""
    begins = len(text) - options.context
    begin = torch.randint(begins, (options.batch, 1), generator=generator)
    part = text[(begin + torch.arange(options.context + 1)).to(text.device)].long()
    return part[:, :-1], part[:, 1:]


@torch.no_grad()
def evaluate(model, held_out, options):
    """Mean nats per byte over the first bytes of each text, in windows that share nothing."""
    losses = {}
    for name, content in held_out.items():
        windows = min(options.held_out_bytes, len(content) - 1) // options.context
        size = windows * options.context
        tokens = content[:size].long().view(windows, -1)
        following = content[1 : size + 1].long().view(windows, -1)
        batches = zip(tokens.split(options.batch), following.split(options.batch))
        losses[name] = sum(model.loss(x, y).item() * len(x) for x, y in batches) / windows
    return losses


def report(title, losses):
    values = ", ".join(f"{name} {loss:.4f}" for name, loss in losses.items())
    print(f"{title}: held-out nats per byte: {values or 'nothing held out'}", flush=True)


def add_arguments(parser):
    """Which texts, and the folder that names are looked for in."""
    data = os.environ.get("AXELRAM_DATA")
    data = pathlib.Path(data) / "text" if data else pathlib.Path(".")
    mix = ", ".join(STANDARD_MIX)
    parser.add_argument(
        "--text", nargs="+", metavar="FILE[:FRACTION]", help=f"texts to train on ({mix})"
    )
    parser.add_argument(
        "--held-out", nargs="+", default=[], metavar="FILE", help="texts to test on, besides rests"
    )
    parser.add_argument(
        "--data", type=pathlib.Path, default=data, help="folder of texts ($AXELRAM_DATA/text)"
    )
