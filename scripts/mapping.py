"""Maps the modules of a design to cells of a library, for `timing`: Yosys and ABC, one module at a time.

A mapped module is kept in the cache of compiled models ($AXELRAM_CACHE, $XDG_CACHE_HOME/axelram or ~/.cache/axelram),
in the folder timing. Its name is a digest of the module, the ports of its submodules, the version of Yosys, the library
and this file, so an outdated one is never used. Modules that are equal in several macros are thus mapped once."""
import collections
import concurrent.futures
import gzip
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

SELF = pathlib.Path(__file__).read_bytes()
MOST_LOADS = 12
BUFFER, TIE = "BUFX4", "BUFX2"

# Names made by Yosys are numbered from 0 in each module, so that equal modules of two macros have equal texts.
ELABORATE = """read_verilog -sv -defer -Irtl/common {sources}
hierarchy -check -top {top}
proc
rename -hide w:*$*
rename -enumerate -pattern $n%
write_rtlil elaborated.il
"""

# Cleaning of single gates is left to ABC, which does it faster.
MAP = """read_liberty -lib {library}
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
dfflibmap -liberty {library}
abc -liberty {library} -script map.abc
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


def run(command, folder, log):
    """Output goes to a log in the folder. Raises RuntimeError with its last lines."""
    with open(folder / log, "w", encoding="utf-8") as out:
        done = subprocess.run(command, cwd=folder, stdout=out, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        tail = (folder / log).read_text(encoding="utf-8", errors="replace").splitlines()[-5:]
        raise RuntimeError(f"{command[0]} failed: " + " | ".join(tail))


def cache_folder():
    base = os.environ.get("AXELRAM_CACHE")
    if not base:
        base = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "axelram")
    folder = pathlib.Path(base) / "timing"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def identifier(name):
    return name if re.fullmatch(r"[A-Za-z_]\w*", name) else f"\\{name} "


def plain(name):
    """Name of a module without characters that Verilog would have to escape."""
    return re.sub(r"\W+", "_", name).strip("_")


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


def buffer_nets(cells, fresh):
    """Trees of buffers for every net with more than MOST_LOADS loads, the clock apart; nets from `fresh` on are unused.
    Returns the number of buffers."""
    loads, clocks = {}, set()
    for name, cell in cells.items():
        for pin, nets in cell["connections"].items():
            if cell["port_directions"][pin] == "output":
                continue
            for index, net in enumerate(nets):
                if isinstance(net, int):
                    loads.setdefault(net, []).append((name, pin, index))
                    if pin in ("CLK", "clk_i"):
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
                cells[name] = {"type": BUFFER, "port_directions": {"A": "input", "Y": "output"},
                               "connections": {"A": [net], "Y": [fresh]}}
                above.append((name, "A", 0))
                fresh += 1
                count += 1
            level = above
    return count


def verilog(name, module):
    """Netlist of a mapped module. Registers have the names of their outputs in the RTL."""
    nets = {"0": "1'b0", "1": "1'b1", "x": "1'b0", "z": "1'b0"}
    lines, ties = [], []
    for direction in ("input", "output"):
        for port, wire in module["ports"].items():
            if wire["direction"] != direction:
                continue
            bits = wire["bits"]
            lines.append(f"{direction} {f'[{len(bits) - 1}:0] ' if len(bits) > 1 else ''}{port};")
            for index, bit in enumerate(bits):
                here = f"{port}[{index}]" if len(bits) > 1 else port
                if nets.setdefault(bit, here) != here:
                    ties.append(f"{TIE} tie{len(ties)}(.A({nets[bit]}),.Y({here}));")
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
        label = named.get(cell["connections"].get("Q", [None])[0], "$") if "$" in cell_name else cell_name
        if "$" in label or label in used:
            label = f"g{len(used)}"
        elif label in module["ports"]:
            label += "_reg"
        used.add(label)
        lines.append(f"{plain(cell['type'])} {identifier(label)}({','.join(pins)});")
    head = f"module {plain(name)}({','.join(module['ports'])});"
    return "\n".join([head, *lines, *ties, "endmodule", ""])


def read_mapped(path, name, design):
    """A mapped module as the cache keeps it: counts of cells, of buffers in trees and of submodules, and the netlist."""
    module = json.loads(path.read_text(encoding="utf-8"))["modules"][name]
    nets = [bit for wire in module["netnames"].values() for bit in wire["bits"] if isinstance(bit, int)]
    buffers = buffer_nets(module["cells"], 1 + max(nets, default=1))
    types = collections.Counter(cell["type"] for cell in module["cells"].values())
    inner = {plain(kind): number for kind, number in types.items() if kind in design}
    return {"cells": sum(types.values()) - sum(inner.values()), "buffers": buffers, "inner": inner,
            "verilog": verilog(name, module)}


def map_module(name, text, design, settings):
    """Maps one module, or takes it from the cache."""
    flow = SELF + json.dumps(settings, sort_keys=True).encode()
    kept = cache_folder() / (hashlib.sha256(flow + text.encode()).hexdigest()[:32] + ".json.gz")
    if kept.exists():
        return json.loads(gzip.decompress(kept.read_bytes()))
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="axelram-map-") as temporary:
        folder = pathlib.Path(temporary)
        (folder / "module.il").write_text(text, encoding="utf-8")
        (folder / "map.ys").write_text(MAP.format(**settings), encoding="utf-8")
        (folder / "map.abc").write_text(ABC.format(**settings), encoding="utf-8")
        run(["yosys", "-q", "map.ys"], folder, "map.log")
        mapped = read_mapped(folder / "mapped.json", name, design)
    part = kept.with_suffix(f".{os.getpid()}")
    part.write_bytes(gzip.compress(json.dumps(mapped).encode(), 1))
    part.replace(kept)
    if (seconds := time.monotonic() - start) >= 10:
        print(f"mapped {name.split(chr(92))[-1]}: {mapped['cells']} cells, {seconds:.0f} s", file=sys.stderr, flush=True)
    return mapped


def totals(modules, name, seen):
    """Library cells and buffers below a module, each instance counted."""
    if name not in seen:
        module = modules[name]
        seen[name] = [module["cells"], module["buffers"]]
        for inner, number in module["inner"].items():
            for index, value in enumerate(totals(modules, inner, seen)):
                seen[name][index] += number * value
    return seen[name]


def map_design(folder, sources, top, library, picoseconds, jobs):
    """Writes netlist.v to the folder of a design. Returns the numbers of cells and of buffers in trees."""
    (folder / "elaborate.ys").write_text(ELABORATE.format(sources=" ".join(sources), top=top), encoding="utf-8")
    run(["yosys", "-q", "elaborate.ys"], folder, "elaborate.log")
    texts = split((folder / "elaborated.il").read_text(encoding="utf-8"))
    version = subprocess.run(["yosys", "-V"], capture_output=True, text=True, check=True).stdout.strip()
    digest = hashlib.sha256(library.read_bytes()).hexdigest()
    settings = {"library": str(library), "digest": digest, "picoseconds": picoseconds, "yosys": version}
    names = {name.removeprefix("\\") for name in texts}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        mapped = pool.map(lambda item: map_module(item[0].removeprefix("\\"), item[1], names, settings), texts.items())
        modules = {plain(name): module for name, module in zip(texts, mapped)}
    with open(folder / "netlist.v", "w", encoding="utf-8") as netlist:
        for module in modules.values():
            netlist.write(module.pop("verilog"))
    return totals(modules, plain(top), {})
