"""Cases whose outputs cannot be written, must not be written, or are written in an odd place."""

import functools
import os
import pathlib

import commands
from process import Case

OLD = b"an older file of the user\n"


def occupied(kind, folder, name):
    """What stands at the output's place before the run."""
    path = pathlib.Path(folder) / name
    if kind == "file":
        path.write_bytes(OLD)
    elif kind == "directory":
        path.mkdir()
        (path / "mine").write_bytes(OLD)
    elif kind == "below-file":
        path.parent.write_bytes(OLD)
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "link":
        path.with_name("target").write_bytes(OLD)
        path.symlink_to("target")
    elif kind == "dangling":
        path.symlink_to("nowhere")
    elif kind == "loop":
        path.symlink_to(path.name)
    elif kind == "read-only":
        path.parent.mkdir()
        path.parent.chmod(0o555)


def occupy(folder, kind, name):
    occupied(kind, folder, name)


# kind: (name of the output if not its usual one, exit codes without --force, with --force)
PLACES = {
    "file": (None, {2}, {0}),
    "directory": (None, {2}, {2}),
    "fifo": (None, {2}, {2}),
    "link": (None, {2}, {0}),
    "dangling": (None, {2}, {2}),
    "loop": (None, {2}, {2}),
    "below-file": ("a/b", {2}, {2}),
    "read-only": ("locked/b", {3}, {3}),
    "no-folder": ("none/b", {2}, {2}),
    "full": ("/dev/full", {2}, {2}),
    "null": ("/dev/null", {2}, {2}),
    "proc": ("/proc/b", {2, 3}, {2, 3}),
    "sys": ("/sys/b", {2, 3}, {2, 3}),
    "empty": ("", {2}, {2}),
    "long": ("n" * 256, {2}, {2}),
    "longest": ("n/" * 3000 + "n", {2}, {2}),
    "slash": ("none/", {2}, {2}),
    "dot": (".", {2}, {2}),
    "root": ("/", {2}, {2}),
    "newline": (b"a\nb", {0}, {0}),
    "dash": (b"./-b", {0}, {0}),
    "invalid": (b"a\xffb", {0, 2}, {0, 2}),
}
# A directory as output is created with its parents, and an empty or own one is used again.
DIRECTORY = {
    "read-only": ({2, 3}, {2, 3}),
    "no-folder": ({0, 2}, {0, 2}),
    "slash": ({0, 2}, {0, 2}),
    "file": ({2}, {2}),
    "link": ({2}, {2}),
    "directory": ({2}, {0, 2}),
    "dot": ({2}, {0, 2}),
    "root": ({2, 3}, {2, 3}),
    "dangling": ({0, 2}, {0, 2}),
}


def suffixed(name, usual):
    """A plot names its format by its ending."""
    if isinstance(name, bytes) and usual.endswith(".json"):
        return name + b".json"
    return (
        name + ".json"
        if usual == "plot.json" and name and not name.startswith(("/", ".")) and not name.endswith("/")
        else name
    )


def places():
    for command in commands.COMMANDS:
        for option, usual in command.outputs:
            folder = command.directory and not option or option == "--dump"
            for kind, (name, plain, forced) in PLACES.items():
                if folder:
                    plain, forced = DIRECTORY.get(kind, (plain, forced))
                if kind == "root" and folder:
                    continue  # it would write there
                name = usual if name is None else suffixed(name, usual)
                for codes, force in ((plain, []), (forced, ["--force"])):
                    line = command.line(options=[option, name]) if option else command.line({usual: name})
                    written = [n for n in (name, "target" if kind == "link" else name) if n]
                    yield Case(
                        f"place/{command.name}/{usual}/{kind}{'/force' if force else ''}",
                        line + force,
                        (
                            functools.partial(occupy, kind=kind, name=name)
                            if PLACES[kind][0] is None or kind in ("below-file", "read-only")
                            else None
                        ),
                        codes=frozenset(codes),
                        mentions=(
                            os.fsdecode(name).split("/")[0] if name and kind not in ("newline", "invalid") else "",
                        ),
                        outputs=(*command.written(), *written, "none"),
                        unprivileged=kind == "read-only",
                    )


def inputs_as_outputs():
    for command in commands.COMMANDS:
        files = [name for name in command.inputs if "." in name]
        for option, usual in command.outputs:
            for name in files:
                for how, path in (("same", name), ("dot", f"./model/../{name}"), ("link", "link.json")):
                    prepare = functools.partial(linked, name=name) if how == "link" else None
                    line = command.line(options=[option, path]) if option else command.line({usual: path})
                    yield Case(
                        f"input/{command.name}/{usual}/{name}/{how}",
                        line + ["--force"],
                        prepare,
                        codes=frozenset({2}),
                        mentions=(path,),
                    )


def linked(folder, name):
    (pathlib.Path(folder) / "link.json").symlink_to(name)


def one_for_two():
    for command in commands.COMMANDS:
        pairs = [(a, b) for a in command.outputs for b in command.outputs if a[1] < b[1]]
        for (option, one), (other, two) in pairs:
            for force in ([], ["--force"]):
                # The first keeps its place in the arguments if it has one.
                first = [] if not option else [option, "same.json"]
                second = [other, "same.json"] if other else []
                replace = {name: "same.json" for o, name in ((option, one), (other, two)) if not o}
                yield Case(
                    f"twice/{command.name}/{one}/{two}{'/force' if force else ''}",
                    command.line(replace, [*first, *second, *force]),
                    codes=frozenset({2}),
                    mentions=("same.json",),
                )


def full_disks():
    """A file system with less space than the output takes."""
    for command in commands.COMMANDS:
        for option, usual in command.outputs:
            for size in (4096, 16384, 65536):
                name = f"disk/{usual}"
                line = command.line(options=[option, name]) if option else command.line({usual: name})
                yield Case(
                    f"disk/{command.name}/{usual}/{size}",
                    line,
                    codes=frozenset({0, 3}),
                    mentions=("disk",),
                    outputs=(*command.written(), name),
                    full_disk=size,
                )


def cases():
    for part in (places, inputs_as_outputs, one_for_two, full_disks):
        yield from part()
