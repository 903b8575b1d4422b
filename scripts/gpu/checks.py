"""What the stages of scripts/gpu_check do. Each takes the Stages that run it and a Setup."""
import math
import os
import pathlib
import re
import shutil
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import tools  # noqa: E402
from inputs import CONFIGURATIONS, FED, OF_HEADS, write_inputs
from stages import Failed, Skipped

TRACE = "traces/byte-llama-d128.safetensors"
MODEL = "models/byte-llama-d128"
SASS = pathlib.Path("docs/evidence/measurements/kernels_sass.md")
# Cases that are too long for a sanitizer, which makes them 10 to 100 times slower.
LONG_CASES = ("*long*,*many*,*every word*,*16 tiles*,*for every dimension*,*every kind and width*,"
              "products:*")
COARSE = 1.28  # relative difference of perplexities, times the root of the number of tokens: 2 % at 4096


class MissingHeaders(Exception):
    """Header-only libraries that the tests and benchmarks of the kernels need."""


class Setup:
    """Where the check builds and what it runs; emulated twins in a dry run."""

    def __init__(self, build, dry, tokens):
        self.build, self.dry = pathlib.Path(build), dry
        self.report = self.build / "bench/gpu_report"
        self.random_llama = [self.build / "bench/random_llama"]
        self.tests = self.build / "tests/test_kernels_cuda"
        self.bench = [self.build / "bench/gpu_bench"]
        self.program = self.build / "cli/axelram"
        self.tokens = tokens
        self.instructions = "0"  # that a warp issues for a key; 0: not known
        if dry:
            self.tests = self.build / "tests/test_kernels"
            self.bench = [self.build / "bench/gpu_bench_emulated", "--small"]
            self.program = self.build / "cli/axelram_emulated"
            self.tokens = 100


def executable(path):
    return path.is_file() and os.access(path, os.X_OK)


def configure(stages, setup):
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    features = [f"-DAXELRAM_{name}={value}" for name, value in (
        ("TESTS", "OFF"), ("BENCH", "OFF"), ("WERROR", "OFF"), ("MPI", "OFF"), ("CUDA", "ON"),
        ("PROGRAM", "AUTO"), ("YAML", "AUTO"), ("ICU", "AUTO"))]
    stages.require("cmake", "-S", ".", "-B", setup.build, *generator, "-DCMAKE_BUILD_TYPE=Release",
                   *features,
                   f"-DCMAKE_CUDA_ARCHITECTURES={'90-real' if setup.dry else 'native'}")
    cache = setup.build / "CMakeCache.txt"
    text = cache.read_text() if cache.exists() else ""
    missing = [name for name in ("doctest", "nlohmann_json") if f"{name}_DIR-NOTFOUND" in text]
    if missing:
        raise MissingHeaders(f"{', '.join(missing)} missing: scripts/carry_headers collects them")


def build_kernels(stages, setup):
    configure(stages, setup)
    targets = ["test_kernels_cuda", "gpu_bench", "gpu_report", "random_llama"]
    if setup.dry:
        targets += ["test_kernels", "gpu_bench_emulated"]
    # A target that does not compile stops no other.
    keep_going = ["-k", "0"] if (setup.build / "build.ninja").exists() else ["-k"]
    stages.require("cmake", "--build", setup.build, "-j", os.cpu_count() or 1, "--target", *targets,
                   "--", *keep_going)


def build_program(stages, setup):
    if "axelram_program" not in stages.run("cmake", "--build", setup.build, "--target", "help").text:
        raise Skipped("header-only libraries are missing: scripts/carry_headers collects them")
    targets = ["axelram_program"] + (["axelram_emulated"] if setup.dry else [])
    stages.require("cmake", "--build", setup.build, "-j", os.cpu_count() or 1, "--target", *targets)


def kernels_against_golden(stages, setup):
    code = stages.run(setup.tests).code
    if code == 77:  # skipped, although gpu_bench has listed a device
        raise Failed("no device any more")
    if code != 0:
        raise Failed


