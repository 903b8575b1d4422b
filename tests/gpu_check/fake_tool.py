"""Fakes of the programs that scripts/gpu_check calls: shell scripts in a folder on the PATH."""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def fake_tool(path, text):
    """Writes an executable shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/usr/bin/env bash\n{text}\n")
    path.chmod(0o755)
    return path
