"""Maps the modules of a design to cells of a library: Yosys and ABC, one module at a time.

A mapped module is kept in the cache of compiled models ($AXELRAM_CACHE, $XDG_CACHE_HOME/axelram or ~/.cache/axelram),
in the folder cells. Its name is a digest of the module, the ports of its submodules, the version of Yosys, the library,
this file and latches.py, so an outdated one is never used. Modules that are equal in several macros are thus mapped once.

`library` is {liberty: path, digest: of the file, buffer and tree_buffer: {name, input, output}, flip_flops: {cell: clock
pin}, latches: {cell: enable pin}, latch: {name, data, enable, output, high: true if it is open while the enable is 1} or
null}: what axelram::files::CellLibrary has."""
import codecs
import collections
import concurrent.futures
import gzip
import hashlib
import json
import os
import pathlib
import re
import sys
import tempfile
import threading
import time

import latches

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
import places  # noqa: E402
import tools  # noqa: E402

SELF = b"".join(pathlib.Path(file).read_bytes() for file in (__file__, latches.__file__))
MOST_LOADS = 12

# Names made by Yosys are numbered from 0 in each module, so that equal modules of two macros have equal texts.
ELABORATE = """read_verilog -sv -defer -Irtl/common {sources}
hierarchy -check -top {top}
proc
rename -hide w:*$*
rename -enumerate -pattern $n%
write_rtlil elaborated.il
"""

# Cleaning of single gates is left to ABC, which does it faster.
MAP = """read_liberty -lib library.lib
read_rtlil module.il
opt
wreduce
peepopt
opt_clean
alumacc
opt_clean
memory -nomap
memory_map
opt -full
techmap
techmap -map latches.v
dfflibmap -liberty library.lib
abc -liberty library.lib -script map.abc
opt_clean
setundef -zero
write_json mapped.json
"""

# Merging equal nodes and balancing take a fifth of the time of dch and give equal or shorter paths. ifraig merges the
# same nodes, but does not end on a million of gates.
ABC = """strash
&get -n
&fraig -x
&put
balance
map -B 0.9 -D {picoseconds}
topo
upsize -D {picoseconds}
dnsize -D {picoseconds}
"""


def run_yosys(script, folder, subject, writes):
    """Runs a script in a folder, where it writes a file. It prints nothing."""
    (folder / "script.ys").write_text(script, encoding="utf-8")
    tools.call(["yosys", "-q", "script.ys"], subject, cwd=folder)
    written = folder / writes
    if not written.exists() or written.stat().st_size == 0:
        raise tools.ToolError(f"Yosys wrote no {writes} on {subject}, and reported no error")
    return written


def put_library(liberty, folder):
    """library.lib in a folder, without a byte order mark, which the tools do not take."""
    with open(liberty, "rb") as file:
        marked = file.read(3) == codecs.BOM_UTF8
        if marked:
            (folder / "library.lib").write_bytes(file.read())
    if not marked:
        (folder / "library.lib").symlink_to(liberty)


def cache_folder():
    folder = pathlib.Path(os.environ.get("AXELRAM_CACHE") or places.cache_home() / "axelram") / "cells"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def identifier(name):
    return name if re.fullmatch(r"[A-Za-z_]\w*", name) else f"\\{name} "


def plain(name):
    """Name of a module without characters that Verilog would have to escape."""
    return re.sub(r"\W+", "_", name).strip("_")


def short(name):
    """Name in the RTL of a module that Yosys made of it and parameters, as it is or plain()."""
    found = re.search(r"axelram_\w+?(?=_\w+_s32_[01]+|\\|$)", name)
    return found[0] if found else name.split("\\")[-1]