def needs_program(stages, setup):
    """Skips if there is no program, or one without kernels; other errors are left to the stage."""
    if not executable(setup.program):
        raise Skipped(f"no program {setup.program}")
    write_inputs(stages.scratch, MODEL)
    probe = stages.run(setup.program, "run", stages.scratch / "d128-b3.json", TRACE, "--engine", "cuda",
                       "-o", stages.scratch / "probe.safetensors", "--force", merge=True)
    if "built without CUDA" in probe.text:
        raise Skipped(f"{setup.program} was built without CUDA")


def run_equals_golden(stages, setup):
    needs_program(stages, setup)
    runs = [(name, TRACE, ()) for name in CONFIGURATIONS]
    runs += [(name, trace, ()) for name, (trace, _) in OF_HEADS.items()]
    runs += [(name, TRACE, ("--encoder", f"feedback:{stages.scratch}/{rank}.safetensors"))
             for name in FED for rank in ("rank1", "full")]
    for name, trace, encoder in runs:
        results = {engine: stages.scratch / f"{engine}.safetensors" for engine in ("golden", "cuda")}
        for engine, path in results.items():
            stages.require(setup.program, "run", stages.scratch / f"{name}.json", trace, *encoder,
                           "--engine", engine, "-o", path, "--force")
        stages.require("cmp", results["golden"], results["cuda"])


def perplexity_of(stages, setup, *arguments):
    """None if the program fails or finds no number."""
    path = stages.scratch / "perplexity.json"
    path.unlink(missing_ok=True)
    done = stages.run(setup.program, "perplexity", *arguments, "--json", path, "--force", merge=True)
    if done.code != 0 or not path.exists():
        return None
    found = re.search(r'"perplexity": *(-?[0-9][-+0-9.eE]*)', path.read_text())
    try:
        value = float(found[1]) if found else math.nan
    except ValueError:
        value = math.nan
    return value if math.isfinite(value) else None


def shown(value):
    return "null" if value is None else f"{value:.10g}"


def compare_perplexity(stages, setup):
    """Caches that the report holds to a bar, then those that are to agree within COARSE: attention in
    integers, keys with exponents that do not suit them, and records of two parts, whose noise is
    larger: a sign of a residual, or an index of one bit, turns with the last bit of a key."""
    needs_program(stages, setup)
    text = stages.scratch / "text"
    text.write_bytes(pathlib.Path("docs/reference/theory-of-operation.md").read_bytes()[:20000])
    config = {name: f"axelram:config={stages.scratch}/{name}.json" for name in CONFIGURATIONS}
    fine = ("fp16", config["d128-b3"], config["d128-b4"], config["d128-b3-golay24"] + ",ber=0.001",
            config["d128-b3-exact"],
            config["d128-b3-exact"] + f",encoder=feedback:{stages.scratch}/rank1.safetensors")
    coarse = (config["d128-b3-attention"], config["d128-b3-balance"],
              f"keys={config['d128-b3-prod']};values=fp16",
              f"keys={config['d128-split']};values={config['d128-b2']}")
    without, apart = [], []
    for cache in fine + coarse:
        cpu, cuda = (perplexity_of(stages, setup, MODEL, text, "--tokens", setup.tokens,
                                   "--cache", cache, "--device", device)
                     for device in ("cpu", "cuda"))
        name = cache.replace(f"{stages.scratch}/", "")
        found = f"{name}: CPU {shown(cpu)}, CUDA {shown(cuda)}"
        stages.say(found)
        if cpu is None or cuda is None:
            without.append(found)
        elif cache in coarse and abs(cuda / cpu - 1) * math.sqrt(setup.tokens) > COARSE:
            apart.append(found)
        if cache in fine:
            stages.write(perplexity=name, model="byte-llama-d128", tokens=setup.tokens, cpu=cpu, cuda=cuda)
    if without:
        raise Failed("no perplexity: " + "; ".join(without))
    if apart:
        raise Failed("too far apart: " + "; ".join(apart))


