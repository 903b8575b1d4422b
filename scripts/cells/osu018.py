"""The library osu018 (0.18 um) of the package qflow-tech-osu018, as mapping.py takes it: what axelram reads in its file."""
import hashlib
import pathlib

import mapping
import memory
import tools

LIBERTY = pathlib.Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")


def library():
    return {"liberty": str(LIBERTY), "digest": hashlib.sha256(LIBERTY.read_bytes()).hexdigest(), "conditions": "typical",
            "buffer": {"name": "BUFX2", "input": "A", "output": "Y"},
            "tree_buffer": {"name": "BUFX4", "input": "A", "output": "Y"},
            "flip_flops": {"DFFNEGX1": "CLK", "DFFPOSX1": "CLK", "DFFSR": "CLK"}, "latches": {"LATCH": "CLK"},
            "latch": {"name": "LATCH", "data": "D", "enable": "CLK", "output": "Q", "high": True}}


def map_macro(program, config, folder, picoseconds, jobs, progress):
    """Generates a macro in a folder and maps it, its SRAM as registers at the pins: {module: its RTLIL}, {name in the
    netlist: mapped module}, and the top."""
    tools.call([program, "generate", config, "-o", folder], config)
    memory.replace(folder)
    sources = [line for line in (folder / "axelram.f").read_text(encoding="utf-8").split() if not line.startswith("+")]
    top = pathlib.Path(sources[-1]).stem
    texts = mapping.elaborate(folder, sources, top)
    return texts, mapping.map_modules(texts, library(), picoseconds, jobs, progress), top
