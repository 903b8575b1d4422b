"""The device that a model is trained on."""

import torch


def add_argument(parser):
    parser.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])


def chosen(name):
    """`auto` is a GPU if there is one."""
    if name != "auto":
        return name
    return "cuda" if torch.cuda.is_available() else "cpu"
