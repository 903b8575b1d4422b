"""Maps a module to cells of osu018, places and routes it: Yosys and ABC (scripts/cells/mapping.py), graywolf, qrouter, and the
converters of qflow between them. The same netlist gives the same layout: graywolf draws from the seed of osu018.par."""
import collections
import pathlib
import re
import resource
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "cells"))
import mapping  # noqa: E402
import osu018  # noqa: E402
import tools  # noqa: E402

TECH = pathlib.Path("/usr/share/qflow/tech/osu018")
LEF, LIBERTY, PARAMETERS = (TECH / name for name in ("osu018_stdcells.lef", "osu018_stdcells.lib", "osu018.par"))
QFLOW = pathlib.Path("/usr/lib/qflow/scripts")
TOOLS = ("yosys", "graywolf", "qrouter", "tclsh", "sta")
PERIOD_PS = 6000  # that mapping aims at, as scripts/timing
LAYERS = 6

ROUTE = """verbose 1
read_lef {lef}
layers {layers}
via stack all
vdd vdd
gnd gnd
{obstructions}
read_def {name}.def
qrouter::standard_route {name}_route.def false
quit
"""


class Stopped(Exception):
    """A step does not end in its time, or fails; says which."""


def missing():
    """What this machine lacks, or None."""
    absent = [tool for tool in TOOLS if shutil.which(tool) is None]
    absent += [str(path) for path in (LEF, QFLOW / "place2def.tcl") if not path.exists()]
    return absent[0] if absent else None


def run(step, command, folder, output, limit=300):
    """Seconds of CPU time; what it prints goes to STEP.log. It must write the file `output`, in `limit` seconds of CPU time
    for each of its processes."""
    def limited():
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = tools.end(command, cwd=folder, preexec_fn=limited)
    (folder / f"{step}.log").write_text(done.stdout + done.stderr, encoding="utf-8")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode != 0 or not (folder / output).exists():
        late = seconds >= 0.95 * limit  # the kernel stops a process at its limit, and what started it fails
        how = tools.failure(done) if done.returncode != 0 else f"wrote no {output}"
        raise Stopped(f"{step} not done after {limit} s of CPU time" if late else f"{step} {how}")
    return seconds


def map_below(folder, sources, top, module, jobs):
    """Maps `module` of a design, and what is below it, into netlist.v. Returns its name there."""
    texts = mapping.elaborate(folder, sources, top)
    names = [name for name in texts if name.endswith("\\" + module)]
    if len(names) != 1:
        raise Stopped(f"{top} has {len(names)} modules {module}")
    wanted, queue = {}, names[:]
    while queue:
        name = queue.pop()
        wanted[name] = texts[name]
        body = texts[name].split("\nend\n", 1)[0]
        queue += [kind for kind in re.findall(r"^  cell (\S+) ", body, re.M) if kind in texts and kind not in wanted]
    mapped = mapping.map_modules(wanted, osu018.library(), PERIOD_PS, jobs)
    (folder / "netlist.v").write_text("".join(each["verilog"] for each in mapped.values()), encoding="utf-8")
    return mapping.plain(names[0])


def write_blif(folder, module, name):
    """The netlist flat, without inputs that no cell reads. Constants are the supplies."""
    script = (f"read_liberty -lib {LIBERTY}; read_verilog netlist.v; hierarchy -check -top {module}; flatten; "
              f"rename {module} {name}; splitnets -ports -format _; opt_clean -purge; write_blif -gates -impltf {name}.blif")
    run("flatten", ["yosys", "-q", "-p", script], folder, f"{name}.blif")
    path = folder / f"{name}.blif"
    text = path.read_text().replace("$true", "vdd").replace("$false", "gnd")
    read = set(re.findall(r"=(\S+)", text))
    inputs = re.search(r"^\.inputs (.*)$", text, re.M)
    path.write_text(text.replace(inputs[0], ".inputs " + " ".join(port for port in inputs[1].split() if port in read)))


def netlist(folder, name):
    """{net: pins (instance, pin)} of a netlist; ports are pins of the instance PIN. Instances are numbered as blif2cel does."""
    nets, numbers = collections.defaultdict(set), collections.Counter()
    for words in map(str.split, (folder / f"{name}.blif").read_text().splitlines()):
        if words[:1] == [".gate"]:
            numbers[words[1]] += 1
            for pin, net in (each.split("=") for each in words[2:]):
                nets[net].add((f"{words[1]}_{numbers[words[1]]}", pin))
        elif words[:1] in ([".inputs"], [".outputs"]):
            for port in words[1:]:
                nets[port].add(("PIN", port))
    return nets


def place(folder, name, limit):
    """NAME.def with places of cells and pins. Returns seconds of CPU time."""
    (folder / "lef.cfg").write_text(f"read_lef {LEF}\n")
    run("layers", ["qrouter", "-i", f"{name}.info", "-c", "lef.cfg"], folder, f"{name}.info")
    run("blif2cel", [QFLOW / "blif2cel.tcl", "--blif", f"{name}.blif", "--lef", LEF, "--cel", f"{name}.cel"], folder, f"{name}.cel")
    shutil.copy(PARAMETERS, folder / f"{name}.par")
    seconds = run("graywolf", ["graywolf", "-n", name], folder, f"{name}.pl1", limit)
    run("place2def", [QFLOW / "place2def.tcl", name, "FILL", str(LAYERS)], folder, f"{name}.def")
    run("addspacers", [QFLOW / "addspacers.tcl", name, LEF, "FILL"], folder, f"{name}_filled.def")
    shutil.move(folder / f"{name}_filled.def", folder / f"{name}.def")
    if (folder / f"{name}.obsx").exists():
        shutil.move(folder / f"{name}.obsx", folder / f"{name}.obs")
    run("arrangepins", [QFLOW / "arrangepins.tcl", name], folder, f"{name}_mod.def")
    shutil.move(folder / f"{name}_mod.def", folder / f"{name}.def")
    return seconds


def route(folder, name, limit):
    """NAME_route.def. Returns seconds of CPU time and the nets that qrouter gives up."""
    obstructions = (folder / f"{name}.obs").read_text()
    (folder / "route.cfg").write_text(ROUTE.format(lef=LEF, layers=LAYERS, name=name, obstructions=obstructions))
    seconds = run("qrouter", ["qrouter", "-nog", "-s", "route.cfg"], folder, f"{name}_route.def", limit)
    final = re.findall(r"^Final: (?:No failed routes!|Failed net routes: (\d+))$", (folder / "qrouter.log").read_text(errors="replace"), re.M)
    if not final:
        raise Stopped("qrouter does not say what failed")
    return seconds, int(final[-1] or 0)
