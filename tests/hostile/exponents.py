"""Cases whose exponents and factors of balance are wrong in one place: the message says what, where, and what is right."""

import functools
import json
import pathlib
import struct

import commands
import material
from process import Case

FILE = "balance.safetensors"


def described(folder, name, change):
    """Changes the header of a file, and its data: change(header, data) -> data."""
    path = pathlib.Path(folder) / name
    header, data = material.split(path.read_bytes())
    header = json.loads(header)
    data = change(header, data)
    path.write_bytes(material.from_header(json.dumps(header).encode(), data))


def with_entry(header, data, tensor, name=None, **fields):
    """The tensor has another name, or other fields of its entry."""
    header[name or tensor] = header.pop(tensor) | fields
    return data


def with_number(header, data, tensor, at, code, value):
    """The tensor has another element."""
    place = header[tensor]["data_offsets"][0] + at * struct.calcsize(code)
    packed = struct.pack("<" + code, value)
    return data[:place] + packed + data[place + len(packed) :]


def entry(tensor, **changes):
    return functools.partial(with_entry, tensor=tensor, **changes)


def number(tensor, at, code, value):
    return functools.partial(with_number, tensor=tensor, at=at, code=code, value=value)


def fewer_layers(header, data):
    """The exponents and factors of one layer alone."""
    header["balance"] = {"dtype": "I8", "shape": [1, 1, 32], "data_offsets": [0, 32]}
    header["lambdas"] = {"dtype": "F32", "shape": [1, 1, 16], "data_offsets": [32, 96]}
    return data[:32] + data[64:128]


def truncated(header, data):
    return data[:-5]


def empty(header, data):
    """No layers."""
    header["balance"] = {"dtype": "I8", "shape": [0, 1, 32], "data_offsets": [0, 0]}
    header["lambdas"]["data_offsets"] = [0, 128]
    return data[64:]


# Name, change of the file, words of the message: of exponents, and of the factors of fold.
EXPONENTS = (
    ("type", entry("balance", dtype="U8"), ("tensor balance: dtype is U8; it must be I8",)),
    ("rank", entry("balance", shape=[2, 32]), ("tensor balance: shape is [2, 32]; it must have",)),
    ("width", entry("balance", shape=[2, 2, 16]), ("shape is [2, 2, 16]; it must be [layers, heads, 32]",)),
    ("missing", entry("balance", name="exponents"), ("no tensor 'balance'; the file holds", "exponents")),
    ("above", number("balance", 37, "b", 8), ("tensor balance, layer 1, head 0, element 5: 8", "lie in -8..7")),
    ("below", number("balance", 63, "b", -9), ("tensor balance, layer 1, head 0, element 31: -9", "lie in -8..7")),
    ("largest", number("balance", 32, "b", 127), ("tensor balance, layer 1, head 0, element 0: 127", "lie in -8..7")),
    ("least", number("balance", 32, "b", -128), ("tensor balance, layer 1, head 0, element 0: -128", "lie in -8..7")),
    ("truncated", truncated, (FILE,)),
)
FACTORS = (
    ("type", entry("lambdas", dtype="I32"), ("tensor lambdas: dtype is I32; it must be F32",)),
    ("rank", entry("lambdas", shape=[32]), ("tensor lambdas: shape is [32]; it must have",)),
    ("width", entry("lambdas", shape=[2, 2, 8]), ("2 layers of 2 heads of 8 pairs; the model has 2 of 1 of 16",)),
    ("missing", entry("lambdas", name="factors"), ("no tensor 'lambdas'; the file holds", "factors")),
    ("nan", number("lambdas", 17, "f", float("nan")), ("layer 1, head 0, pair 1: nan; it must lie in 1e-6..1e6",)),
    ("infinite", number("lambdas", 3, "f", float("inf")), ("layer 0, head 0, pair 3: inf; it must lie in 1e-6..1e6",)),
    ("zero", number("lambdas", 0, "f", 0.0), ("layer 0, head 0, pair 0: 0", "it must lie in 1e-6..1e6")),
    ("negative", number("lambdas", 31, "f", -1.0), ("layer 1, head 0, pair 15: -1", "it must lie in 1e-6..1e6")),
    ("layers", fewer_layers, ("1 layers of 1 heads of 16 pairs; the model has 2 of 1 of 16",)),
    ("truncated", truncated, (FILE,)),
)
# Further changes, of which one command says something of its own.
OWN = (
    (commands.RUN_BALANCED, "layers", fewer_layers, ("holds 1 layers; layer 1 of the configuration",)),
    (commands.RUN_BALANCED, "empty", empty, ("holds 0 layers; layer 1 of the configuration",)),
    (commands.BALANCED, "layers", fewer_layers, ("it has 1 layers of 1 KV heads, the model 2 of 1", "made for this model")),
    (commands.BALANCED, "empty", empty, ("it has 0 layers of 1 KV heads, the model 2 of 1", "made for this model")),
)


