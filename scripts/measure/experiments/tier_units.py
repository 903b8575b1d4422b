"""What an archive loses by being made of warm values, by `axelram run --cache` on heads of a model: scores of its keys
beside those of an archive that is made of FP16 rows."""
import pathlib
import tempfile

import numpy

from . import real_plan
from .common import run
from .tensors import tensors

TOKENS, WARM = 256, 32
ARCHIVES = ("kivi2", "kivi3", "squat2", "kvquant2", "kvquant3", "axelram2")


def score_error(decoded, trace, tokens):
    """Squared error of the scores of the first `tokens` keys with all queries, less its mean over the keys of a query,
    which softmax does not see, as a share of the scores' own."""
    queries = trace["queries"].astype(numpy.float64)
    exact = queries @ trace["keys"][:tokens].astype(numpy.float64).T
    errors = queries @ decoded[:tokens].astype(numpy.float64).T - exact
    spread = lambda x: float(((x - x.mean(axis=1, keepdims=True)) ** 2).sum())
    return spread(errors), spread(exact)


def rows(campaign, layers, heads):
    """[[archive, error from FP16 rows, error from warm rows]], root mean squares over all heads; None if the time is
    over."""
    path, skip = real_plan.texts()[campaign.text]
    archived = 0
    warm_of = lambda archive: "axelram4" if archive.startswith("axelram") else "kivi4"
    sums = {archive: numpy.zeros(4) for archive in ARCHIVES}
    with tempfile.TemporaryDirectory() as folder:
        trace_path, out = pathlib.Path(folder, "trace.safetensors"), pathlib.Path(folder, "out.safetensors")
        for layer in range(layers):
            for head in range(heads):
                if campaign.store.late(f"{campaign.name}/{campaign.text}/units-{layer}-{head}", campaign.place):
                    return None
                run("capture", campaign.place, path, "--skip", skip, "--layer", layer, "--head", head, "--by-token",
                    "--tokens", TOKENS, "-o", trace_path, "--force")
                trace, _ = tensors(trace_path)
                for archive in ARCHIVES:
                    # The tokens that both have in the archive.
                    for at, cache in ((2, campaign.tiers(warm_of(archive), archive, hot=1, warm=WARM)),
                                      (0, campaign.tiers(None, archive, hot=1, warm=0))):
                        run("run", "--cache", cache, trace_path, "-o", out, "--force")
                        result, _ = tensors(out)
                        archived = int(result["key_bounds"][-1][1]) if at else archived
                        sums[archive][at:at + 2] += score_error(result["decoded_keys"], trace, archived)
    return [[archive, *(f"{(total[i] / total[i + 1]) ** 0.5:.4f}" for i in (0, 2))] for archive, total in sums.items()]
