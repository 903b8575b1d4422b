"""Cases whose inputs are broken, extreme, or no files at all."""

import functools
import json
import os
import pathlib
import re
import socket
import struct

import commands
import documents
import exponents
import material
import model_keys
from process import Case

# ---- Something else in the place of an input


def socket_at(path):
    socket.socket(socket.AF_UNIX).bind(os.path.relpath(path))


def unreadable(path, kept):
    kept.rename(path)
    path.chmod(0)


def sparse(path):
    path.touch()
    os.truncate(path, 1 << 32)


# Replacements of an input. The file or folder that was there is kept beside it.
ODD = {
    "missing": lambda path, kept: kept.rename(path.with_name("elsewhere")),
    "empty": lambda path, _: path.touch(),
    "directory": lambda path, _: path.mkdir(),
    "fifo": lambda path, _: os.mkfifo(path),
    "socket": lambda path, _: socket_at(path),
    "dangling": lambda path, _: path.symlink_to("nowhere"),
    "loop": lambda path, _: path.symlink_to(path.name),
    "unreadable": unreadable,
    "sparse": lambda path, _: sparse(path),
    **{target: lambda path, _, target=target: path.symlink_to(target)
       for target in ("/dev/full", "/dev/null", "/dev/zero", "/dev/tty", "/proc/self/mem", "/etc")},
}


def odd(kind, folder, name):
    """Puts an odd thing where the file or folder `name` of the material was."""
    path = pathlib.Path(folder) / name
    ODD[kind](path, path.rename(path.with_name("kept-" + path.name)))


# Empty and endless files are valid texts or configurations in some places.
HARMLESS = {
    "config.yaml": ("trace.safetensors", "window"),
    "plain.yaml": ("trace.safetensors", "model"),
    "balanced.yaml": ("trace.safetensors",),
    "text.txt": (),
    "sram.yaml": (),
    "table.yaml": (),
}
# Commands that read no more than the beginning of a text.
BEGINNING = (commands.PERPLEXITY, commands.CAPTURE, commands.RATIO)


def odd_files():
    for command in commands.COMMANDS:
        for name in command.inputs:
            for kind in ODD:
                # A text is read whole unless a number of tokens is named, and a tokenizer reads it in any case.
                if kind == "sparse" and name == "text.txt" and command not in BEGINNING:
                    continue
                yield command.case(
                    "odd", f"{name}/{kind.replace('/', '-')}", command.line(),
                    functools.partial(odd, kind, name=name), {0, 2, 3} if name in HARMLESS else {2, 3},
                    mentions=(name, *HARMLESS.get(name, ())), outputs=command.written(),
                    unprivileged=kind == "unreadable")


NAMES = {
    "newline": b"a\nb",
    "dash": b"-x",
    "invalid": b"a\xff\xfe",
    "control": b"a\x1b[31m",
    "space": b"a b ",
    "quote": b"a'\"`$(b)",
    "long": b"n" * 255,
    "unicode": "ключ🔑".encode(),
    "comma": b"a,b=c;d:e",
    "percent": b"%s%n%d",
    "dots": b"...",
    "backslash": b"a\\b",
}


def renamed(folder, name, other):
    path = os.path.join(os.fsencode(folder), os.fsencode(name))
    os.rename(path, os.path.join(os.fsencode(folder), other))


def odd_names():
    """Valid inputs under odd names are read; missing ones under odd names are reported in one line."""
    for command in (commands.RUN, commands.GENERATE, commands.FAULTS, commands.WORDS,
                    commands.PERPLEXITY, commands.CAPTURE, commands.STRESS, commands.CONVERT):
        for name in (name for name in command.inputs if name in command.arguments):
            for kind, other in NAMES.items():
                line = command.line({name: b"./" + other if kind == "dash" else other})
                rename = functools.partial(renamed, name=name, other=other)
                yield command.case("name", f"{name}/{kind}", line, rename, outputs=command.written())
                yield command.case("no-name", f"{name}/{kind}", line, codes={2})


# ---- Numbers at the limits of keys

NUMBERS = (
    *"-1 0 1 2 3 31 33 64 255 256 65536 16777216 16777217 4294967296".split(),
    *"9223372036854775808 18446744073709551615 18446744073709551616 1e3 1e999 .nan .inf".split(),
    *"-0 007 0x10 1_000 12.5 ~ '' [] {} true *a".split(), "!!int 5", "٣", "&a 5", "<<", "|",
)
GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs/reference/programmers-guide.md"


