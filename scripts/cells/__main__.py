#!/usr/bin/env python3
"""Cells, longest path and power of each module of a generated macro in a cell library: `axelram report --liberty` runs it.

Usage: cells SETTINGS.json RESULT.json
  SETTINGS.json   {folder, sources, top: of the generated design, whose folder may be written; library: what mapping.py
                  needs, and the name of its operating conditions, conditions; period: ns; jobs: number}
  RESULT.json     {tools: [name and version], top, modules: {name: {source: name in the RTL, cells: {kind: number}, buffers,
                  inner: {name: number}, instances: {name: module}, paths: {group: {slack, from, to, depth}}, power: {idle, busy, leakage: W}}}}
Lines on standard output tell how far it is. Exit: 0 written, 3 a tool is missing, too old or fails (a line on standard
error says which).
The SRAM is a register at its pins, in a module without cells of its own."""
import json
import pathlib
import re
import sys
import threading

import mapping
import memory
import paths
import tools

def source_name(name):
    """Name in the RTL of a module that Yosys made of it and parameters."""
    return re.sub(r"^\$paramod(\$\w+)?\\?", "", name.removeprefix("\\")).split("\\")[0].lstrip("$")


def main():
    settings = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    folder, library, period, jobs = (pathlib.Path(settings["folder"]), settings["library"], settings["period"], settings["jobs"])

    said = threading.Lock()

    def progress(line):
        with said:
            print(line, flush=True)

    try:
        versions = [tools.version("yosys"), tools.version("sta")]
        memory.replace(folder)
        texts = mapping.elaborate(folder, settings["sources"], settings["top"])
        modules = mapping.map_modules(texts, library, round(period * 1000), jobs, progress)
        top = mapping.plain(settings["top"])
        constraints = re.sub(r"(?m)^set period .*", f"set period {period}", (folder / "axelram.sdc").read_text(encoding="utf-8"))
        measured = paths.measure_all(modules, top, library, period, constraints, jobs, progress)
    except (OSError, RuntimeError) as error:
        print(str(error).replace("library.lib", library["liberty"]), file=sys.stderr)
        sys.exit(3)
    instances = {mapping.plain(name): mapping.instances(text, texts) for name, text in texts.items()}
    sources = {mapping.plain(name): source_name(name) for name in texts}
    result = {"tools": versions, "top": top, "modules": {}}
    for name, module in modules.items():
        if sources[name] == memory.MODULE:  # an SRAM of the user's, of which only the pins are here
            module["cells"], module["buffers"], measured[name]["power"] = {}, 0, dict.fromkeys(("idle", "busy", "leakage"), 0)
        kept = {key: module[key] for key in ("cells", "buffers", "inner")}
        result["modules"][name] = {"source": sources[name], "instances": instances[name], **kept, **measured[name]}
    pathlib.Path(sys.argv[2]).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main()
