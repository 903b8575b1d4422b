#!/usr/bin/env python3
"""Runs the program on broken and extreme inputs, outputs, limits, signals, environments and arguments.

hostile.py PROGRAM [--seed N] [--cases N] [--only PATTERN]... [--quick] [--list] [--jobs N] [--slowness X]
hostile.py --self-test     plants a fault of each kind in place of the program and demands that it is found

Requirements of every case: a documented exit code (or the death by the signal that was sent), one line of error
that names the file or option, no control characters, no output or temporary file of a run that failed, unchanged
inputs, nothing left running, an end within the limits of time and memory.

A seed and a number of cases select the same cases on every machine: a third of them damage a file at random, the
others are drawn from the systematic ones. --quick selects 60 cheap ones. --only runs all whose name matches.
The last line is `N cases, N failed`. Exit codes: 0 none failed, 1 some did, 2 bad usage, 77 none failed and some were
not run.
"""

import argparse
import concurrent.futures
import fnmatch
import functools
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import commands
import inputs
import material
import mutations
import outputs
import process
import surroundings
import verdict

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
QUICK = 60
FAILED, SKIPPED = 1, 77


def systematic(seed):
    yield from inputs.cases()
    yield from outputs.cases()
    yield from surroundings.cases(seed)


def group(case):
    """Cases of one group are drawn as often as those of another, however many it has."""
    return "/".join(case.name.split("/")[:2])


def selected(seed, count, quick):
    draw = random.Random(f"{seed}/selection")
    groups = {}
    for case in systematic(seed):
        if not (quick and case.slow):
            groups.setdefault(group(case), []).append(case)
    for members in groups.values():
        draw.shuffle(members)
    order = sorted(groups)
    draw.shuffle(order)
    wanted = count - count // 3
    cases = []
    while len(cases) < wanted and any(groups.values()):
        for name in order:
            if groups[name] and len(cases) < wanted:
                cases.append(groups[name].pop())
    first = draw.randrange(1 << 30)
    return cases + [mutations.case(seed, first + i) for i in range(count - len(cases))]


def environment(scratch):
    """Of a user with a home of his own; the folder of temporary files must be empty afterwards."""
    kept = ("PATH", "LANG", "AXELRAM_CACHE", "AXELRAM_SHARE", "LD_LIBRARY_PATH", "ASAN_OPTIONS")
    found = {name: os.environ[name] for name in kept if name in os.environ}
    return {**found, "HOME": str(scratch / "home"), "TMPDIR": str(scratch / "tmp")}


LARGE_DISK = 64 << 20


def mounted(folder, size, kept):
    """Command words before the program that give it a file system of `size` bytes at `folder`, whose files are copied
    to `kept` afterwards; or None if that is impossible."""
    script = (
        f'mount -t tmpfs -o size={size} none "$1" || exit 125; disk=$1 kept=$2; shift 2; "$@"; code=$?; '
        'cp -a "$disk/." "$kept"; exit $code'
    )
    words = ["unshare", "-rm", "sh", "-c", script, "sh", str(folder), str(kept)]
    return words if subprocess.run([*words, "true"], capture_output=True).returncode == 0 else None


def prepared(case, scratch, origin):
    folder = scratch / "folder"
    shutil.copytree(origin, folder)
    (scratch / "tmp").mkdir()
    (scratch / "home").mkdir()
    before = os.getcwd()
    os.chdir(folder)  # names of sockets are short
    try:
        if case.prepare:
            case.prepare(str(folder))
    finally:
        os.chdir(before)
    if case.unprivileged and os.geteuid() == 0:
        for parent, folders, names in os.walk(os.fsencode(scratch)):
            for name in (b".", *folders, *names):
                os.lchown(os.path.join(parent, name), 65534, 65534)
    return folder


def on_disk(case, size, program, origin, scratch, slowness):
    """Outcome, and {name: bytes} of the files on a disk of `size` bytes; None if it cannot be mounted."""
    place = scratch / str(size)
    place.mkdir()
    folder = prepared(case, place, origin)
    (folder / "disk").mkdir()
    (place / "kept").mkdir()
    words = mounted(folder / "disk", size, place / "kept")
    if words is None:
        return None
    before = process.snapshot(folder)
    outcome = process.run([*words, program], case, folder, environment(place), slowness)
    faults = verdict.faults_of(case, outcome, before, process.snapshot(folder), process.snapshot(place / "tmp"))
    found = process.snapshot(place / "kept").items()
    return faults, outcome, {b"disk/" + name: content[0] for name, (_, _, content) in found if content}


