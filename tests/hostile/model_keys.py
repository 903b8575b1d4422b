"""Cases whose models leave out a key or have null for it, as files of other tools do."""

import functools
import json
import pathlib

import commands
import material
from process import Case

NEEDED = (  # by llama.cpp, of material.gguf
    "context_length", "embedding_length", "block_count", "feed_forward_length", "attention.head_count",
    "attention.layer_norm_rms_epsilon",
)
OPTIONAL = ("attention.head_count_kv", "rope.freq_base")


def change_config(folder, key, value=...):
    path = pathlib.Path(folder) / "model/config.json"
    config = json.loads(path.read_text())
    del config[key]
    path.write_text(json.dumps(config if value is ... else config | {key: value}))


def rename_key(folder, key):
    """Makes a key of whoever wrote the file of a key of the architecture: it is not there then."""
    path = pathlib.Path(folder) / "model.gguf"
    name = f"llama.{key}".encode()
    content = path.read_bytes()
    at = content.index(len(name).to_bytes(8, "little") + name) + 8
    path.write_bytes(content[:at] + b"other" + content[at + 5 :])


def cases():
    for key in material.architecture(256):
        for group, value in (("absent", ...), ("null", None)):
            change = functools.partial(change_config, key=key, value=value)
            yield commands.CAPTURE.case(
                group, f"model/{key}", commands.CAPTURE.line(), change, {0, 2}, mentions=("model",),
                outputs=commands.CAPTURE.written())
    for key in (*NEEDED, *OPTIONAL):
        codes = frozenset({2} if key in NEEDED else {0})
        yield Case(f"absent/gguf/{key}", commands.BLOCKS.line(), functools.partial(rename_key, key=key), codes,
                   (f"llama.{key}",), commands.BLOCKS.written())