def split(text):
    """{module: its RTLIL, with its submodules as black boxes} of a design."""
    modules, pending, current = {}, [], None
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("attribute \\src"):
            continue
        if current is not None:
            current.append(line.replace("\\$n", "$n"))
            if line == "end\n":
                current = None
        elif line.startswith("attribute"):
            pending.append(line)
        elif line.startswith("module "):
            current = modules[line.split()[1]] = [*pending, line]
            pending = []
    stubs = {}
    for name, lines in modules.items():
        ports = [line for line in lines if re.match(r"  wire .*\b(input|output) \d", line)]
        stubs[name] = f"attribute \\blackbox 1\nmodule {name}\n{''.join(ports)}end\n"
    whole = {}
    for name, lines in modules.items():
        inner = {line.split()[1] for line in lines if line.startswith("  cell ")} & stubs.keys()
        whole[name] = "".join(lines) + "".join(stubs[each] for each in sorted(inner))
    return whole


def instances(text, modules):
    """{name of an instance, with the generate blocks around it: module} of a module's RTLIL."""
    cells = [line.split() for line in text.splitlines() if line.startswith("  cell ")]
    return {name.removeprefix("\\"): plain(kind) for _, kind, name in cells if kind in modules}


def clock_pin(cell, library):
    """Name of the pin of a register or of a module that takes a clock."""
    return {**library["latches"], **library["flip_flops"]}.get(cell["type"], "clk_i")