def attempt_on_disk(case, program, origin, scratch, slowness):
    small = on_disk(case, case.full_disk, program, origin, scratch, slowness)
    large = on_disk(case, LARGE_DISK, program, origin, scratch, slowness)
    if small is None or large is None:
        return None, None
    faults, outcome, kept = small
    if large[0] or large[1].code != 0:
        faults = [*faults, *large[0], f"on a large disk: exit code {large[1].code}"]
    return [*faults, *verdict.about_disk(case, outcome, kept, large[2])], outcome


def attempt(case, program, origin, slowness):
    """Faults of one case; None if the machine cannot run it."""
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="axelram-hostile-"))
    try:
        scratch.chmod(0o755)
        if case.full_disk:
            return attempt_on_disk(case, program, origin, scratch, slowness)
        folder = prepared(case, scratch, origin)
        before = process.snapshot(folder)
        case = surroundings.of_program(case, os.path.getsize(program))
        outcome = process.run([program], case, folder, environment(scratch), slowness)
        stray = process.snapshot(scratch / "tmp")
        return verdict.faults_of(case, outcome, before, process.snapshot(folder), stray), outcome
    finally:
        for parent, folders, _ in os.walk(scratch):
            for name in folders:
                if not os.path.islink(os.path.join(parent, name)):
                    os.chmod(os.path.join(parent, name), 0o755)
        shutil.rmtree(scratch, ignore_errors=True)


def shown(case, faults, outcome):
    words = " ".join(repr(os.fsdecode(word)[:80]) for word in case.arguments[:30])
    tail = verdict.printable(outcome.err[-300:]).encode("unicode_escape").decode()
    return "\n".join(
        [f"FAILED {case.name}: axelram {words}", *(f"    {fault}" for fault in faults), f"    standard error: {tail}"]
    )


def compile_hardware(program, folder):
    """Cases take it from the cache: a compiler has limits of its own."""
    with tempfile.TemporaryDirectory(prefix="axelram-hostile-") as scratch:
        place = pathlib.Path(scratch) / "folder"
        shutil.copytree(folder, place)
        for command in (commands.RTL, commands.VERIFY):
            for line in (command.line(), surroundings.all_outputs(command) + ["--force"]):
                subprocess.run([program, *line], cwd=place, capture_output=True, check=True)


def run_all(cases, program, jobs, slowness):
    failed = skipped = 0
    with tempfile.TemporaryDirectory(prefix="axelram-hostile-") as scratch, concurrent.futures.ProcessPoolExecutor(
        jobs
    ) as pool:
        scratch = pathlib.Path(scratch)
        scratch.chmod(0o755)
        (scratch / "material").mkdir()
        material.write(scratch / "material", ROOT, random.Random(1))
        # A copy, which other users may execute and which no build replaces meanwhile.
        copy = shutil.copy(program, scratch / "axelram")
        os.chmod(copy, 0o755)
        os.environ.setdefault("AXELRAM_CACHE", str(scratch / "models"))
        if any(case.hardware for case in cases):
            compile_hardware(str(copy), scratch / "material")
        work = functools.partial(attempt, program=str(copy), origin=scratch / "material", slowness=slowness)
        for case, (faults, outcome) in zip(cases, pool.map(work, cases)):
            if faults is None:
                skipped += 1
            elif faults:
                failed += 1
                print(shown(case, faults, outcome), flush=True)
    if skipped:
        print(f"{skipped} cases were not run: no small file system can be mounted here")
    print(f"{len(cases) - skipped} cases, {failed} failed")
    return FAILED if failed else SKIPPED if skipped else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=600)
    parser.add_argument("--only", metavar="PATTERN", action="append", help="names such as 'signal/*'")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} cheap cases")
    parser.add_argument("--list", action="store_true", help="print names and run nothing")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--slowness", type=float, default=1, help="factor of all limits of time (default 1)")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        import self_test

        return self_test.holds()
    count = QUICK if arguments.quick else arguments.cases
    if arguments.only:
        everything = [*systematic(arguments.seed), *selected(arguments.seed, count, arguments.quick)]
        cases = list({c.name: c for c in everything if any(fnmatch.fnmatchcase(c.name, pattern) for pattern in arguments.only)}.values())
    else:
        cases = selected(arguments.seed, count, arguments.quick)
    if arguments.list:
        print(*(case.name for case in cases), sep="\n")
        return 0
    if arguments.program is None or not cases:
        parser.error("name the program" if cases else "no such case")
    return run_all(cases, str(arguments.program.resolve()), arguments.jobs, arguments.slowness)


if __name__ == "__main__":
    sys.exit(main())
