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

import latches
import mapping
import tools

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

# Latches. A report of all endpoints shows one that borrows time, whose slack is 0. So registers and outputs have a
# report of their own, and of the latches open in each phase that one is named whose data come last: the one that
# violates most if no time may be borrowed.
LATCH_PATHS = """puts "REGISTERS"
report_checks -path_delay max -to [concat [all_registers -edge_triggered -data_pins] [all_outputs]] -format full -digits 4
set_max_time_borrow 0 [get_clocks clk_i]
foreach phase {rise fall} {
  set latches [all_registers -level_sensitive -data_pins -${phase}_clock clk_i]
  if {[llength $latches] == 0} continue
  foreach end [find_timing_paths -path_delay max -to $latches] {
    puts "LATCH [get_full_name [get_property $end endpoint]]"
  }
}
"""
TO_LATCH = "report_checks -path_delay max -to [get_pins {%s}] -format full -digits 4\n"

# In a clock gate no clock passes while nothing but the clock toggles.
GATE = "axelram_clock_gate"
CLOSED = "set_case_analysis 0 [get_pins {%s}]\n"
OPENED = "unset_case_analysis [get_pins {%s}]\n"
POWER = """puts "POWER {activity}"
set_power_activity -global -activity {activity} -duty 0.5
set_power_activity -input -activity {activity} -duty 0.5
report_power -digits 6
"""
BORROWED = re.compile(r"pulse width +([\d.]+)\n.*\n-+\nmax time borrow +(-?[\d.]+)\nactual time borrow +(-?[\d.]+)")
CELL_ON_PATH = re.compile(r"^ +-?[\d.]+ +-?[\d.]+ [\^v] (\S+)/(\S+) \((\S+)\)$", re.M)


def inputs_of(verilog):
    """Names of the inputs of a mapped module."""
    return re.findall(r"^input (?:\[\d+:0\] )?(\w+);", verilog, re.M)


def slack_of(block, period):
    """Slack of a path in a report: the period less the one that the path needs. A path to a latch may take until the
    latch closes. A path that has half a period needs twice its time: from a latch that opens in the middle of the
    cycle, or to one that closes there."""
    slack = float(re.search(r"(-?[\d.]+)\s+slack", block)[1])
    edges = [float(time) for time in re.findall(r"^ +-?[\d.]+ +(-?[\d.]+) +clock \S+ \(\w+ edge\)$", block, re.M)]
    if len(edges) != 2:
        return slack
    launch, capture = edges
    if borrowed := BORROWED.search(block):
        slack += float(borrowed[2]) - float(borrowed[3])
        capture += float(borrowed[1])
    given = re.search(r"^ +([\d.]+) +[\d.]+ +time given to startpoint$", block, re.M)
    if given and float(given[1]) > 0:
        launch = 0  # of the register in front of the latch
    share = (capture - launch) / period
    return slack if abs(share - 1) < 1e-3 else period - (share * period - slack) / share


def longest(report, period):
    """{path group: {slack, from, to, depth}} of a report; depth: cells on the path without the register at its start.
    Checks of clock gates belong to the group of the clock."""
    found = {}
    for block in report.split("Startpoint: ")[1:]:
        group = re.search(r"Path Group: (\S+)", block)[1].replace("**clock_gating_default**", "clk_i")
        slack = slack_of(block, period)
        if group in found and found[group]["slack"] <= slack:
            continue
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
    said = tools.ask(["sta", "-exit", "script.tcl"], cwd=folder)
    wrong = re.search(r"^Error: .*", said, re.M)
    if wrong or not said.endswith("DONE\n"):
        raise tools.ToolError("sta failed: " + (wrong[0] if wrong else " | ".join(said.splitlines()[-3:])))
    return said


def paths_of(script, latched, period, folder):
    """longest() of the design that a script reads, and the report of it. `latched`: it has latches."""
    report = run_sta(script + PATHS + (LATCH_PATHS if latched else ""), folder)
    if not latched:
        return longest(report, period), report
    whole, registers = report.split("REGISTERS\n")
    # Resets and clock gates have groups of their own in a report of all endpoints.
    others = [block for block in whole.split("Startpoint: ")[1:] if "Path Group: clk_i\n" not in block]
    ends = re.findall(r"^LATCH (\S+)$", registers, re.M)
    to_latches = run_sta(script + "".join(TO_LATCH % end for end in ends), folder)
    report = "".join("Startpoint: " + block for block in others) + registers + to_latches
    return longest(report, period), report


def measure(name, modules, library, period, constraints):
    """{paths: longest(), power: {idle, busy, leakage: W}} of a module: at activities 0 and 1, and without a clock. `constraints`: of the top; None of other modules."""
    inputs = inputs_of(modules[name]["verilog"])
    if constraints is None:
        constraints = CONSTRAINTS.format(period=period, port="[get_ports clk_i]" if "clk_i" in inputs else "")
        if "rst_ni" in inputs:
            constraints += RESET
    conditions = f"set_operating_conditions {{{library['conditions']}}}" if library["conditions"] else ""
    with tempfile.TemporaryDirectory(prefix="axelram-sta-") as temporary:
        folder = pathlib.Path(temporary)
        mapping.put_library(library["liberty"], folder)
        names = below(name, modules)
        for one in names:
            (folder / f"{one}.v").write_text(modules[one]["verilog"], encoding="utf-8")
        read = lambda files: READ.format(files="\n".join(f"read_verilog {file}.v" for file in files), top=name, conditions=conditions)
        enables = latches.instances(modules[name]["verilog"], library) if mapping.short(name) == GATE else []
        gate = [f"{latch}/{library['latch']['output']}" for latch in enables]
        power = "".join(CLOSED % pin for pin in gate) + POWER.format(activity=0)
        power += "".join(OPENED % pin for pin in gate) + POWER.format(activity=1)
        latched = any(latches.instances(modules[one]["verilog"], library) for one in names)
        found, _ = paths_of(read(names) + constraints, latched, period, folder)
        powers = run_sta(read([name]) + constraints + power, folder)
    totals = [(float(leakage), float(total)) for leakage, total in re.findall(r"^Total\s+\S+\s+\S+\s+(\S+)\s+(\S+)", powers, re.M)]
    if len(totals) != 2:
        raise tools.ToolError("sta reports no power: " + " | ".join(powers.splitlines()[-5:]))
    (leakage, idle), (_, busy) = totals
    return {"paths": found, "power": {"idle": idle, "busy": busy, "leakage": leakage}}


def measure_all(modules, top, library, period, constraints, jobs, progress=lambda line: None):
    """{module: measure()} of modules {name: mapped module}, from the cache if they have not changed."""
    digests = {name: hashlib.sha256(json.dumps(module, sort_keys=True).encode()).hexdigest() for name, module in modules.items()}
    facts = json.dumps([library["digest"], library["conditions"], period, tools.version("sta")])
    script, count = b"".join(pathlib.Path(file).read_bytes() for file in (__file__, latches.__file__)), []

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
