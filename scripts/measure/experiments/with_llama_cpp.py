"""llama.cpp on a model's file: `pip install llama-cpp-python`. Without it VERSION is empty."""
import os
import pathlib
import time

import places

from .common import fail

try:
    import llama_cpp
    import numpy
    VERSION = llama_cpp.__version__
except ImportError:
    llama_cpp = numpy = None
    VERSION = ""

NOT_ROTATED = "LLAMA_ATTN_ROT_DISABLE"  # llama.cpp reads it when a context is made


def file_of(name):
    found = sorted((places.cache_home() / "axelram" / "models" / name).glob("*.gguf"))
    return str(found[0]) if found else fail(f"{name} is not cached; scripts/get_model {name}")


def in_f32(path, folder):
    """The same file with its weights expanded by llama.cpp, which then multiplies without rounding activations."""
    options = llama_cpp.llama_model_quantize_default_params()
    options.ftype, options.allow_requantize, options.nthread = llama_cpp.LLAMA_FTYPE_ALL_F32, True, 1
    result = str(pathlib.Path(folder, "f32.gguf"))
    if llama_cpp.llama_model_quantize(path.encode(), result.encode(), options) != 0:
        fail(f"llama.cpp does not expand {path}", 1)
    return result


def logs_of(logits):
    """Logarithms of the probabilities, [rows, vocabulary]."""
    logits = numpy.array(logits, dtype=numpy.float64)
    most = logits.max(1)[:, None]
    return logits - most - numpy.log(numpy.exp(logits - most).sum(1))[:, None]


class LlamaCpp:
    """A model with keys of a type, for texts of at most `longest` ids. every: logits are kept of every id, else of the
    last one of an evaluation. rotated: quantized keys are, by a Hadamard matrix. `seconds`: of all evaluations."""

    def __init__(self, path, longest, bos=False, key_type="f16", threads=1, every=True, rotated=True):
        os.environ[NOT_ROTATED] = "0" if rotated else "1"
        self.model = llama_cpp.Llama(model_path=path, n_ctx=longest, n_batch=min(longest, 512), n_ubatch=min(longest, 512),
                                     logits_all=every, n_threads=threads, n_threads_batch=threads, verbose=False,
                                     type_k=getattr(llama_cpp, f"GGML_TYPE_{key_type.upper()}"))
        self.longest = longest
        self.first, self.seconds = [self.model.token_bos()] if bos else [], 0.0

    def ids_of(self, text, skip=0):
        """Of a file without its first `skip` bytes."""
        return self.model.tokenize(pathlib.Path(text).read_bytes()[skip:], add_bos=False, special=True)

    def evaluate(self, ids):
        start = time.time()
        self.model.eval(list(ids))
        self.seconds += time.time() - start

    def window(self, ids, number):
        """The ids of a window of a text and the logarithms of the probabilities after each, all but the last."""
        fresh = self.longest - len(self.first)
        row = self.first + ids[number * fresh:(number + 1) * fresh]
        self.model.reset()
        self.evaluate(row)
        return row, logs_of(self.model.scores[:self.longest - 1])

    def answer(self, ids, count):
        """Of a text that ends with an answer of `count` ids: whether each of them is the most likely one, and the mean
        of -ln p."""
        self.model.reset()
        self.evaluate(ids[:-count])
        found, nll = True, 0.0
        for one in ids[-count:]:
            logits = llama_cpp.llama_get_logits_ith(self.model.ctx, -1)
            logs = logs_of(numpy.ctypeslib.as_array(logits, (1, self.model.n_vocab())))[0]
            found, nll = found and int(logs.argmax()) == one, nll - float(logs[one])
            self.evaluate([one])
        return found, nll / count
