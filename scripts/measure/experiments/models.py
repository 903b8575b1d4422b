"""The models that are measured: one row each. A campaign measures the rows that name it."""
import dataclasses
import functools
import json
import pathlib
import sys

from .common import BUNDLED_NAME, ROOT, data, run, trained

TEXTS = ("WikiText-2", "Shakespeare")
SOURCE_CODE = "C++ source"  # a third text of `recommended`


@dataclasses.dataclass(frozen=True)
class Model:
    """`place`: what the program takes; `heads`: KV heads; `tag`, `long_tag`: of anchors in records; `patterns`: of signs,
    from seed 1 on; `texts`: on which it is measured; `longest`: ids that it can see at once.
    Of one campaign: `window`: ids that it sees at once; `tokens`: ids of a text; `windows`: for each that is asked for;
    `hot`, `warm`: sizes of tiers; `stressed`: whether it is measured with harder keys too."""
    name: str
    place: str
    layers: int
    heads: int
    head_dim: int
    tag: str
    long_tag: str
    patterns: int = 10
    texts: tuple = TEXTS
    options: tuple = ()
    longest: int = 8192
    window: int = 0
    tokens: int = 0
    windows: int = 1
    hot: int = 0
    warm: int = 0
    stressed: bool = True

    @property
    def seeds(self):
        """Of the sign patterns, as --seeds takes them."""
        return f"1-{self.patterns}"

    @property
    def bos(self):
        return "--bos" in self.options

    def ids(self, windows, window):
        """Ids of a text in so many windows. Each window begins with the BOS, if the model has one."""
        return windows * (window - self.bos) + self.bos


def of_shape(window, tokens=0, **more):
    return {"window": window, "tokens": tokens, **more}


BYTES = of_shape(256, 8192, hot=32, warm=64)  # tiers of models that take 256 ids
TUNED = of_shape(256, texts=(*TEXTS, SOURCE_CODE))
TIERS = of_shape(2048, 4096, hot=64, warm=448)

# Fields of a model, and what a campaign changes. Both Qwen models are large for a campaign of days: about 1020 predictions,
# three patterns in most tables, and one text of the larger. Gemma expects a BOS before every text; the others were trained
# without one.
TABLE = (
    (Model("smollm2-135m", "smollm2-135m", 30, 3, 64, "s", "s35m"),
     {"real_models": of_shape(1024), "quantizers": of_shape(512, 4096), "tiers": TIERS, "predictors": of_shape(512),
      "balance": of_shape(256), "recommended": TUNED, "tasks": of_shape(256), "llama_cpp": of_shape(512, 4096),
      "needle": of_shape(512), "attention_by_age": of_shape(2048)}),
    (Model("gemma3-270m", "gemma3-270m", 18, 1, 256, "g", "g", options=("--bos",)),
     {"real_models": of_shape(1024), "quantizers": of_shape(512, 4096), "tiers": TIERS, "predictors": of_shape(512),
      "balance": of_shape(256), "recommended": TUNED, "tasks": of_shape(256), "llama_cpp": of_shape(512, 4096)}),
    (Model("qwen2.5-coder-0.5b", "qwen2.5-coder-0.5b", 24, 2, 64, "q5", "q5"),
     {"real_models": of_shape(256), "quantizers": of_shape(512, 1024, patterns=3), "tiers": TIERS, "predictors": of_shape(512),
      "balance": of_shape(256), "recommended": TUNED, "tasks": of_shape(256), "llama_cpp": of_shape(512, 1024)}),
    (Model("qwen2.5-coder-1.5b", "qwen2.5-coder-1.5b", 28, 2, 128, "q15", "q15", patterns=3, texts=TEXTS[:1],
           longest=2048),
     {"real_models": of_shape(256), "quantizers": of_shape(256, 1024), "tiers": of_shape(1024, 1024, hot=64, warm=448),
      "predictors": of_shape(256, stressed=False), "balance": of_shape(256),
      "recommended": of_shape(256, texts=(TEXTS[0], SOURCE_CODE)),
      "tasks": of_shape(256), "llama_cpp": of_shape(512, 1024)}),
    (Model("byte-llama-d128", BUNDLED_NAME, 4, 2, 128, "b", "b128", longest=256),
     {"real_models": of_shape(256, windows=4), "quantizers": of_shape(256, 16384), "tiers": BYTES,
      "predictors": of_shape(256), "attention_by_age": of_shape(256)}),
    (Model("byte-llama-d64", "byte-llama-d64", 4, 2, 64, "b64", "bd64", longest=256),
     {"tiers": BYTES, "predictors": of_shape(256)}),
    # Biases of its keys: `scripts/models/train_byte_llama qwen2-byte-d64 --qkv-bias --head-dim 64 --steps 1000
    # --threads 1`, in the folder that AXELRAM_TRAINED names.
    (Model("qwen2-byte-d64", "qwen2-byte-d64", 4, 2, 64, "q64", "qd64", longest=256), {"tiers": BYTES}),
)
# Models that are neither pretrained nor bundled: the folder that has them, or None.
FOLDERS = {"byte-llama-d64": lambda: data() / "models", "qwen2-byte-d64": trained}


def placed(model):
    folder = FOLDERS[model.name]() if model.name in FOLDERS else None
    return dataclasses.replace(model, place=str(folder / model.name)) if folder else model


def of(campaign):
    """{name: model} of the rows that name the campaign, as it measures them."""
    return {model.name: dataclasses.replace(placed(model), **campaigns[campaign])
            for model, campaigns in TABLE if campaign in campaigns}


def patterns(measured):
    """Which seeds the sign patterns of these models have, for a record."""
    by_seeds = {}
    for name, model in measured.items():
        by_seeds.setdefault(model.seeds, []).append(name)
    return "; ".join(f"seeds {seeds} of {', '.join(names)}" for seeds, names in by_seeds.items())


def pretrained():
    """{name: SHA-256} by the table of scripts/get_model."""
    known = json.loads((ROOT / "models" / "pretrained.json").read_text())
    return {model["name"]: model["sha256"] for model in known}


@functools.cache
def absent():
    """{name: how to get it} of the models that are not on this machine."""
    without_file = {line.split()[0] for line in run("list", "models").splitlines() if "none: run" in line}
    found = {}
    for model, _ in TABLE:
        if model.name in pretrained():
            if model.name in without_file:
                found[model.name] = f"scripts/get_model {model.name}"
        elif not pathlib.Path(ROOT, placed(model).place).is_dir():
            found[model.name] = "docs/perplexity.md and its row in models.py say how it is made"
    return found


def absent_for(command):
    """The name of a model that the command needs and that is not here; None without one."""
    places = {placed(model).place: model.name for model, _ in TABLE}
    return next((places[part] for part in map(str, command) if places.get(part) in absent()), None)


def present(campaign):
    """The models of a campaign that are here; says which ones are not."""
    for name in of(campaign).keys() & absent().keys():
        print(f"{name} is not here, and its rows are left out; {absent()[name]}", file=sys.stderr)
    return {name: model for name, model in of(campaign).items() if name not in absent()}