def buffer_nets(cells, fresh, library):
    """Trees of buffers for every net with more than MOST_LOADS loads, clocks and enables of latches apart; nets from
    `fresh` on are unused. Returns the number of buffers."""
    loads, clocks, buffer = {}, set(), library["tree_buffer"]
    for name, cell in cells.items():
        for pin, nets in cell["connections"].items():
            if cell["port_directions"][pin] == "output":
                continue
            for index, net in enumerate(nets):
                if isinstance(net, int):
                    loads.setdefault(net, []).append((name, pin, index))
                    if pin == clock_pin(cell, library):
                        clocks.add(net)
    count = 0
    for net, level in list(loads.items()):
        if net in clocks:
            continue
        while len(level) > MOST_LOADS:
            groups = -(-len(level) // MOST_LOADS)
            size = -(-len(level) // groups)
            above = []
            for first in range(0, len(level), size):
                for name, pin, index in level[first : first + size]:
                    cells[name]["connections"][pin][index] = fresh
                name = f"tree{count}"
                cells[name] = {"type": buffer["name"], "port_directions": {buffer["input"]: "input", buffer["output"]: "output"},
                               "connections": {buffer["input"]: [net], buffer["output"]: [fresh]}}
                above.append((name, buffer["input"], 0))
                fresh += 1
                count += 1
            level = above
    return count


def register_of(cell, named, library):
    """Name of the signal that a flip-flop or a latch holds, or "$"."""
    outputs = [nets[0] for pin, nets in cell["connections"].items() if cell["port_directions"][pin] == "output"]
    holds = cell["type"] in library["flip_flops"] or cell["type"] in library["latches"]
    names = [named[net] for net in outputs if net in named] if holds else []
    return names[0] if names else "$"


def verilog(name, module, library):
    """Netlist of a mapped module, and how many buffers tie its ports. Registers have the names of their outputs in the RTL."""
    nets = {"0": "1'b0", "1": "1'b1", "x": "1'b0", "z": "1'b0"}
    lines, ties, tie = [], [], library["buffer"]
    for direction in ("input", "output"):
        for port, wire in module["ports"].items():
            if wire["direction"] != direction:
                continue
            bits = wire["bits"]
            lines.append(f"{direction} {f'[{len(bits) - 1}:0] ' if len(bits) > 1 else ''}{port};")
            for index, bit in enumerate(bits):
                here = f"{port}[{index}]" if len(bits) > 1 else port
                if nets.setdefault(bit, here) != here:
                    ties.append(f"{tie['name']} tie{len(ties)}(.{tie['input']}({nets[bit]}),.{tie['output']}({here}));")
    named = {}
    for net, wire in module["netnames"].items():
        if "$" not in net:
            for index, bit in enumerate(wire["bits"]):
                named.setdefault(bit, f"{net}[{index}]" if len(wire["bits"]) > 1 else net)
    used = set()
    for cell_name, cell in module["cells"].items():
        pins = []
        for pin, bits in cell["connections"].items():
            joined = ",".join([nets.setdefault(bit, f"n{bit}") for bit in reversed(bits)])
            pins.append(f".{pin}({{{joined}}})" if len(bits) > 1 else f".{pin}({joined})")
        label = register_of(cell, named, library) if "$" in cell_name else cell_name
        if "$" in label or label in used:
            label = f"g{len(used)}"
        elif label in module["ports"]:
            label += "_reg"
        used.add(label)
        lines.append(f"{plain(cell['type'])} {identifier(label)}({','.join(pins)});")
    head = f"module {plain(name)}({','.join(module['ports'])});"
    return "\n".join([head, *lines, *ties, "endmodule", ""]), len(ties)


def read_mapped(path, name, design, library):
    """A mapped module as the cache keeps it: {cells: of each kind of the library, buffers: those of trees, inner: {module:
    instances}, verilog: its netlist}."""
    module = json.loads(path.read_text(encoding="utf-8"))["modules"][name]
    nets = [bit for wire in module["netnames"].values() for bit in wire["bits"] if isinstance(bit, int)]
    buffers = buffer_nets(module["cells"], 1 + max(nets, default=1), library)
    kinds = collections.Counter(cell["type"] for cell in module["cells"].values())
    inner = {plain(kind): number for kind, number in kinds.items() if kind in design}
    cells = {kind: number for kind, number in kinds.items() if kind not in design}
    text, ties = verilog(name, module, library)
    cells[library["buffer"]["name"]] = cells.get(library["buffer"]["name"], 0) + ties
    return {"cells": cells, "buffers": buffers, "inner": inner, "verilog": text}


def stored(folder, key, make):
    """What make() returns, from the cache if it was made with the same key. `folder`: of the cache."""
    kept = folder / (hashlib.sha256(key).hexdigest()[:32] + ".json.gz")
    if kept.exists():
        return json.loads(gzip.decompress(kept.read_bytes()))
    made = make()
    part = kept.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
    part.write_bytes(gzip.compress(json.dumps(made).encode(), 1, mtime=0))
    part.replace(kept)
    return made


def map_module(name, text, design, library, picoseconds, told=lambda seconds: None):
    """Maps one module, or takes it from the cache. told(seconds) is called if it was mapped."""
    def make():
        start = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="axelram-map-") as temporary:
            folder = pathlib.Path(temporary)
            put_library(library["liberty"], folder)
            (folder / "module.il").write_text(text, encoding="utf-8")
            (folder / "latches.v").write_text(latches.techmap(library), encoding="utf-8")
            (folder / "map.abc").write_text(ABC.format(picoseconds=picoseconds), encoding="utf-8")
            mapped = read_mapped(run_yosys(MAP, folder, short(name), "mapped.json"), name, design, library)
        told(time.monotonic() - start)
        return mapped

    facts = {key: library[key] for key in sorted(library) if key != "liberty"}
    key = json.dumps([facts, picoseconds, tools.version("yosys")], sort_keys=True).encode()
    return stored(cache_folder(), SELF + key + text.encode(), make)


def elaborate(folder, sources, top):
    """{module: its RTLIL} of a design in a folder."""
    written = run_yosys(ELABORATE.format(sources=" ".join(sources), top=top), folder, top, "elaborated.il")
    return split(written.read_text(encoding="utf-8"))


def map_modules(texts, library, picoseconds, jobs, progress=lambda line: None):
    """{name in the netlist: mapped module} of modules {name: RTLIL}."""
    design, done = {name.removeprefix("\\") for name in texts}, []

    def task(item):
        name = item[0].removeprefix("\\")
        mapped = map_module(name, item[1], design, library, picoseconds,
                            lambda seconds: progress(f"[{len(done) + 1}/{len(texts)}] abc {short(name)} {seconds:.0f} s"))
        done.append(name)
        return plain(name), mapped

    # The longest first, so that no core waits for them at the end.
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        mapped = dict(pool.map(task, sorted(texts.items(), key=lambda item: -len(item[1]))))
    return {plain(name): mapped[plain(name)] for name in texts}
