"""One run of the program: in a folder of its own, under limits, with a signal at a time, and what it did."""

import dataclasses
import hashlib
import os
import resource
import selectors
import signal
import stat
import subprocess
import time

MARK = "AXELRAM_HOSTILE_CASE"
ADDRESS_SPACE = 16 << 30  # keeps a fault of the program from taking the machine
MOST_OUTPUT = 1 << 20


@dataclasses.dataclass
class Case:
    """A run and what is allowed to happen. Arguments and names are str or bytes."""

    name: str
    arguments: list
    prepare: object = None  # prepare(folder): changes the files of the folder first
    codes: frozenset = frozenset({0, 2})
    mentions: tuple = ()  # an error of exit code 2 or 3 contains one of these
    says: tuple = ()  # and all of these
    outputs: tuple = ()  # names that may be new or changed if the exit code is 0 or 1, with all below them
    partial: tuple = ()  # names that may be new although the exit code is 2 or 3: outputs written before another failed
    environment: dict = dataclasses.field(default_factory=dict)  # None removes a variable
    limits: dict = dataclasses.field(default_factory=dict)
    signal: tuple = None  # (number, seconds after the start)
    stdout: str = "pipe"  # or full (no space left), closed, broken (no process reads)
    unprivileged: bool = False  # as a user who does not own the machine
    full_disk: int = 0  # bytes of a file system that the folder `disk` is, if any
    deaths: frozenset = frozenset()  # further signals that may end the program
    seconds: float = 60
    memory: int = 1 << 30  # most resident bytes
    hardware: bool = False  # runs a compiled model
    slow: bool = False


@dataclasses.dataclass
class Outcome:
    code: int  # negative: ended by that signal, None: did not end in time
    out: bytes
    err: bytes
    seconds: float
    memory: int
    left_running: list


def snapshot(folder):
    """{name: (kind, mode, content)} of everything below a folder. Nothing but regular files is opened."""
    found = {}
    for parent, folders, names in os.walk(os.fsencode(folder)):
        for name in folders + names:
            path = os.path.join(parent, name)
            status = os.lstat(path)
            content = None
            if stat.S_ISLNK(status.st_mode):
                content = os.readlink(path)
            elif stat.S_ISREG(status.st_mode):
                content = (status.st_size, digest(path) if status.st_size < 1 << 26 else status.st_mtime_ns)
            found[os.path.relpath(path, os.fsencode(folder))] = (
                stat.S_IFMT(status.st_mode),
                status.st_mode & 0o777,
                content,
            )
    return found


def digest(path):
    descriptor = os.open(path, os.O_RDONLY | os.O_NOATIME if os.geteuid() == 0 else os.O_RDONLY)
    with open(descriptor, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def processes_of(mark):
    """Command lines of living processes whose environment carries the mark of a case."""
    entry, found = f"{MARK}={mark}".encode(), []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            if entry in open(f"/proc/{number}/environ", "rb").read().split(b"\0"):
                found.append((int(number), open(f"/proc/{number}/cmdline", "rb").read().replace(b"\0", b" ")[:80]))
        except OSError:
            continue
    return found


def started(program, case, folder, mark, environment):
    """The process, with its standard output and error as descriptors to read (or None)."""

    def before():
        for limit, value in {resource.RLIMIT_AS: ADDRESS_SPACE, resource.RLIMIT_CORE: 0, **case.limits}.items():
            resource.setrlimit(limit, (value, value))
        # Python ignores the first two, nohup and jobs in the background the others.
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        if case.stdout == "closed":
            os.close(1)
        if case.unprivileged and os.geteuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)

    environment = {**environment, MARK: mark}
    for name, value in case.environment.items():
        environment.pop(name, None)
        if value is not None:
            environment[name] = value
    out = subprocess.PIPE
    if case.stdout == "full":
        out = open("/dev/full", "wb")
    command = [*map(os.fsencode, program), *map(os.fsencode, case.arguments)]
    process = spawned(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=subprocess.PIPE,
        preexec_fn=before,
        start_new_session=True,
    )
    if case.stdout == "broken":
        process.stdout.close()
        process.stdout = None
    if case.stdout == "full":
        out.close()
    return process


def spawned(command, **options):
    """The limit of processes counts those of a user: cases that run at the same time can be in each other's way."""
    for _ in range(100):
        try:
            return subprocess.Popen(command, **options)
        except BlockingIOError:
            time.sleep(0.1)
    return subprocess.Popen(command, **options)


def run(program, case, folder, environment, slowness=1.0):
    """Runs a case and waits until it ended and nothing holds its output, but not longer than its seconds."""
    mark = f"{os.getpid()}-{time.monotonic_ns()}"
    begin = time.monotonic()
    process = started(program, case, folder, mark, environment)
    texts = {stream: bytearray() for stream in (process.stdout, process.stderr) if stream}
    deadline = begin + case.seconds * slowness
    pending = begin + case.signal[1] if case.signal else None
    status = usage = None
    with selectors.DefaultSelector() as selector:
        for stream in texts:
            selector.register(stream, selectors.EVENT_READ)
        while status is None or selector.get_map():
            now = time.monotonic()
            if now > deadline:
                break
            if pending is not None and now >= pending and status is None:
                os.kill(process.pid, case.signal[0])
                pending = None
            wait = min(
                0.02 if not selector.get_map() or status is not None else 0.2,
                deadline - now,
                *([max(pending - now, 0)] if pending else []),
            )
            for key, _ in selector.select(wait) if selector.get_map() else time.sleep(wait) or ():
                data = os.read(key.fd, 65536)
                if not data:
                    selector.unregister(key.fileobj)
                elif len(texts[key.fileobj]) < MOST_OUTPUT:
                    texts[key.fileobj] += data
            if status is None:
                ended, code, used = os.wait4(process.pid, os.WNOHANG)
                if ended:
                    status, usage = os.waitstatus_to_exitcode(code), used
                    deadline = min(deadline, now + 1)  # for what still holds its output
    seconds = time.monotonic() - begin
    left = [] if status is None else settled(mark)
    for number, _ in processes_of(mark):
        try:
            os.kill(number, signal.SIGKILL)
        except ProcessLookupError:
            pass
    if status is None:
        usage = os.wait4(process.pid, 0)[2]
    process.returncode = 0
    for stream in texts:
        stream.close()
    return Outcome(
        status,
        bytes(texts.get(process.stdout, b"")),
        bytes(texts.get(process.stderr, b"")),
        seconds,
        usage.ru_maxrss * 1024,
        left,
    )


def settled(mark):
    """What still runs a moment after the program ended: compilers that were told to end take a while."""
    for _ in range(20):
        left = processes_of(mark)
        if not left:
            return []
        time.sleep(0.1)
    return [command for _, command in left]