def config_keys():
    """(section, name) of each key in the table of the guide, which test_files compares with the
    program."""
    table = GUIDE.read_text().split("config-keys -->")[1]
    return re.findall(r"^\| `(\w+)\.(\w+)`", table, re.M)


def config_numbers():
    for section, key in config_keys():
        for value in NUMBERS:
            text = f"{section}: {{{key}: {value}}}\n".encode()
            yield Case(f"key/{section}.{key}/{value}", ["report", "c.yaml"],
                       functools.partial(material.put, name="c.yaml", content=text),
                       mentions=("c.yaml", key, f"section {section}:"))


# ---- Headers of safetensors files


def tensor(**changes):
    entry = {"dtype": "F16", "shape": [40, 32], "data_offsets": [0, 2560]}
    return {**entry, **changes}


def edited(folder, name, key, entry):
    path = pathlib.Path(folder) / name
    header, data = material.split(path.read_bytes())
    described = json.loads(header)
    described[key] = entry
    path.write_bytes(material.from_header(json.dumps(described).encode(), data))


ENTRIES = {
    "type": tensor(dtype="F64"),
    "type-unknown": tensor(dtype="Q4"),
    "type-control": tensor(dtype="\x1b[2J"),
    "type-number": tensor(dtype=5),
    "shape": tensor(shape=[32, 40]),
    "shape-empty": tensor(shape=[]),
    "shape-zero": tensor(shape=[0, 32], data_offsets=[0, 0]),
    "shape-negative": tensor(shape=[-40, -32]),
    "shape-huge": tensor(shape=[2**62, 4]),
    "shape-wrap": tensor(shape=[2**33, 2**31, 1280]),
    "shape-float": tensor(shape=[40.0, 32]),
    "shape-text": tensor(shape="40"),
    "shape-rank": tensor(shape=[1] * 10000 + [1280]),
    "offsets-order": tensor(data_offsets=[2560, 0]),
    "offsets-beyond": tensor(data_offsets=[0, 10**15]),
    "offsets-negative": tensor(data_offsets=[-1, 2559]),
    "offsets-one": tensor(data_offsets=[0]),
    "offsets-max": tensor(data_offsets=[2**64 - 1, 2**64 - 1]),
    "offsets-wrap": tensor(data_offsets=[2**64, 2560]),
    "null": None,
    "number": 1,
    "empty": {},
    "nan": tensor(shape=[float("nan"), 1]),
}


TENSORS = (
    ("trace", commands.RUN, "trace.safetensors", "keys"),
    ("signs", commands.RUN, "signs.safetensors", "signs"),
    ("model", commands.CAPTURE, "model/model.safetensors", "model.norm.weight"),
    ("tokens", commands.TOKENS, "tokens.safetensors", "tokens"),
    ("weights", commands.CALIBRATE_TIERS, "weights.safetensors", "keys"),
)
LENGTHS = (0, 1, 7, 2**16, 2**31, 2**32, 2**40, 2**63 - 1, 2**63, 2**64 - 8, 2**64 - 1)
WITH_LENGTHS = (
    ("trace.safetensors", commands.RUN), ("center.safetensors", commands.RUN),
    ("model/model.safetensors", commands.STRESS), ("tokens.safetensors", commands.TOKENS),
    ("weights.safetensors", commands.CALIBRATE_TIERS),
)


def headers():
    for kind, entry in ENTRIES.items():
        for tensor, command, name, key in TENSORS:
            edit = functools.partial(edited, name=name, key=key, entry=entry)
            yield Case(f"tensor/{tensor}/{kind}", command.line(), edit, frozenset({2}), (name,))
    for length in LENGTHS:
        for name, command in WITH_LENGTHS:
            write = functools.partial(lengthened, name=name, length=length)
            yield Case(f"length/{name.replace('/', '-')}/{length}", command.line(), write,
                       frozenset({2}), (name,))


def lengthened(folder, name, length):
    path = pathlib.Path(folder) / name
    path.write_bytes(struct.pack("<Q", length) + path.read_bytes()[8:])


def cases():
    for part in (odd_files, odd_names, config_numbers, documents.cases, exponents.cases, model_keys.cases, headers):
        yield from part()
