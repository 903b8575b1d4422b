"""The result file: order and types of its tensors, and its metadata."""
import pathlib
import re

from safetensors import Tensor

CONTRACT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "reference" / "bit-contract.md"


def tensors():
    """{name: element type} of the tables of a result, in their order; of `outputs` that of the first row."""
    text = CONTRACT.read_text().split('<a id="result"></a>')[1].split("The metadata strings")[0]
    types = {}
    for name, dtype in re.findall(r"^\| `(\w+)` \| ([A-Z]+\d+) \| \[", text, re.M):
        types.setdefault(name, dtype)
    return types


TENSORS = tensors()


def pack(named, **types):
    """{name: (shape, values)} -> {name: tensor} in the order of the file; types other than those above by name."""
    assert set(named) <= set(TENSORS)
    return {name: Tensor.pack(types.get(name, dtype), *named[name]) for name, dtype in TENSORS.items() if name in named}


def joined(lists):
    """Numbers separated by commas; lists, one for each sub-vector, by semicolons."""
    return ";".join(",".join(map(str, numbers)) for numbers in lists)


def double(value):
    return f"{float(value):.17g}"
