"""Programs that misbehave, one way each: the suite must report every one, and none that behaves."""

import pathlib
import signal
import tempfile

import hostile
from process import Case

RIGHT = "echo 'axelram: input: no such file; check the path' >&2\nexit 2\n"
SLEEP = (signal.SIGTERM, 0.2)
ENGINE = ["--engine", "fast"]
BROKEN = {"stdout": "broken", "deaths": frozenset({signal.SIGPIPE})}

# A shell script in place of the program, what must be reported ("" for nothing), differences of the case.
PROGRAMS = (
    (RIGHT, "", {}),
    ("echo done > out\n", "", {}),
    ("exec sleep 5\n", "", {"signal": SLEEP}),
    ("trap 'exit 143' TERM\nsleep 5 &\nwait\n", "left running", {"signal": SLEEP}),
    (RIGHT.replace("exit 2", "exit 70"), "exit code 70 is not documented", {}),
    (RIGHT.replace("exit 2", "exit 3"), "exit code 3, allowed [0, 2]", {}),
    ("exit 127\n", "exit code 127 is not documented", {}),
    ("kill -SEGV $$\n", "died of SIGSEGV", {}),
    ("kill -ABRT $$\n", "died of SIGABRT", {}),
    ("kill -KILL $$\n", "died of SIGKILL", {"signal": SLEEP}),
    ("sleep 30\n", "did not end", {"seconds": 0.5}),
    ("sleep 30 >/dev/null 2>&1 &\n", "left running: sleep", {}),
    ("exec python3 -c 'x = bytes(b\"1\" * (200 << 20))'\n", "MiB, allowed 100", {"memory": 100 << 20}),
    ("exit 2\n", "standard error ends with no single line", {}),
    ("echo 'input: no such file; check the path' >&2\nexit 2\n", "standard error ends with no single line", {}),
    ("echo 'axelram: input: a thing that failed' >&2\n" + RIGHT, "standard error ends with no single line", {}),
    (RIGHT.replace("input", "something"), "the message names none of 'input'", {}),
    (RIGHT, "", {"says": ("no such file", "check the path")}),
    (RIGHT, "the message does not say 'check the name'", {"says": ("no such file", "check the name")}),
    ("echo 'axelram: input' >&2\nexit 2\n", "the message says too little", {}),
    ("printf 'axelram: input: %04000d\\n' 1 >&2\nexit 2\n", "a message of 4016 bytes", {}),
    (RIGHT.replace("no such", "no \033[31m such"), "control character", {}),
    ("printf 'axelram: input: no \\377 such file\\n' >&2\nexit 2\n", "no UTF-8", {}),
    (RIGHT.replace("no such file", "basic_string::substr"), "speaks of 'basic_string'", {}),
    (RIGHT.replace("check the path", "use --engine fast or golden"), "advises --engine fast", {"arguments": ENGINE}),
    (RIGHT.replace("check the path", "use --engine golden"), "", {"arguments": ENGINE}),
    (RIGHT.replace("no such", "the cache x has no such").replace("check the path", "use the cache f32"),
     "advises --cache f32", {"arguments": ["--cache", "f32"]}),
    (RIGHT.replace("; check the path", ": give --engine fast"), "advises --engine fast", {"arguments": ENGINE}),
    (RIGHT.replace("exit 2", "exit 141"), "speaks although nobody reads", BROKEN),
    ("exit 141\n", "", BROKEN),
    ("touch out\n" + RIGHT, "left out", {}),
    ("touch .axelram-1-0.tmp\n", "left the temporary file", {}),
    ("touch .axelram-1-0.tmp\nsleep 5\n", "left the temporary file", {"signal": SLEEP}),
    ("touch .axelram-1-0.tmp\nkill -SEGV $$\n", "", {"deaths": frozenset({signal.SIGSEGV})}),
    ("touch .axelram-1-0.tmp\nkill -TERM $$\n", "left the temporary file", {"deaths": frozenset({signal.SIGTERM})}),
    ("touch .axelram-1-0.tmp\n" + RIGHT, "left the temporary file", {"deaths": frozenset({signal.SIGSEGV})}),
    ("touch $TMPDIR/x\n", "among temporary files", {}),
    ("touch other\n", "left other", {}),
    ("echo more >> input\n", "changed input", {}),
    ("chmod 600 input\n", "changed input", {}),
    ("rm input\n", "removed input", {}),
)


# A shell script that writes $1, what must be reported ("" for nothing). On a large disk every write succeeds.
TAKE = 'head -c 200000 /dev/zero > "$1" '
DISKS = (
    (TAKE + '2>/dev/null && exit 0\nrm "$1"\necho "axelram: $1: no space is left there" >&2\nexit 3\n', ""),
    (TAKE + "2>/dev/null\nexit 0\n", "bytes of disk/out, 200000 on a large disk"),
    (TAKE + '2>/dev/null && exit 0\necho "axelram: $1: no space is left there" >&2\nexit 3\n', "left disk/out"),
    (TAKE + '2>/dev/null && exit 0\nmv "$1" disk/.axelram-1-0.tmp\nexit 0\n', "left the temporary file"),
    (TAKE + '2>/dev/null && exit 0\nrm "$1"\nexit 0\n', "did not write disk/out"),
    ("exit 3\n", "on a large disk: exit code 3"),
)


def reported(script, changes):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "material").mkdir()
        (folder / "material" / "input").write_text("text\n")
        program = folder / "program"
        program.write_text("#!/bin/sh\n" + script)
        program.chmod(0o755)
        case = Case("planted", **{"arguments": [], "mentions": ("input",), "outputs": ("out",), **changes})
        return hostile.attempt(case, str(program), folder / "material", 1)[0]


def plants():
    yield from PROGRAMS
    changes = {"arguments": ["disk/out"], "mentions": ("disk",), "outputs": ("disk/out",), "full_disk": 65536}
    for script, expected in DISKS:
        if reported(script, {**changes, "codes": frozenset({0, 3})}) is not None:
            yield script, expected, {**changes, "codes": frozenset({0, 3})}


def holds():
    wrong = count = 0
    for script, expected, changes in plants():
        count += 1
        faults = reported(script, changes)
        if faults if not expected else not any(expected in fault for fault in faults):
            wrong += 1
            print(f"self-test: {script!r}: expected {expected!r}, found {faults}")
    every = [case.name for case in hostile.systematic(1)]
    names = [[case.name for case in hostile.selected(seed, 400, False)] for seed in (1, 1, 2)]
    for what, fault in (
        ("a seed gives the same cases twice", names[0] != names[1]),
        ("another seed gives others", names[0] == names[2]),
        ("the cases have different names", len(set(names[0])) != 400 or len(set(every)) != len(every)),
    ):
        if fault:
            wrong += 1
            print(f"self-test: not true: {what}")
    skipped = len(PROGRAMS) + len(DISKS) - count
    if skipped:
        print(f"{skipped} plants were not tried: no small file system can be mounted here")
    print(f"{count + 3} plants, {wrong} wrong")
    return hostile.FAILED if wrong else hostile.SKIPPED if skipped else 0
