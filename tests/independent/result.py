"""The result file: order and types of its tensors, and its metadata."""
from safetensors import Tensor

TENSORS = {
    "indices": "U8", "levels": "U8", "residual_signs": "U8", "norms": "F16", "residual_norms": "F16",
    "residual_shifts": "I32", "correlations": "I64", "path_costs": "U32", "thresholds": "I32", "reconstructions": "I32",
    "records": "U8", "codewords": "U8", "exact": "U8", "exact_keys": "I16", "exact_exponents": "I32",
    "rotated_queries": "I32", "query_exponents": "I32", "residual_queries": "I32", "residual_query_exponents": "I32",
    "accumulators": "I64", "residual_accumulators": "I64", "scores": "F32",
    "value_indices": "U8", "value_norms": "F16", "value_records": "U8", "value_codewords": "U8", "logits": "I32",
    "weights": "I32", "weight_references": "I32", "maxima": "I32", "denominators": "U64", "sums": "I64",
    "output_shifts": "I32", "rotated_outputs": "I32", "reciprocals": "U32", "outputs": "F16", "refused": "U8",
}


def pack(named, **types):
    """{name: (shape, values)} -> {name: tensor} in the order of the file; types other than those above by name."""
    assert set(named) <= set(TENSORS)
    return {name: Tensor.pack(types.get(name, dtype), *named[name]) for name, dtype in TENSORS.items() if name in named}


def joined(lists):
    """Numbers separated by commas; lists, one for each sub-vector, by semicolons."""
    return ";".join(",".join(map(str, numbers)) for numbers in lists)


def double(value):
    return f"{float(value):.17g}"
