#!/usr/bin/env python3
"""FuseSoC cores resolve from the files below a folder alone: each name once, each dependency and each file there.

cores.py FOLDER...     where FuseSoC is installed, it also sets up each target of each core
cores.py --self-test   plants faults and demands that each is found
Exit codes: 0 all resolve, 1 one does not, 2 bad usage.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def read(path):
    """-> (name without version, dependencies, files, targets) of a core as the generator writes it."""
    text = path.read_text(encoding="utf-8")
    name = re.search(r"^name: (.+):[0-9.]+$", text, re.M)
    depends = [one.strip() for found in re.findall(r"depend: \[(.*)\]", text) for one in found.split(",")]
    files = re.findall(r"^      - ([^\s:]+)", text, re.M)
    targets = re.findall(r"^  (\w+):(?: &\w+)?$", text.partition("\ntargets:\n")[2], re.M)
    return name and name[1], depends, files, targets


def faults(folder):
    """-> a line for each reason why the cores below a folder do not resolve."""
    found, cores = [], {}
    for path in sorted(folder.rglob("*.core")):
        name, *core = read(path)
        shown = path.relative_to(folder)
        if name is None:
            found.append(f"{shown}: has no name")
        elif name in cores:
            found.append(f"{shown}: {name} is also the name of {cores[name][0]}")
        else:
            cores[name] = (shown, *core)
    if not cores and not found:
        found.append("no core")
    for path, depends, files, targets in cores.values():
        found += [f"{path}: no core {name}" for name in depends if name not in cores]
        if not files or not targets:
            found.append(f"{path}: has no file or no target")
        root = folder / path.parent
        found += [f"{path}: no file {name} beside it" for name in files
                  if ".." in pathlib.PurePosixPath(name).parts or not (root / name).is_file()]
    return found or set_up(folder, cores)


def set_up(folder, cores):
    """-> lines of what FuseSoC says to a target that it cannot set up."""
    tool = shutil.which("fusesoc")
    found = []
    for name, (_, _, _, targets) in cores.items() if tool else ():
        for target in targets if targets != ["default"] else ():
            if target == "default":  # names no tool
                continue
            with tempfile.TemporaryDirectory() as work:
                run = subprocess.run([tool, "--cores-root", folder.resolve(), "run", "--setup", "--target", target, name],
                                     cwd=work, capture_output=True, text=True)
            if run.returncode or "ERROR" in run.stderr:
                found.append(f"{name}, target {target}: {run.stderr.strip()}")
    return found


CORE = "CAPI=2:\nname: axelram::{}:0.1.0\nfilesets:\n  rtl:\n{}    files:\n      - {}\n\ntargets:\n  default:\n    filesets: [rtl]\n"
# What is planted: the name of a core, its file, whether the file is there, and what is said of it.
PLANTED = [("quay", "quay.sv", True, ""), ("common", "quay.sv", True, "is also the name of"),
           ("quay", "quay.sv", False, "no file quay.sv"), ("quay", "../quay.sv", True, "no file ../quay.sv")]


def self_test():
    wrong = []
    for name, file, there, message in PLANTED:
        with tempfile.TemporaryDirectory() as work:
            folder = pathlib.Path(work, "cores", "macro")
            folder.mkdir(parents=True)
            for one in ["common.sv", *([file] if there else [])]:
                (folder / one).touch()
            (folder / "common.core").write_text(CORE.format("common", "", "common.sv"))
            (folder / "macro.core").write_text(CORE.format(name, "    depend: [axelram::common]\n", file))
            said = "\n".join(faults(folder))
            if (message not in said) if message else said:
                wrong.append(f"{name}, {file}: {said or 'nothing said'}")
            (folder / "common.core").unlink()
            if name == "quay" and "no core axelram::common" not in "\n".join(faults(folder)):
                wrong.append(f"{name}: nothing said of a dependency that is absent")
    return wrong


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    found = self_test() if sys.argv[1:] == ["--self-test"] else [line for f in sys.argv[1:] for line in faults(pathlib.Path(f))]
    print("\n".join(found) or "all resolve")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
