"""Runs of every command that end with exit code 0 on the material, with their inputs and outputs."""

import dataclasses

from process import Case


@dataclasses.dataclass(frozen=True)
class Command:
    name: str
    arguments: tuple
    inputs: tuple = ()  # names of the material among the arguments
    outputs: tuple = ()  # (option, name) of its outputs; "" for an option that arguments already has
    long: str = ""  # further arguments with which it runs for seconds
    title: str = ""  # in names of cases, if other commands have the same name
    hardware: bool = False  # compiles RTL: seconds the first time

    @property
    def label(self):
        return self.title or self.name

    def line(self, replace=None, options=()):
        """Arguments with inputs or outputs replaced: {name: other}."""
        replace = replace or {}
        words = [self.name]
        for word in self.arguments:
            for name in (*self.inputs, *self.names()):
                if name not in replace or name not in word:
                    continue
                if word == name:
                    word = replace[name]
                elif isinstance(replace[name], str):
                    word = word.replace(name, replace[name])
                else:
                    word = word.encode().replace(name.encode(), replace[name])
                break
            words.append(word)
        return words + list(options)

    def lasting(self):
        """Arguments of a run of many seconds."""
        more = self.long.split()
        words = self.line()
        for option in more[::2]:
            if option in words:
                at = words.index(option)
                del words[at : at + 2]
        return words + more

    def writing(self, usual, name):
        """Arguments of a run that writes its output `usual` to `name`."""
        option = next(option for option, output in self.outputs if output == usual)
        return self.line(options=[option, name]) if option else self.line({usual: name})

    def case(self, group, rest, line, prepare=None, codes=(0, 2), **more):
        """A case of a group; those that compile RTL are slow."""
        slow = {"hardware": self.hardware, "slow": self.hardware}
        return Case(f"{group}/{self.label}/{rest}", line, prepare, frozenset(codes), **(slow | more))

    def makes_folder(self, usual):
        return usual in FOLDERS

    def beside(self, name):
        """What it writes for an output: the view of a waveform lies beside it, and what is done of a folder of tune."""
        if name.endswith("tuned"):
            return (name, name + ".unfinished")
        return (name, name[: -len(".fst")] + ".gtkw") if name.endswith(".fst") else (name,)

    def kept(self, name):
        """What of an output stays for the next run if this one ends."""
        return tuple(one for one in self.beside(name) if one.endswith(".unfinished"))

    def written(self):
        """Outputs that its arguments name already."""
        return tuple(name for option, name in self.outputs if not option)

    def names(self):
        return tuple(name for _, name in self.outputs)


FOLDERS = ("rtl", "cases", "stressed", "folded", "converted", "mismatch", "swept", "tuned")  # outputs that are folders
EVERY = []  # commands in the order below


def command(text, inputs="", outputs="", **more):
    """outputs: `NAME` of one among the arguments, or `OPTION=NAME`."""
    name, *arguments = text.split()
    places = [word.rpartition("=") for word in outputs.split()]
    EVERY.append(Command(name, tuple(arguments), tuple(inputs.split()),
                         tuple((option, output) for option, _, output in places), **more))
    return EVERY[-1]


RUN = command(
    "run config.yaml trace.safetensors -o out.safetensors",
    "config.yaml trace.safetensors signs.safetensors center.safetensors",
    "out.safetensors --json=out.json")
RUN_BALANCED = command(
    "run balanced.yaml trace.safetensors -o out.safetensors",
    "balanced.yaml trace.safetensors balance.safetensors", "out.safetensors --json=out.json",
    title="run-balanced")
RUN_TIERS = command(
    "run --cache tiered:hot=4,warm=8,step=8,group=8,archive_store=kvquant2,"
    "calibration=constants.safetensors steps.safetensors -o out.safetensors",
    "steps.safetensors constants.safetensors", "out.safetensors --json=out.json", title="run-tiers")
GENERATE = command(
    "generate config.yaml -o rtl", "config.yaml signs.safetensors center.safetensors", "rtl")
REPORT = command(
    "report config.yaml trace.safetensors", "config.yaml trace.safetensors", "--json=out.json")
SRAM = command(
    "report sram.yaml", "sram.yaml small.lib small.lef", "--json=out.json", title="report-sram")
TABLE = command(
    "report table.yaml", "table.yaml points.yaml", "--json=out.json", title="report-table")
REPORT_TIERS = command(
    "report --tiers tiered --shape shape.yaml", "shape.yaml", "--json=out.json",
    title="report-tiers")
DATASHEET = command(
    "datasheet config.yaml trace.safetensors --json facts.json",
    "config.yaml trace.safetensors signs.safetensors center.safetensors",
    "facts.json --markdown=facts.md")
