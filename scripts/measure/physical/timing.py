"""Longest path of a routed part by OpenSTA, without wires and with their capacitance: of each net the area and the edges of
its wires, by the LEF, at its driver. Wires have no resistance, and no capacitance between one another."""
import re

from physical import flow

SPEF = """*SPEF "IEEE 1481-1998"
*DESIGN "{name}"
*DATE ""
*VENDOR ""
*PROGRAM ""
*VERSION ""
*DESIGN_FLOW ""
*DIVIDER /
*DELIMITER :
*BUS_DELIMITER [ ]
*T_UNIT 1 NS
*C_UNIT 1 PF
*R_UNIT 1 OHM
*L_UNIT 1 HENRY
"""

STA = """read_liberty {library}
read_verilog flat.v
link_design {name}
create_clock -name clk -period {period} {clock}
set_input_delay 0 -clock clk [{inputs}]
set_output_delay 0 -clock clk [all_outputs]
puts "== without wires"
report_checks -path_delay max
read_spef wires.spef
puts "== with wires"
report_checks -path_delay max
"""


def capacitances(lef):
    """{layer: (pF per um2, pF per um of edge)}."""
    found = re.findall(r"^LAYER (\w+)$(.*?)^END \1$", lef, re.M | re.S)
    return {name: (float(re.search(r"CPERSQDIST\s+(\S+)", body)[1]), float(re.search(r"EDGECAPACITANCE\s+(\S+)", body)[1]))
            for name, body in found if "CPERSQDIST" in body}


def wire_capacitance(net, widths, layers):
    total = 0.0
    for layer, x0, y0, x1, y1 in net.wires:
        length = abs(x1 - x0) + abs(y1 - y0)
        area, edge = layers[layer]
        total += length * (widths[layer] * area + 2 * edge)
    return total


def longest_paths(folder, name, layout, nets, widths):
    """[ns without, ns with] the capacitance of wires. `nets`: flow.netlist."""
    layers = capacitances(flow.LEF.read_text())
    outputs = set(re.search(r"^\.outputs (.*)$", (folder / f"{name}.blif").read_text(), re.M)[1].split())
    ports = sorted(pin for pins in nets.values() for instance, pin in pins if instance == "PIN")
    names = {net: net if net in ports else f"w{index}" for index, net in enumerate(sorted(nets))}
    names |= {"vdd": "1'b1", "gnd": "1'b0"}
    pins, spef = {}, SPEF.format(name=name)
    for net, joined in sorted(nets.items()):
        for instance, pin in joined:
            if instance != "PIN":
                pins.setdefault(instance, []).append(f".{pin}({names[net]})")
        driver = next((f"{instance}:{pin}" for instance, pin in sorted(joined) if instance != "PIN" and pin in ("Y", "Q", "YS", "YC")), None)
        if driver:
            value = wire_capacitance(layout.nets[net], widths, layers) if net in layout.nets else 0
            connections = "".join(f"*P {pin} {'O' if pin in outputs else 'I'}\n" if instance == "PIN" else
                                  f"*I {instance}:{pin} {'O' if f'{instance}:{pin}' == driver else 'I'}\n" for instance, pin in sorted(joined))
            loads = [each for each in (pin if instance == "PIN" else f"{instance}:{pin}" for instance, pin in sorted(joined)) if each != driver]
            resistors = "".join(f"{index} {driver} {load} 1e-3\n" for index, load in enumerate(loads, 1))
            spef += f"\n*D_NET {names[net]} {value:.6g}\n*CONN\n{connections}*CAP\n1 {driver} {value:.6g}\n*RES\n{resistors}*END\n"
    text = f"module {name}({', '.join(ports)});\n" + "".join(f"{'output' if port in outputs else 'input'} {port};\n" for port in ports)
    text += "".join(f"wire {each};\n" for net, each in names.items() if each.startswith("w") and net not in ports)
    text += "".join(f"{instance.rsplit('_', 1)[0]} {instance} ({', '.join(joined)});\n" for instance, joined in sorted(pins.items()))
    (folder / "flat.v").write_text(text + "endmodule\n")
    (folder / "wires.spef").write_text(spef)
    period = flow.PERIOD_PS / 1000
    clock = "[get_ports clk_i]" if "clk_i" in ports else ""
    (folder / "sta.tcl").write_text(STA.format(library=flow.LIBERTY, name=name, period=period, clock=clock,
                                                inputs="get_ports {" + " ".join(each for each in ports if each not in outputs | {"clk_i"}) + "}"))
    flow.run("sta", ["sta", "-exit", "sta.tcl"], folder, "sta.tcl")
    log = (folder / "sta.log").read_text()
    sections = [re.findall(r"^\s+(-?[\d.]+)\s+slack", section, re.M) for section in log.split("== with")[1:]]
    if len(sections) != 2 or not all(sections) or "Error" in log or "Warning" in log:
        raise flow.Stopped("OpenSTA: " + " | ".join(log.strip().splitlines()[-3:]))
    return [period - min(map(float, slacks)) for slacks in sections]
