"""The state file of the memories of a model (contract: state file)."""
import hashlib
import re
import struct
from dataclasses import dataclass, replace

import memory_parameters
import memory_tensors
import safetensors
from memory import Memory
from safetensors import Tensor

FORMAT, VERSION = "axelram-memory", "1"
NAMES = ("format", "version", "tokens", "content", "memory", "numerics", "model", "signs")


@dataclass
class Model:
    """What a state belongs to. `records`: of each KV head of each layer."""
    records: list
    parameters: memory_parameters.Parameters
    hidden: int  # numbers of a hidden state
    numerics: str
    digest: str  # of the checkpoint
    signs: str  # digest
    limit: int = 2 ** 31  # the longest position
    blend: list = None  # H of each KV head of each layer, where the checkpoint decides
    pairing: str = "half"

    def memory(self, layer, head, errors=None):
        """-> an empty one."""
        blend = self.blend[layer][head] if self.blend else None
        return Memory(self.records[layer][head], self.parameters, blend, self.limit, errors, self.pairing)

    def lead(self):
        return [len(self.records), len(self.records[0])]

    def heads(self):
        """-> (layer, KV head, Records) in order."""
        return [(i, j, records) for i, layer in enumerate(self.records) for j, records in enumerate(layer)]


def numerics(c):
    """The metadata of that name, of a configuration."""
    names = ("head_dim", "index_bits", "significand_bits", "boundary_fraction_bits", "query_bits", "centroid_bits", "codebook", "code",
             "erasure")
    return ",".join(f"{name}={c[name]}" for name in names)


def checkpoint_digest(tensors, config):
    """tensors: {name: Tensor}; config: the bytes of config.json."""
    total = hashlib.sha256()
    for name in sorted(tensors, key=str.encode):
        tensor = tensors[name]
        total.update(b"\0".join([name.encode(), tensor.dtype.encode(), ",".join(map(str, tensor.shape)).encode(), tensor.data]))
    total.update(config)
    return total.hexdigest()


def signs_digest(signs, centers=(), exponents=()):
    """Rows of all layers and KV heads; centers as FP16 bits."""
    rows = [("b", row) for row in signs] + [("H", row) for row in centers] + [("b", row) for row in exponents]
    return hashlib.sha256(b"".join(struct.pack(f"<{len(row)}{code}", *row) for code, row in rows)).hexdigest()


def content(tensors):
    return hashlib.sha256(b"".join(tensor.data for tensor in tensors.values())).hexdigest()


def make(model, memories, hidden):
    """memories: in order of layer and KV head; hidden: FP32 bits -> (tensors, metadata)."""
    p = model.parameters
    if p.store == "f32":
        raise ValueError("memory.store: f32 has no state")
    tensors = memory_tensors.pack(model.lead(), p, model.records[0][0], [memory_tensors.moment(memory) for memory in memories])
    tensors["hidden"] = Tensor.pack("F32", [model.hidden], hidden)
    return tensors, {"format": FORMAT, "version": VERSION, "tokens": f"{memories[0].tokens:010}", "content": content(tensors),
                     "memory": p.text(), "numerics": model.numerics, "model": model.digest, "signs": model.signs}


def write(path, model, memories, hidden, force=False):
    safetensors.write(path, *make(model, memories, hidden), force)


def equal(where, name, found, want):
    if found != want:
        raise ValueError(f"{where}: metadata {name}: {found!r}, must be {want!r}")


def check_parameters(where, found, p):
    for name, want in vars(p).items():
        value = getattr(found, name)
        if value > want if name in ("exact", "summary") else value != want:
            raise ValueError(f"{where}: metadata memory: {name} is {value}, "
                             f"must be {'at most ' * (name in ('exact', 'summary'))}{want}")


def read(path, model, errors=None):
    """-> (memories in order of layer and KV head, FP32 bits of the hidden state). The first thing wrong is named."""
    try:
        tensors, metadata = safetensors.read(path)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: not a safetensors file: {error}") from None
    p = model.parameters
    for name, want in (("format", FORMAT), ("version", VERSION)):
        equal(path, name, metadata.get(name), want)
    wanted = [*memory_tensors.names(p), "hidden"]
    for what, found, names in (("metadata", metadata, NAMES), ("tensor", tensors, wanted)):
        for name in [*names, *found]:
            if name not in found or name not in names:
                raise ValueError(f"{path}: {what} {name}: {'missing' if name in names else 'unknown'}")
    try:
        old = memory_parameters.parse_text(metadata["memory"])
    except ValueError as error:
        raise ValueError(f"{path}: metadata {error}") from None
    records = model.heads()[0][2]
    moments = memory_tensors.unpack(path, tensors, model.lead(), replace(old, store=p.store), records)
    if (tensors["hidden"].dtype, tensors["hidden"].shape) != ("F32", [model.hidden]):
        raise ValueError(f"{path}: tensor hidden: {tensors['hidden'].dtype} {tensors['hidden'].shape}, must be F32 [{model.hidden}]")
    for name, want in (("model", model.digest), ("signs", model.signs), ("numerics", model.numerics)):
        equal(path, name, metadata[name], want)
    check_parameters(path, old, p)
    if not re.fullmatch("[0-9]{10}", metadata["tokens"]) or int(metadata["tokens"]) > model.limit:
        raise ValueError(f"{path}: metadata tokens: {metadata['tokens']!r}, must be ten digits, at most {model.limit}")
    equal(path, "content", metadata["content"], content(tensors))
    tokens, memories = int(metadata["tokens"]), []
    for (layer, head, own), one in zip(model.heads(), moments):
        memory_tensors.check(f"{path}: layer {layer}, KV head {head}", one, old, own, tokens)
        memories.append(memory_tensors.restore(model.memory(layer, head, errors), one, old, tokens))
    hidden = list(tensors["hidden"].values())
    for i, raw in enumerate(hidden):
        if raw >> 23 & 255 == 255 or not tokens and raw:
            raise ValueError(f"{path}: tensor hidden, element {i}: must be {'finite' if tokens else '0'}")
    return memories, hidden
