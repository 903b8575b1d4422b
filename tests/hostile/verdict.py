"""What must hold for every run, whatever the case was."""

import os
import re
import signal

DOCUMENTED = {0, 1, 2, 3}
MOST_LINE = 3000
LOADER = b"error while loading shared libraries"  # 127, before the program itself starts
# Words of libraries and of the language: a message that has them was not written for a user.
FOREIGN = re.compile(
    rb"json\.exception|filesystem error|std::|basic_string|vector::|bad_alloc|terminate called|"
    rb"what\(\)|stoi|stod|internal error|CLI::|Assertion|core dumped|Traceback|YAML::|yaml-cpp"
)
CONTROL = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]")
# What a message advises behind its last semicolon, or behind a colon and a verb.
ADVICE = re.compile(rb"(?:; |: (?:use|give|name|write) )(?!.*; )(.*)", re.DOTALL)
ADVISED = re.compile(rb"(--[a-z][a-z-]*) ([^\s,;:()]+)|the cache ([^\s,;:()]+)")
TEMPORARY = re.compile(rb"\.part|\.tmp|\.hier|\.axelram-")


def printable(text):
    return text.decode(errors="backslashreplace")


def about_exit(case, outcome):
    if outcome.code is None:
        yield f"did not end within {outcome.seconds:.0f} s"
        return
    deaths = set(case.deaths) | ({case.signal[0]} if case.signal else set())
    if outcome.code < 0:
        if -outcome.code not in deaths:
            yield f"died of {signal.Signals(-outcome.code).name}"
    elif outcome.code not in DOCUMENTED | case.codes and outcome.code - 128 not in deaths:
        yield f"exit code {outcome.code} is not documented"
    elif outcome.code == 127 and outcome.err and LOADER not in outcome.err:
        yield "exit code 127 is not the loader's"
    elif outcome.code in DOCUMENTED and outcome.code not in case.codes:
        yield f"exit code {outcome.code}, allowed {sorted(case.codes)}"
    if outcome.left_running:
        yield f"left running: {printable(outcome.left_running[0])}"
    if outcome.memory > case.memory:
        yield f"took {outcome.memory >> 20} MiB, allowed {case.memory >> 20}"


def given(arguments, option, value):
    words = [os.fsencode(word) for word in arguments]
    return any(words[i : i + 2] == [option, value] for i in range(len(words))) or option + b"=" + value in words


def done_before(case, message):
    """What a message advises although the command has it."""
    advice = ADVICE.search(message)
    for option, value, cache in ADVISED.findall(advice[1]) if advice else ():
        if given(case.arguments, option or b"--cache", value or cache):
            yield f"advises {printable(option or b'--cache')} {printable(value or cache)}, which was given"


def about_messages(case, outcome):
    control = CONTROL.search(outcome.err)
    if control:
        yield f"standard error has the control character {control[0]!r}"
    try:
        outcome.err.decode()
    except UnicodeDecodeError:
        yield "standard error is no UTF-8"
    foreign = FOREIGN.search(outcome.err)
    if foreign:
        yield f"standard error speaks of {printable(foreign[0])!r}"
    if case.stdout == "broken" and b"axelram: " in outcome.err:
        yield "speaks although nobody reads what it prints"
    if outcome.code not in (1, 2, 3):
        return
    errors = [line for line in outcome.err.splitlines() if line.startswith(b"axelram: ")]
    if len(errors) != 1 or not outcome.err.endswith(errors[0] + b"\n"):
        yield "standard error ends with no single line 'axelram: ...'"
        return
    if len(errors[0]) > MOST_LINE:
        yield f"a message of {len(errors[0])} bytes"
    if outcome.code == 1:
        return
    yield from done_before(case, errors[0])
    if len(errors[0]) < len(b"axelram: ") + 12:
        yield "the message says too little"
    if case.mentions and not any(as_printed(word) in errors[0] for word in case.mentions):
        yield f"the message names none of {', '.join(repr(word) for word in case.mentions)}"
    for word in case.says:
        if word.encode() not in errors[0]:
            yield f"the message does not say {word!r}"


def as_printed(word):
    """The program cuts long names in their middle."""
    return os.fsencode(word)[:40]


def below(name, allowed):
    return any(name == one or name.startswith(one + b"/") for one in map(os.path.normpath, map(os.fsencode, allowed)))


def killed(case, outcome):
    """A death that the case allows and no program survives to remove its files."""
    fatal = case.deaths & {signal.SIGKILL, signal.SIGSEGV}
    return any(outcome.code in (-number, 128 + number) for number in fatal)


def about_files(case, outcome, before, after, stray):
    """Inputs unchanged; an output only from a run that succeeded; nothing temporary unless the run was killed."""
    done = outcome.code in (0, 1)
    allowed = case.outputs if done or case.signal else case.partial
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        if new is not None and TEMPORARY.search(os.path.basename(name)):
            if not killed(case, outcome):
                yield f"left the temporary file {printable(name)}"
        elif not below(name, allowed):
            what = "removed" if new is None else "left" if old is None else "changed"
            yield f"{what} {printable(name)}"
    yield from (f"left {printable(name)} among temporary files" for name in sorted(stray))


def about_disk(case, outcome, kept, whole):
    """What is on a full disk is as long as on a large one; it is there only if the run succeeded.
    kept, whole: files of either disk and their sizes."""
    for name, size in sorted(kept.items()):
        if TEMPORARY.search(os.path.basename(name)):
            yield f"left the temporary file {printable(name)} on the disk"
        elif outcome.code not in (0, 1) and not below(name, case.partial):
            yield f"left {printable(name)} on the disk"
        elif name not in whole and below(name, case.partial):
            continue  # kept for the next run
        elif not 0.9 * whole.get(name, 0) - 64 <= size <= 1.1 * whole.get(name, 0) + 64:
            yield f"wrote {size} bytes of {printable(name)}, {whole.get(name, 0)} on a large disk"
    if outcome.code in (0, 1):
        yield from (f"did not write {printable(name)}" for name in sorted(whole.keys() - kept.keys()))


def faults_of(case, outcome, before, after, stray):
    """Everything that a run did wrong, as text."""
    return [
        *about_exit(case, outcome),
        *about_messages(case, outcome),
        *about_files(case, outcome, before, after, stray),
    ]
