"""The library osu018 (0.18 um) of the package qflow-tech-osu018, as mapping.py takes it: what axelram reads in its file."""
import hashlib
import pathlib

LIBERTY = pathlib.Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")


def library():
    return {"liberty": str(LIBERTY), "digest": hashlib.sha256(LIBERTY.read_bytes()).hexdigest(), "conditions": "typical",
            "buffer": {"name": "BUFX2", "input": "A", "output": "Y"},
            "tree_buffer": {"name": "BUFX4", "input": "A", "output": "Y"},
            "flip_flops": {"DFFNEGX1": "CLK", "DFFPOSX1": "CLK", "DFFSR": "CLK"}, "latches": {"LATCH": "CLK"},
            "latch": {"name": "LATCH", "data": "D", "enable": "CLK", "output": "Q", "high": True}}
