"""What a command depends on beside its arguments: the files of campaigns that they name."""
import functools
import hashlib
import pathlib
import re

from . import common  # noqa: F401, before places
import places

RESULTS = places.cache_home() / "axelram" / "results"
# Options whose value is an output, of a command or of all.
OUTPUTS = {"calibrate": ("--center", "--centers", "--feedback", "--balance", "--channels", "--tiers")}
OF_ALL = ("-o", "--kl", "--nll", "--ranks", "--texts")
ENDS_OF_NAMES = re.compile(r"[=,;:\s{}]+")


@functools.cache
def digest_at(path, _):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def digest(path):
    """Of a file, or of all files of a folder."""
    if path.is_dir():
        parts = sorted(part for part in path.rglob("*") if part.is_file())
        return hashlib.sha256("".join(f"{part.relative_to(path)} {digest(part)}\n" for part in parts).encode()).hexdigest()
    return digest_at(str(path), path.stat().st_mtime_ns)


def named_in(text, folder):
    """Paths of existing files that a text names, of a configuration relative to its folder."""
    for word in ENDS_OF_NAMES.split(text):
        path = folder / word
        if word and path.exists() and RESULTS in path.parents:
            yield path


def digests_of(asked):
    """{path below the results: SHA-256} of what the arguments name there, and what configurations among it name."""
    found, outputs = {}, (*OF_ALL, *OUTPUTS.get(asked[0], ()))
    waiting = [path for before, part in zip(("", *asked), asked) if before not in outputs
               for path in named_in(part, pathlib.Path("/"))]
    while waiting:
        path = waiting.pop()
        name = str(path.relative_to(RESULTS))
        if name in found:
            continue
        found[name] = digest(path)
        if path.suffix == ".yaml":
            waiting += named_in(path.read_text(), path.parent)
    return found
