"""Arguments that the trainers share, and how they end."""

import argparse
import os
import pathlib
import sys

import torch

from byte_llama import checkpoint


def fail(message):
    print(f"{pathlib.Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(2)


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is not above 0")
    return value


def not_negative(text):
    value = float(text)
    if not value >= 0:
        raise argparse.ArgumentTypeError(f"{text} is no number from 0 on")
    return value


class Parser(argparse.ArgumentParser):
    def __init__(self, description):
        super().__init__(
            description=description, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        out = "folder of the checkpoint"
        self.add_argument("out", metavar="OUT", type=pathlib.Path, help=out)

    def number(self, name, default, what, kind=positive):
        self.add_argument(name, type=kind, default=default, help=f"{what} ({default})")

    def machine(self, seed="seed of the batches"):
        self.number("--seed", 1, seed, int)
        self.number("--threads", os.cpu_count(), "CPU threads")
        self.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])
        self.add_argument("--force", action="store_true", help="write over a checkpoint")


def prepare(options):
    """Before hours are spent: whether OUT can be written; then threads, seed and device."""
    options.out = options.out.resolve()
    if reason := checkpoint.obstacle(options.out, options.force):
        fail(reason)
    if options.device == "auto":  # a GPU if there is one
        options.device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