FAULTS = command(
    "faults config.yaml trace.safetensors --ber 1e-2 --trials 3", "config.yaml trace.safetensors",
    "--json=out.json --plot=plot.json --dump=cases",
    long="--code none,hamming74,hamming84,golay24 --erasure keep,zero,interpolate --trials 100000")
SWEEP = command(
    "sweep sweep.yaml -o swept --plots json", "sweep.yaml plain.yaml trace.safetensors", "swept")
PERPLEXITY = command(
    "perplexity model text.txt --window 32 --stride 16 --tokens 64"
    " --cache axelram:config=config.yaml",
    "model text.txt config.yaml", "--json=out.json --nll=nll.safetensors --plot=plot.json")
BALANCED = command(
    "perplexity model text.txt --window 32 --stride 16 --tokens 64"
    " --cache axelram:config=plain.yaml,balance=balance.safetensors",
    "model text.txt balance.safetensors", "--json=out.json", title="perplexity-balanced")
SEEDS = command(
    "perplexity model text.txt --window 64 --stride 32"
    " --cache axelram:config=plain.yaml,ber=1e-3 --seeds 1-2",
    "model text.txt plain.yaml", "--json=out.json --plot=plot.json", long="--seeds 3-900",
    title="perplexity-seeds")
WORDS = command(
    "perplexity words text.txt --window 32 --stride 16 --cache int4", "words text.txt",
    "--nll=nll.safetensors", title="perplexity-words")
TOKENIZER = command(
    "perplexity words text.txt --tokenizer words/tokenizer.json --window 32 --stride 16"
    " --cache int4",
    "text.txt words/tokenizer.json", title="perplexity-tokenizer")
PIECES = command(
    "perplexity pieces-model.bin text.txt --tokenizer pieces.bin --window 32 --stride 16"
    " --cache int4 --bos",
    "text.txt pieces-model.bin pieces.bin", title="perplexity-pieces")
TOKENS = command(
    "perplexity model.bin tokens.safetensors --cache fp16", "model.bin tokens.safetensors",
    "--json=out.json", title="perplexity-tokens")
NEEDLE = command(
    "needle model text.txt --lengths 128 --depths 0,100 --trials 1"
    " --cache axelram:config=config.yaml",
    "model text.txt config.yaml", "--json=out.json", long="--trials 20000")
CALIBRATE = command(
    "calibrate model text.txt -o out.safetensors --window 32 --samples 4 --candidates 8"
    " --config plain.yaml",
    "model text.txt plain.yaml", "out.safetensors --center=mean.safetensors --json=out.json",
    long="--candidates 1000000")
CALIBRATE_TIERS = command(
    "calibrate model text.txt --tiers out.safetensors --window 32 --samples 4"
    " --fisher weights.safetensors",
    "model text.txt weights.safetensors", "out.safetensors --json=out.json",
    title="calibrate-tiers")
TUNE = command(
    "tune model text.txt -o tuned --window 32 --samples 4 --windows 2", "model text.txt",
    "tuned --json=out.json")
CAPTURE = command(
    "capture model text.txt --layer 1 --head 0 --window 64 -o out.safetensors", "model text.txt",
    "out.safetensors --json=out.json")
STRESS = command(
    "stress model -o stressed --layers all --bias 10", "model", "stressed --json=out.json")
RATIO = command(
    "stress model -o stressed --layers 0 --norm-ratio 4 --text text.txt", "model text.txt",
    "stressed", title="stress-ratio")
FOLD = command(
    "fold model --balance balance.safetensors -o folded", "model balance.safetensors",
    "folded --json=out.json")
CONVERT = command("convert model.gguf -o converted", "model.gguf", "converted --json=out.json")
BLOCKS = command(
    "perplexity model.gguf text.txt --window 32 --stride 16 --tokens 64 --cache int4",
    "model.gguf text.txt", "--nll=nll.safetensors", title="perplexity-blocks")
LIST = command("list keys", "", "--json=out.json")
# Hardware: slow cases.
RTL = command(
    "run plain.yaml trace.safetensors -o out.safetensors --engine rtl",
    "plain.yaml trace.safetensors", "out.safetensors --json=out.json --waves=waves.fst",
    title="run-rtl", hardware=True)
VERIFY = command(
    "verify plain.yaml trace.safetensors --vectors 50", "plain.yaml trace.safetensors",
    "--json=out.json -o=mismatch", long="--vectors 1000000", hardware=True)
COMMANDS = tuple(one for one in EVERY if not one.hardware)
