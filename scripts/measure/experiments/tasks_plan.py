"""The measurements of `tasks`: what pretrained models still find, copy and add with quantized keys."""
from . import models as all_models
from . import recommended_plan
from .inputs import digest
from .real_plan import keys, texts
from .store import Store
from .tensors import tensors
from .with_llama_cpp import LlamaCpp, VERSION, file_of

# Column: task of `axelram needle`, tokens of a text, depths in percent, trials at each. No fact lies among the newest
# tokens, which some caches keep exact.
TASKS = {
    "copy, 1024": ("copy", 1024, "0,50", 6),
    "sum, 1024": ("sum", 1024, "0,50", 6),
    "fact, 1024": ("fact", 1024, "0,25,50,75", 5),
    "fact, 2048": ("fact", 2048, "0,25,50,75", 2),
    "fact, 4096": ("fact", 4096, "0,25,50,75", 1),
    "fact, 8192": ("fact", 8192, "0,25,50,75", 1),
}
WINDOW, WINDOWS = 256, 4
LLAMA_KEYS = ("f16", "q8_0", "q5_0", "q4_0")
TEXT = "WikiText-2"


def models():
    return all_models.of("tasks")


class Campaign:
    """All results of one model. tuned: the results of `recommended`, which has the caches that `tune` found."""

    def __init__(self, store, model, tuned):
        self.store, self.model = store, model
        of_tuned = Store(tuned)
        of_tuned.end = store.end
        self.recommended = recommended_plan.Campaign(of_tuned, model, TEXT)

    def caches(self):
        """{row: cache}; None if the time is over."""
        of, tuned = self.recommended, self.recommended.store
        rows = {"the paper's macro, 3 bits": keys(of.plain(3)), "tuned, 3 bits": of.tuned("keys", 3),
                "tuned, 2 bits": of.tuned("keys", 2), "tuned, keys and values of 3 bits": of.tuned("both", 3),
                "KIVI, 3 bits": keys("kivi:bits=3"), "KIVI, 2 bits": keys("kivi:bits=2")}
        if all(rows.values()):
            return rows
        self.store.missing += tuned.missing
        self.store.absent |= tuned.absent
        return None

    def file(self, name):
        return self.store.path(f"{self.model.name}/{name}")

    def answers(self, column):
        """{row: (found, texts, -ln p)} of a task, FP16 first; {} if the model sees no text of this length."""
        task, length, depths, trials = TASKS[column]
        caches = self.caches()
        if not caches or length > self.model.longest:
            return {}
        made = [part for cache in caches.values() for part in ("--cache", cache)]
        path, skip = texts()[TEXT]
        found = self.store.json(f"{self.model.name}/{column}", "needle", self.model.place, path, "--skip", skip, "--task",
                                task, "--lengths", length, "--depths", depths, "--trials", trials, "--texts",
                                self.file(f"{column}.texts"), "--force", *self.model.options, *made)
        return found and {row: self.counted(of["cells"], trials) for row, of in zip(("FP16", *caches), found["caches"])}

    @staticmethod
    def counted(cells, trials):
        return sum(cell["found"] for cell in cells), trials * len(cells), sum(cell["nll"] for cell in cells) / len(cells)

    def llama_answers(self, column, kind):
        """(found, texts, -ln p) of llama.cpp with keys of a type, on the same ids; None without them."""
        texts_of = self.file(f"{column}.texts")
        if not texts_of.exists():
            return None

        def measure():
            made = tensors(texts_of)[0]
            longest = made["tokens"].shape[1]
            llama = LlamaCpp(file_of(self.model.name), longest, False, kind, 2, every=False)
            done = [llama.answer([int(one) for one in ids[:length]], int(count))
                    for ids, length, count in zip(made["tokens"], made["lengths"], made["answers"])]
            return [sum(found for found, _ in done), len(done), sum(nll for _, nll in done) / len(done)]

        return self.of_llama(f"{column}, {kind}", [*map(str, TASKS[column]), digest(texts_of)], measure)

    def of_llama(self, name, asked, measure):
        """What llama.cpp has measured, of any version if there is none here; None, and noted as missing, without it."""
        name = f"{self.model.name}/{name}"
        known = self.store.entry(name).get("command", [])
        return self.store.kept(name, [self.model.place, VERSION or (known[1] if len(known) > 1 else ""), *asked],
                               measure if VERSION else None)

    def agreement(self, text):
        """{row: share of predictions whose most likely id is that of FP16} on four windows."""
        caches = self.caches()
        if not caches or text not in self.model.texts:
            return {}
        found = self.store.perplexities(f"{self.model.name}/agreement, {text}", self.model.place, texts()[text], WINDOW,
                                        self.model.ids(WINDOWS, WINDOW), *self.model.options, "--no-noise",
                                        caches=caches.values())
        return found and {row: one["per_seed"][0]["agreement"] for row, one in zip(caches, found)}

    def llama_agreement(self, text):
        """{type: share} of llama.cpp, against its own FP16 keys; None without it."""
        if text not in self.model.texts:
            return None
        path, skip = texts()[text]

        def measure():
            most = {}
            for kind in LLAMA_KEYS:
                llama = LlamaCpp(file_of(self.model.name), WINDOW, self.model.bos, kind, 2)
                ids = llama.ids_of(path, skip)
                most[kind] = [llama.window(ids, number)[1].argmax(1) for number in range(WINDOWS)]
            return {kind: sum(float((a == b).mean()) for a, b in zip(most[kind], most["f16"])) / WINDOWS
                    for kind in LLAMA_KEYS}

        return self.of_llama(f"agreement of llama.cpp, {text}", [], measure)

    def versions(self):
        """Of llama.cpp, which results here are of."""
        return {self.store.entry(path.relative_to(self.store.folder).with_suffix(""))["command"][1]
                for path in self.store.path(self.model.name).glob("*.json")
                if path.stem.endswith(LLAMA_KEYS) or "llama.cpp" in path.stem}
