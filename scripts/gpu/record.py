#!/usr/bin/env python3
"""Turns a result of scripts/gpu_check into docs/evidence/measurements/gpu_CARD.md, and keeps it as gpu_CARD.json
beside. CARD: the GPU's name, as in "NVIDIA H100 80GB HBM3" and "NVIDIA H200".

Usage: scripts/gpu/record.py RESULT.json [--output DIR]
"""
import argparse
import json
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHAPE = ("batch", "heads", "group", "context", "d", "rows", "index_bits", "copies", "code")


def shown(value, digits=3):
    if value is None:
        return "not measured yet"
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def targets(result):
    rows = []
    for t in result["targets"]:
        sign = "≥" if t["sense"] == "at least" else "≤"
        bar = "–" if t["target"] is None else f"{sign} {t['target']:g}"
        roofline = "–" if t["roofline"] is None else f"{t['roofline']:.3g}"
        holds = {True: "yes", False: "**no**", None: "–"}[t["holds"]]
        rows.append([t["name"], shown(t["measured"]), bar, roofline, holds,
                     t["note"] if t["measured"] is not None else ""])
    return table(["", "measured", "target", "roofline", "holds", "against"], rows)


def benchmarks(result):
    rows = []
    for b in result["benchmarks"]:
        shape = ", ".join(f"{key} {b[key]:g}" if not isinstance(b[key], str) else b[key]
                          for key in SHAPE if key in b)
        if "us" not in b:
            rows.append([b["bench"], shape, b.get("skipped") or b.get("error", ""), "", "", "", ""])
            continue
        percent = b.get("fraction_of_copy")
        rows.append([b["bench"], shape, f"{b['us']:.1f}",
                     f"{b['bytes'] / 1e6:.1f}" if "bytes" in b else "",
                     f"{100 * percent:.0f} %" if percent is not None else "",
                     f"{100 * b['occupancy']:.0f} %" if "occupancy" in b else "",
                     str(b.get("registers", ""))])
    return table(["kernel", "shape", "µs", "MB moved", "of a copy's rate", "occupancy", "registers"], rows)


def peers(result):
    rows = [[p["peer"], p["implementation"],
             f"{p.get('batch', '')} x {p.get('context', '')}" if "batch" in p else "",
             f"{p['us']:.1f}" if p.get("us") else p.get("error", "")] for p in result["peers"]]
    return table(["peer", "implementation", "batch x context", "µs"], rows)


def name_of(result):
    """gpu_h100 of "NVIDIA H100 80GB HBM3"."""
    return "gpu_" + result["machine"]["machine"].removeprefix("NVIDIA ").split()[0].lower()


def page(result):
    machine = result["machine"]
    name = name_of(result)
    text = ["# The kernels on a GPU", ""]
    device = result.get("device", {})
    text += [f"{machine['machine']}, driver {machine['driver']}, CUDA {machine['nvcc']}, "
             f"compute capability {device.get('compute_capability', '?')}, "
             f"revision {machine['revision']}, {machine['date']}; by `scripts/gpu_check`, "
             f"[what it does](../../use/gpu.md). All numbers are in [{name}.json]({name}.json).", "",
             "Rooflines follow from counted bytes: the ratio where both sides move theirs at the speed of memory.",
             "", targets(result), "", "## Stages", "",
             table(["stage", "outcome", "seconds", ""],
                   [[s["stage"], s["outcome"], str(s["seconds"]), s["detail"]] for s in result["stages"]])]
    if result["perplexity"]:
        text += ["", "## Perplexity", "",
                 table(["cache", "CPU", "CUDA"],
                       [[p["perplexity"], shown(p["cpu"], 8) if p["cpu"] else "–", shown(p["cuda"], 8)]
                        for p in result["perplexity"]])]
    text += ["", "## Kernels", "", benchmarks(result)]
    if result["peers"]:
        text += ["", "## Peers", "", peers(result)]
    return "\n".join(text) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("result", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs" / "evidence" / "measurements")
    arguments = parser.parse_args()
    try:
        result = json.loads(arguments.result.read_text())
        text = page(result)
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"record.py: {arguments.result}: no result of gpu_check: {error!r}", file=sys.stderr)
        return 2
    if result.get("device", {}).get("emulated"):
        print("record.py: an emulated run is no measurement", file=sys.stderr)
        return 2
    name = name_of(result)
    (arguments.output / f"{name}.md").write_text(text)
    shutil.copyfile(arguments.result, arguments.output / f"{name}.json")
    return 0


if __name__ == "__main__":
    sys.exit(main())
