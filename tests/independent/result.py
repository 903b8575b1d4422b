"""The result file: order and types of its tensors, and its metadata."""
from safetensors import Tensor

TENSORS = {
    "indices": "U8", "levels": "U8", "residual_signs": "U8", "norms": "F16", "residual_norms": "F16",
    "residual_shifts": "I32", "correlations": "I64", "path_costs": "U32", "thresholds": "I32", "reconstructions": "I32",
    "records": "U8", "codewords": "U8", "exact": "U8", "exact_keys": "I16", "exact_exponents": "I32",
    "rotated_queries": "I32", "query_exponents": "I32", "residual_queries": "I32", "residual_query_exponents": "I32",
    "accumulators": "I64", "residual_accumulators": "I64", "scores": "F32",
}


def pack(named):
    """{name: (shape, values)} -> {name: tensor} in the order of the file."""
    assert set(named) <= set(TENSORS)
    return {name: Tensor.pack(dtype, *named[name]) for name, dtype in TENSORS.items() if name in named}


def joined(lists):
    """Numbers separated by commas; lists, one for each sub-vector, by semicolons."""
    return ";".join(",".join(map(str, numbers)) for numbers in lists)


def double(value):
    return f"{float(value):.17g}"
