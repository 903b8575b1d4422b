"""Cases whose inputs are damaged at random: cut, flipped, spliced, or with one number or word replaced."""

import functools
import pathlib
import random
import re
import struct

import commands

EXTREMES = (
    *b'0 -1 1e999 -1e999 NaN 18446744073709551616 9223372036854775807 2147483648 0.5'.split(),
    *b'null [] {} "" true'.split(), b"1" * 400, b'"\\u0000"', b"[[[[]]]]",
)
INTEGERS_AND_FLOATS = (
    b"\xff" * 4, b"\x00" * 4, b"\xff\xff\xff\x7f", b"\x00\x00\x80\x7f", b"\x00\x00\xc0\x7f",
    b"\x00\x7c\x00\xfc", b"\x00\x00\x00\x80" * 2,
)
TARGETS = (  # file, a command that reads it
    ("config.yaml", commands.RUN),
    ("config.yaml", commands.GENERATE),
    ("config.yaml", commands.PERPLEXITY),
    ("trace.safetensors", commands.RUN),
    ("trace.safetensors", commands.FAULTS),
    ("trace.safetensors", commands.REPORT),
    ("small.lib", commands.SRAM),
    ("small.lef", commands.SRAM),
    ("points.yaml", commands.TABLE),
    ("shape.yaml", commands.REPORT_TIERS),
    ("sweep.yaml", commands.SWEEP),
    ("signs.safetensors", commands.RUN),
    ("center.safetensors", commands.RUN),
    ("balance.safetensors", commands.RUN_BALANCED),
    ("balance.safetensors", commands.BALANCED),
    ("balance.safetensors", commands.FOLD),
    ("weights.safetensors", commands.CALIBRATE_TIERS),
    ("model/config.json", commands.CAPTURE),
    ("model/config.json", commands.STRESS),
    ("model/model.safetensors", commands.CAPTURE),
    ("model/model.safetensors", commands.PERPLEXITY),
    ("model/model.safetensors", commands.STRESS),
    ("words/tokenizer.json", commands.WORDS),
    ("words/tokenizer.json", commands.TOKENIZER),
    ("model.gguf", commands.CONVERT),
    ("model.gguf", commands.CONVERT),
    ("model.gguf", commands.BLOCKS),
    ("text.txt", commands.WORDS),
    ("model.bin", commands.TOKENS),
    ("tokens.safetensors", commands.TOKENS),
    ("pieces.bin", commands.PIECES),
    ("pieces-model.bin", commands.PIECES),
)


def cut(content, draw):
    return content[: draw.randrange(len(content))]


def flip(content, draw):
    changed = bytearray(content)
    for _ in range(draw.choice((1, 1, 2, 16))):
        # Half of the flips meet the beginning, where headers are.
        at = draw.randrange(min(len(content), 64) if draw.random() < 0.5 else len(content))
        changed[at] ^= 1 << draw.randrange(8)
    return bytes(changed)


def splice(content, draw):
    a, b, c = sorted(draw.randrange(len(content)) for _ in range(3))
    return content[:a] + content[b:c] + content[a:]


def drop(content, draw):
    a = draw.randrange(len(content))
    return content[:a] + content[a + draw.choice((1, 2, 4, 100)) :]


def junk(content, draw):
    return content + draw.randbytes(draw.choice((1, 8, 4096)))


def word(content, draw):
    """One number, or one quoted text of a document or header replaced by an extreme."""
    length = struct.unpack_from("<Q", content)[0] if content[8:9] == b"{" else 0
    head = content[8 : 8 + length] if length else content[:65536]
    found = list(re.finditer(rb'(?<![\w.])-?\d+(?:\.\d+)?|"[^"]*"', head))
    if not found:
        return flip(content, draw)
    match = draw.choice(found)
    head = head[: match.start()] + draw.choice(EXTREMES) + head[match.end() :]
    return struct.pack("<Q", len(head)) + head + content[8 + length :] if length else head + content[65536:]


def number(content, draw):
    """Four or eight bytes that are an extreme integer or float, aligned."""
    at = draw.randrange(0, max(len(content) - 8, 1), 4)
    value = draw.choice(INTEGERS_AND_FLOATS)
    return content[:at] + value + content[at + len(value) :]


WAYS = (cut, flip, splice, drop, junk, word, word, number)


def damage(folder, name, seed):
    draw = random.Random(seed)
    path = pathlib.Path(folder) / name
    content = path.read_bytes()
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        content = draw.choice(WAYS)(content, draw) or b"\0"
    path.write_bytes(content)


def case(seed, index):
    name, command = TARGETS[index % len(TARGETS)]
    folder = name.split("/")[0]
    # A damaged configuration can be valid and disagree with the trace: the message then names the trace and speaks
    # of the configuration.
    disagrees = ("the configuration",) if name == "config.yaml" else ()
    return command.case(
        "damage", f"{name}/{index}", command.line(),
        functools.partial(damage, name=name, seed=f"{seed}/{index}"), outputs=command.written(),
        mentions=(name, folder, "signs", "center", "text", "window", *disagrees))