def counted_instructions(stages, setup):
    """Instructions that warps issue for a key, counted by ncu; None if it cannot."""
    if not shutil.which("ncu"):
        return None
    text = stages.run("ncu", "--clock-control", "none", "--metrics", "smsp__inst_executed.sum",
                      "-k", "regex:write", "-c", "1", "--csv", *setup.bench, "--once").text
    rows = re.search(r'"rows": *(\d+)', text)
    count = re.search(r'smsp__inst_executed\.sum","inst","([\d,]+)"', text)
    return int(count[1].replace(",", "")) / int(rows[1]) if rows and count else None


def recorded_instructions():
    """The same, counted along the machine code: as scripts/inspect_kernels recorded it."""
    found = re.search(r"^counted along that path: ([0-9.]+)$", SASS.read_text(), re.MULTILINE)
    return found[1] if found else None


def count_instructions(stages, setup):
    counted = counted_instructions(stages, setup)
    if counted is not None:
        setup.instructions = f"{counted:.6g}"
        return
    recorded = recorded_instructions()
    if recorded is None:
        raise Skipped(f"no ncu, and no figure in {SASS}")
    setup.instructions = recorded
    stages.say(f"as recorded: {recorded}")


def run_benchmarks(stages, setup):
    if stages.run_for_lines(*setup.bench, "--write-instructions", setup.instructions).code != 0:
        raise Failed


def run_peers(stages, setup):
    if not shutil.which("python3"):
        raise Skipped("no python3")
    # It begins no shape that it may not finish.
    seconds = stages.stage_seconds - 40 if stages.stage_seconds > 50 else 10
    code = stages.run_for_lines("python3", "scripts/gpu/pytorch_baseline.py", "--seconds", seconds,
                                *(["--device", "cpu", "--small"] if setup.dry else [])).code
    if code == 3:
        raise Skipped("no PyTorch that sees a GPU: ratios are against this project's FP16 kernel")
    if code != 0:
        raise Failed


def sanitize(stages, setup, tool):
    if not shutil.which("compute-sanitizer"):
        raise Skipped("no compute-sanitizer")
    done = stages.run("compute-sanitizer", "--tool", tool, "--error-exitcode", 9, setup.tests,
                      f"--test-case-exclude={LONG_CASES}", merge=True)
    if done.code != 0 and "device not supported" in done.text.lower():
        raise Skipped("compute-sanitizer: Device not supported")
    if done.code != 0:
        raise Failed


def large_model(stages, setup):
    """The path of a large checkpoint: shards, upload, products and attention of Llama 3.1 8B's shape."""
    needs_program(stages, setup)
    free = shutil.disk_usage(stages.scratch).free // 2**30
    if not setup.dry and free < 20:
        raise Skipped(f"{free} GB of disk are free; 20 are needed")
    folder = stages.scratch / "llama"
    try:
        stages.require(*setup.random_llama, folder, *(["--small"] if setup.dry else []))
        begin = time.monotonic()
        cuda = perplexity_of(stages, setup, folder, folder / "tokens.safetensors", "--cache",
                             f"axelram:config={stages.scratch}/d128-b3.json", "--device", "cuda")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if cuda is None:
        raise Failed("no perplexity")
    stages.write(perplexity="random 8B, axelram", cpu=None, cuda=cuda,
                 seconds=int(time.monotonic() - begin))


def machine(dry):
    """The line of the result that names machine, versions and date."""
    def output(*command):
        try:
            return tools.call(command)
        except tools.ToolError:
            return ""

    gpu, driver = "none: a dry run", ""
    if not dry:
        query = output("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
        gpu, _, driver = (query.splitlines() or [""])[0].partition(", ")
    nvcc = re.search(r"release ([0-9.]+)", output("nvcc", "--version"))
    return {"machine": gpu, "driver": driver, "nvcc": nvcc[1] if nvcc else "",
            "date": time.strftime("%Y-%m-%d", time.gmtime()),
            "revision": os.environ.get("AXELRAM_REVISION")
            or output("git", "describe", "--always", "--dirty").strip()}
