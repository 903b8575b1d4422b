"""Keys and errors of scores by layer, from captured traces: what a quantizer meets, without what later layers make of
it."""
import numpy

from .real_plan import texts
from .tensors import tensors

KEYS, QUERIES = 1024, 128
BITS = 3
TOP = (1, 4)


def of_head(campaign, layer, head):
    """Figures of one layer and KV head; None if the time is over."""
    path, skip = texts()[campaign.text]
    name = f"{campaign.folder}/2-traces/l{layer}h{head}"
    trace = campaign.store.file(f"{name}.safetensors", "capture", campaign.model.place, path, "--skip", skip,
                                "--layer", layer, "--head", head, "--tokens", KEYS, "--window", KEYS, "--queries",
                                QUERIES, *campaign.model.options)
    result = trace and campaign.store.file(f"{name}.result.safetensors", "run",
                                           campaign.plain(BITS).removeprefix("axelram:config="), trace)
    if result is None:
        return None
    stored, _ = tensors(trace)
    found, metadata = tensors(result)
    keys, queries = stored["keys"].astype(numpy.float64), stored["queries"].astype(numpy.float64)
    exact = queries @ keys.T
    error = (found["scores"].astype(numpy.float64) * float(metadata["score_scale"]) - exact) / numpy.sqrt(keys.shape[1])
    # Queries of the last tokens see all keys but a few: their own future is left out.
    count = len(queries) // QUERIES
    ends = numpy.tile(numpy.arange(KEYS - QUERIES, KEYS) + 1, count)
    seen = numpy.arange(KEYS)[None, :] < ends[:, None]
    means = (error * seen).sum(1) / ends
    rms = lambda values: float(numpy.sqrt((values ** 2 * seen).sum() / seen.sum()))
    center = keys.mean(0)
    energy = ((keys - center) ** 2).mean(0)
    order = numpy.sort(energy)[::-1]
    norms = numpy.linalg.norm(keys, axis=1)
    midpoint = keys[1:-1] - (keys[:-2] + keys[2:]) / 2
    return {
        "norm": float(norms.mean()),
        "mean_key": float((center ** 2).sum() / (keys ** 2).mean(0).sum()),
        "first_key": float(norms[0] / norms.mean()),
        # Equations 26 and 29 of the ECC paper (references.md#ecc-kv-cache).
        "change": float(numpy.median(numpy.linalg.norm(keys[1:] - keys[:-1], axis=1) / norms[:-1])),
        "midpoint": float(numpy.median(numpy.linalg.norm(midpoint, axis=1) / norms[1:-1])),
        **{f"top_{n}": float(order[:n].sum() / energy.sum()) for n in TOP},
        "error": rms(error), "error_less_mean": rms(error - means[:, None]),
    }


def by_layer(campaign):
    """The means over the heads of each layer; None if the time is over."""
    layers = []
    for layer in range(campaign.model.layers):
        heads = [of_head(campaign, layer, head) for head in range(campaign.model.heads)]
        if None in heads:
            return None
        layers.append({key: sum(head[key] for head in heads) / len(heads) for key in heads[0]})
    return layers
