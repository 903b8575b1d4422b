"""Adversarial traces."""
from random import Random

from attention_macro import AttentionMacro
from command_rows import CommandMaker
from floats import DTYPE
from macro_rows import MacroMaker
from residual import Prod
from safetensors import Tensor
from segments import COLUMNS
from split import Split
from two_part_rows import ProdMaker, SplitMaker
from value_rows import ValueMaker


def make(macro, seed, keys, queries):
    """-> (tensors, metadata) of a trace: every kind in turn, a fresh draw each time. With attention, odd seeds have commands."""
    random = Random(seed)
    maker = {Prod: ProdMaker, Split: SplitMaker, AttentionMacro: ValueMaker}.get(type(macro), MacroMaker)(macro, random)
    commands = isinstance(macro, AttentionMacro) and seed % 2
    if commands:
        queries += -queries % macro.group
    else:
        keys = min(keys, macro.max_keys)

    def tensor(rows):
        return Tensor.pack(DTYPE[macro.form], [len(rows), macro.d], [raw for row in rows for raw in row])

    def in_turn(count, kinds):
        return tensor([kinds[i % len(kinds)]() for i in range(count)])

    tensors = {"keys": in_turn(keys, maker.keys()), "queries": in_turn(queries, maker.queries())}
    if isinstance(macro, AttentionMacro):
        tensors["values"] = tensor(maker.values(keys))
    if commands:
        rows = CommandMaker(macro, random).make(keys, queries // macro.group)
        tensors["commands"] = Tensor.pack("I32", [len(rows), COLUMNS], [number for row in rows for number in row])
    return tensors, {"model": "random", "text": f"seed {seed}"}
