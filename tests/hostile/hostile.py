#!/usr/bin/env python3
"""Runs the program on broken and extreme inputs, outputs, limits, signals, environments and arguments.

hostile.py PROGRAM [--seed N] [--cases N] [--only PATTERN] [--quick] [--list] [--jobs N] [--slowness X]
hostile.py --self-test     plants a fault of each kind in place of the program and demands that it is found

Requirements of every case: a documented exit code (or the death by the signal that was sent), one line of error
that names the file or option, no control characters, no output or temporary file of a run that failed, unchanged
inputs, nothing left running, an end within the limits of time and memory.

A seed and a number of cases select the same cases on every machine: a third of them damage a file at random, the
others are drawn from the systematic ones. --quick selects 60 cheap ones. --only runs all whose name matches.
The last line is `N cases, N failed`. Exit codes: 0 none failed, 1 some did, 2 bad usage.
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

import inputs
import material
import mutations
import outputs
import process
import surroundings
import verdict

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
QUICK = 60


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


def mounted(folder, size):
    """Command words before the program that give it a small file system at `folder`, or None if that is impossible."""
    script = f'mount -t tmpfs -o size={size} none "$1" && shift && exec "$@"'
    words = ["unshare", "-rm", "sh", "-c", script, "sh", str(folder)]
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


def attempt(case, program, origin, slowness):
    """Faults of one case; None if the machine cannot run it."""
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="axelram-hostile-"))
    try:
        scratch.chmod(0o755)
        folder = prepared(case, scratch, origin)
        words = [program]
        if case.full_disk:
            (folder / "disk").mkdir()
            words = mounted(folder / "disk", case.full_disk)
            if words is None:
                return None, None
            words = [*words, program]
        before = process.snapshot(folder)
        outcome = process.run(words, case, folder, environment(scratch), slowness)
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
        work = functools.partial(attempt, program=str(copy), origin=scratch / "material", slowness=slowness)
        for case, (faults, outcome) in zip(cases, pool.map(work, cases)):
            if faults is None:
                skipped += 1
            elif faults:
                failed += 1
                print(shown(case, faults, outcome), flush=True)
    if skipped:
        print(f"{skipped} skipped: no small file system can be mounted here")
    print(f"{len(cases) - skipped} cases, {failed} failed")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=600)
    parser.add_argument("--only", metavar="PATTERN", help="names such as 'signal/*'")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} cheap cases")
    parser.add_argument("--list", action="store_true", help="print names and run nothing")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--slowness", type=float, default=1, help="factor of all limits of time (default 1)")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        import self_test

        return 0 if self_test.holds() else 1
    count = QUICK if arguments.quick else arguments.cases
    if arguments.only:
        everything = [*systematic(arguments.seed), *selected(arguments.seed, count, arguments.quick)]
        cases = list({c.name: c for c in everything if fnmatch.fnmatchcase(c.name, arguments.only)}.values())
    else:
        cases = selected(arguments.seed, count, arguments.quick)
    if arguments.list:
        print(*(case.name for case in cases), sep="\n")
        return 0
    if arguments.program is None or not cases:
        parser.error("name the program" if cases else "no such case")
    return 1 if run_all(cases, str(arguments.program.resolve()), arguments.jobs, arguments.slowness) else 0


if __name__ == "__main__":
    sys.exit(main())
