"""Longest path and power of each module of a mapped design, alone: OpenSTA.

Inputs of a module come and its outputs are due at the clock edge, and its outputs drive nothing; the top has the
constraints that are generated with it. Power is that of a module's own cells, without those of its submodules."""
import concurrent.futures
import hashlib
import json
import pathlib
import re
import tempfile
import time

import mapping

READ = """read_liberty library.lib
{files}
link_design {top}
{conditions}
"""

# A module without a clock is timed against one that no register has. No path begins at the reset.
CONSTRAINTS = """create_clock -name clk_i -period {period} {port}
set_input_delay 0 -clock clk_i [all_inputs]
set_output_delay 0 -clock clk_i [all_outputs]
"""
RESET = "set_false_path -from [get_ports rst_ni]\n"
PATHS = "report_checks -path_delay max -format full -digits 4\n"
POWER = """puts "POWER {activity}"
set_power_activity -global -activity {activity} -duty 0.5
set_power_activity -input -activity {activity} -duty 0.5
report_power -digits 6
"""
CELL_ON_PATH = re.compile(r"^ +-?[\d.]+ +-?[\d.]+ [\^v] (\S+)/(\S+) \((\S+)\)$", re.M)


def inputs_of(verilog):
    """Names of the inputs of a mapped module."""
    return re.findall(r"^input (?:\[\d+:0\] )?(\w+);", verilog, re.M)


def longest(report):
    """{path group: {slack, from, to, depth}} of a report; depth: cells on the path without the register at its start."""
    found = {}
    for block in report.split("Startpoint: ")[1:]:
        group = re.search(r"Path Group: (\S+)", block)[1]
        slack = float(re.search(r"(-?[\d.]+)\s+slack", block)[1])
        start, end = block.split()[0], re.search(r"Endpoint: (\S+)", block)[1]
        arrival = block[: block.index("data arrival time")]
        passed = [cell for cell, _, _ in CELL_ON_PATH.findall(arrival) if cell not in (start, end)]
        found[group] = {"slack": slack, "from": start, "to": end, "depth": len(passed)}
    return found


def below(name, modules):
    """A module and all that it contains, each once, in the order of their names."""
    seen, queue = set(), [name]
    while queue:
        one = queue.pop()
        if one not in seen:
            seen.add(one)
            queue += modules[one]["inner"]
    return sorted(seen)


def run_sta(script, folder):
    """What a script of OpenSTA prints. Errors do not end it: the last line of a script says that it was reached."""
    (folder / "script.tcl").write_text(script + 'puts "DONE"\n', encoding="utf-8")
    mapping.run(["sta", "-exit", "script.tcl"], folder, "sta.log")
    said = (folder / "sta.log").read_text(encoding="utf-8")
    wrong = re.search(r"^Error: .*", said, re.M)
    if wrong or not said.endswith("DONE\n"):
        raise RuntimeError("sta failed: " + (wrong[0] if wrong else " | ".join(said.splitlines()[-3:])))
    return said


def measure(name, modules, library, period, constraints):
    """{paths: longest(), power: {activity: W}} of a module. `constraints`: of the top; None of other modules."""
    inputs = inputs_of(modules[name]["verilog"])
    if constraints is None:
        constraints = CONSTRAINTS.format(period=period, port="[get_ports clk_i]" if "clk_i" in inputs else "")
        if "rst_ni" in inputs:
            constraints += RESET
    conditions = f"set_operating_conditions {{{library['conditions']}}}" if library["conditions"] else ""
    with tempfile.TemporaryDirectory(prefix="axelram-sta-") as temporary:
        folder = pathlib.Path(temporary)
        (folder / "library.lib").symlink_to(library["liberty"])
        names = below(name, modules)
        for one in names:
            (folder / f"{one}.v").write_text(modules[one]["verilog"], encoding="utf-8")
        read = lambda files: READ.format(files="\n".join(f"read_verilog {file}.v" for file in files), top=name, conditions=conditions)
        power = "".join(POWER.format(activity=activity) for activity in (0, 1))
        report = run_sta(read(names) + constraints + PATHS, folder)
        powers = run_sta(read([name]) + constraints + power, folder)
    totals = re.findall(r"^Total\s+\S+\s+\S+\s+\S+\s+(\S+)", powers, re.M)
    if len(totals) != 2:
        raise RuntimeError("sta reports no power: " + " | ".join(powers.splitlines()[-5:]))
    return {"paths": longest(report), "power": [float(total) for total in totals]}


def measure_all(modules, top, library, period, constraints, jobs, progress=lambda line: None):
    """{module: measure()} of modules {name: mapped module}, from the cache if they have not changed."""
    digests = {name: hashlib.sha256(json.dumps(module, sort_keys=True).encode()).hexdigest() for name, module in modules.items()}
    facts = json.dumps([library["digest"], library["conditions"], period, mapping.version("sta")])
    script, count = pathlib.Path(__file__).read_bytes(), []

    def task(name):
        own = constraints if name == top else None
        key = script + json.dumps([facts, own, name, [digests[one] for one in below(name, modules)]]).encode()
        start = time.monotonic()
        found = mapping.stored(mapping.cache_folder(), key, lambda: measure(name, modules, library, period, own))
        count.append(name)
        if (seconds := time.monotonic() - start) >= 1:
            progress(f"[{len(count)}/{len(modules)}] sta {mapping.short(name)} {seconds:.0f} s")
        return name, found

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return dict(pool.map(task, modules))