def files():
    for command in (commands.RUN_BALANCED, commands.BALANCED):
        for name, change, words in EXPONENTS:
            yield command, name, change, words
    for name, change, words in FACTORS:
        yield commands.FOLD, name, change, words
    yield from OWN


# Centers and moments say what exponents they were made for.
DIGEST = "ab" * 32
CENTER = b"macro: {head_dim: 32}\nrotation: {center: center.safetensors%s}\n"
MADE_FOR = (  # name, digest in the center, exponents in the configuration, words
    ("balanced", DIGEST, b"", ("made for keys and queries that are balanced (balance_sha256 abababababab...)", "give balance")),
    ("plain", "", b", balance: balance.safetensors",
     ("made for keys and queries that are not balanced", FILE, "calibrate it with these exponents")),
    ("other", DIGEST, b", balance: balance.safetensors",
     ("made for other exponents than those of", FILE, "calibrate it with these exponents")),
)


def put_center(folder, digest, balance):
    material.put(folder, "config.yaml", CENTER % balance)
    path = pathlib.Path(folder) / "center.safetensors"
    header, data = material.split(path.read_bytes())
    header = json.loads(header) | {"__metadata__": {"balance_sha256": digest} if digest else {}}
    path.write_bytes(material.from_header(json.dumps(header).encode(), data))


def put_moments(folder, digest, balance):
    material.put(folder, "config.yaml", b"macro: {head_dim: 32}\nquantizer: {scale: unbiased}\n" + (
        b"rotation: {%s}\n" % balance[2:] if balance else b""))
    unit = struct.pack("<32f", 1, *[0] * 31)
    material.put(folder, "moments.safetensors", material.safetensors(
        {"directions": ("F32", (2, 1, 32), unit * 2), "alphas": ("F32", (2, 1), struct.pack("<2f", 3, 3))},
        {"balance_sha256": digest} if digest else None))


def cases():
    for command, name, change, words in files():
        yield command.case("exponents", name, command.line(), functools.partial(described, name=FILE, change=change), {2},
                           mentions=(FILE,), says=words)
    fed = commands.PERPLEXITY.line({"config.yaml": "config.yaml,encoder=feedback:moments.safetensors"})
    encoded = commands.RUN.line(options=["--encoder", "feedback:moments.safetensors"])
    for name, digest, balance, words in MADE_FOR:
        for what, put, file, line in (("center", put_center, "center.safetensors", commands.PERPLEXITY.line()),
                                      ("moments", put_moments, "moments.safetensors", fed),
                                      ("run-center", put_center, "center.safetensors", commands.RUN.line()),
                                      ("run-moments", put_moments, "moments.safetensors", encoded)):
            if what == "run-center" and not digest:  # a user may have made it
                continue
            yield Case(f"exponents/{what}/{name}", line, functools.partial(put, digest=digest, balance=balance),
                       frozenset({2}), (file,), says=words)
