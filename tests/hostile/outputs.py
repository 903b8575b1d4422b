"""Cases whose outputs cannot be written, must not be written, or are written in an odd place."""

import functools
import os
import pathlib

import commands

OLD = b"an older file of the user\n"


def folder_of_user(path):
    path.mkdir()
    (path / "mine").write_bytes(OLD)


def linked_to_file(path):
    path.with_name("target").write_bytes(OLD)
    path.symlink_to("target")


def below_read_only(path):
    path.parent.mkdir()
    path.parent.chmod(0o555)


# Files and folders that exist at the path of the output before the run.
OCCUPIED = {
    "file": lambda path: path.write_bytes(OLD),
    "directory": folder_of_user,
    "below-file": lambda path: path.parent.write_bytes(OLD),
    "fifo": os.mkfifo,
    "link": linked_to_file,
    "dangling": lambda path: path.symlink_to("nowhere"),
    "loop": lambda path: path.symlink_to(path.name),
    "read-only": below_read_only,
}


def occupy(folder, kind, name):
    OCCUPIED[kind](pathlib.Path(folder) / name)


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
    if isinstance(name, bytes):
        return name + b".json" if usual.endswith(".json") else name
    plain = name and not name.startswith(("/", ".")) and not name.endswith("/")
    return name + ".json" if usual == "plot.json" and plain else name


def places():
    for command in commands.EVERY:
        for option, usual in command.outputs:
            folder = command.makes_folder(usual)
            for kind, (name, plain, forced) in PLACES.items():
                if folder:
                    plain, forced = DIRECTORY.get(kind, (plain, forced))
                if command.label == "generate" and kind == "directory":
                    plain = {0}  # beside files of others, which stay
                if kind == "root" and folder:
                    continue  # it would write there
                name = usual if name is None else suffixed(name, usual)
                for codes, force in ((plain, []), (forced, ["--force"])):
                    written = [n for n in (name, "target" if kind == "link" else name) if n]
                    if kind == "dot" and usual == "swept":
                        written += ["points", "sweep.json", "sweep.csv", "sweep_pareto_1.json"]
                    if option == "--waves" and name:
                        written.append(os.path.splitext(os.fsencode(name))[0] + b".gtkw")
                    prepare = functools.partial(occupy, kind=kind, name=name)
                    named = name and kind not in ("newline", "invalid")
                    yield command.case(
                        "place", f"{usual}/{kind}{'/force' if force else ''}",
                        command.writing(usual, name) + force, prepare if kind in OCCUPIED else None, codes,
                        mentions=(os.fsdecode(name).split("/")[0] if named else "",),
                        outputs=(*command.written(), *written, "none"),
                        unprivileged=kind == "read-only")


# Files of a folder that is an input.
HELD = {"model": ("config.json", "model.safetensors"), "words": ("config.json", "tokenizer.json", "model.safetensors")}


def files_of(command):
    for name in command.inputs:
        yield from (f"{name}/{one}" for one in HELD.get(name, ())) if name in HELD else (name,)


def inputs_as_outputs():
    for command in commands.EVERY:
        for _, usual in command.outputs:
            for name in files_of(command):
                for how, path in (("same", name), ("dot", f"./model/../{name}"), ("link", "link.json")):
                    prepare = functools.partial(linked, name=name) if how == "link" else None
                    yield command.case(
                        "input", f"{usual}/{name.replace('/', '-')}/{how}",
                        command.writing(usual, path) + ["--force"], prepare, {2}, mentions=(path,))
    for role in ("signs", "center"):
        for name in ("axelram.json", "README.md", "rtl/common/axelram_macro.sv"):
            yield commands.GENERATE.case(
                "input", f"rtl/{role}/{name.replace('/', '-')}",
                ["generate", "own/mine.yaml", "-o", "own", "--force"],
                functools.partial(put_where_generated, role=role, name=name), {2}, mentions=(name,))


def linked(folder, name):
    (pathlib.Path(folder) / "link.json").symlink_to(name)


def put_where_generated(folder, role, name):
    """A configuration in the folder that generate writes, whose signs or center have the name of a generated file."""
    folder = pathlib.Path(folder)
    path = folder / "own" / name
    path.parent.mkdir(parents=True)
    path.write_bytes((folder / f"{role}.safetensors").read_bytes())
    (folder / "own" / "mine.yaml").write_text(
        f"macro: {{head_dim: 32, max_keys: 64}}\nrotation: {{{role}: {name}, layer: 1, head: 0}}\n"
    )


def one_for_two():
    for command in commands.EVERY:
        pairs = [(a, b) for a in command.outputs for b in command.outputs if a[1] < b[1]]
        for (option, one), (other, two) in pairs:
            for force in ([], ["--force"]):
                # The first keeps its place in the arguments if it has one.
                first = [] if not option else [option, "same.json"]
                second = [other, "same.json"] if other else []
                replace = {name: "same.json" for o, name in ((option, one), (other, two)) if not o}
                yield command.case(
                    "twice", f"{one}/{two}{'/force' if force else ''}",
                    command.line(replace, [*first, *second, *force]), codes={2},
                    mentions=("same.json",))


SIZES = (4096, 16384, 65536)
WAVES = (*SIZES, 98304, 131072, 196608)  # a waveform is larger


def full_disks():
    """A file system with less space than the output takes."""
    for command in commands.EVERY:
        for option, usual in command.outputs:
            for size in WAVES if option == "--waves" else SIZES:
                name = f"disk/{usual}"
                # Folders are written file by file, except those of these commands; a view after its waveform.
                whole = command.name in ("stress", "convert", "tune")
                several = not whole and (command.makes_folder(usual) or option == "--waves")
                kept = tuple(one for folder in (name, *command.written()) for one in command.kept(folder))
                yield command.case(
                    "disk", f"{usual}/{size}", command.writing(usual, name), codes={0, 3},
                    mentions=("disk",), outputs=(*command.written(), name),
                    partial=((name,) if several else ()) + kept, full_disk=size)


def cases():
    for part in (places, inputs_as_outputs, one_for_two, full_disks):
        yield from part()
