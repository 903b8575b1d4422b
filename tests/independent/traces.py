"""Adversarial traces."""
from random import Random

from floats import DTYPE
from macro_rows import MacroMaker
from residual import Prod
from safetensors import Tensor
from split import Split
from two_part_rows import ProdMaker, SplitMaker


def make(macro, seed, keys, queries):
    """-> (tensors, metadata) of a trace: every kind in turn, a fresh draw each time."""
    maker = {Prod: ProdMaker, Split: SplitMaker}.get(type(macro), MacroMaker)(macro, Random(seed))

    def tensor(count, kinds):
        rows = [kinds[i % len(kinds)]() for i in range(count)]
        return Tensor.pack(DTYPE[macro.form], [count, macro.d], [raw for row in rows for raw in row])

    tensors = {"keys": tensor(keys, maker.keys()), "queries": tensor(queries, maker.queries())}
    return tensors, {"model": "random", "text": f"seed {seed}"}
