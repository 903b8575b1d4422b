#!/usr/bin/env python3
"""Checks the table of docs/reference/units.md.

units.py [--root DIR]   every unit's folder below golden has a row that calls it SUBJECT/NAME; the columns "SIMD twin"
                        and "RTL bench" are right
units.py --write        writes the names of folders and these two columns
units.py --self-test    plants faults in a table and demands that each is found

A SIMD twin is named by the kinds of the sources beside the reference (golden/CMakeLists.txt): `fast` `portable`
`simd` `avx2` `avx512`. A bench of a unit is a test that instantiates its module itself; the decoders of a code are
under a bench that the generator makes. Exit codes: 0 holds, 1 does not.
"""
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "scripts/docs"))
import checker

PAGE = "docs/reference/units.md"
KINDS = ("fast", "portable", "simd", "avx2", "avx512")
NO_UNITS = {"c", "files", "run", "macro", "simd"}  # folders below golden
CODE_BENCH, CODES = "tests/codes/equivalence_test.cpp", "rtl/ecc"


def unit_folders(root):
    return {path.parent.relative_to(root).as_posix() for path in (root / "golden").glob("*/*/*.cpp")
            if path.relative_to(root / "golden").parts[0] not in NO_UNITS}


def targets(root, cell):
    """Paths below root of the links of a cell."""
    folder = root / PAGE
    return [(folder.parent / link).resolve().relative_to(root.resolve()).as_posix()
            for link in re.findall(r"\]\(([^)#]+)\)", cell)]


def twin(root, folder):
    stems = [path.stem for path in (root / folder).glob("*.cpp")]
    return " ".join(f"`{kind}`" for kind in KINDS if any(re.fullmatch(f"{kind}(_.*)?", stem) for stem in stems)) or "-"


def bench(root, modules):
    def has(path, module):
        return re.search(rf"\b{module}\s+(?:#\(|\w+\s*\()", path.read_text(errors="replace"))
    found = sorted({path.relative_to(root).as_posix() for path in root.glob("tests/sim/*_test.cpp")
                    for module in modules if has(path, pathlib.PurePosixPath(module).stem)}
                   | {CODE_BENCH for module in modules if module.startswith(CODES)})
    return " ".join(f"[`{pathlib.PurePosixPath(path).name}`](../../{path})" for path in found) or "-"


def named(cell):
    """The cell with each folder of golden called by its path below golden."""
    return re.sub(r"\[`[^`]*`\](\((?:\.\./)*golden/(\w+/\w+)\))", r"[`\2`]\1", cell)


def table(root):
    """(number of the line, cells, the cells as they should be, folders of the unit) of each row."""
    columns = None
    for number, line in enumerate((root / PAGE).read_text().splitlines()):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if "SIMD twin" in cells:
            columns = {name: at for at, name in enumerate(cells)}
        elif columns and len(cells) == len(columns) and "](" in line:
            folders = [path for path in targets(root, cells[columns["golden"]]) if (root / path).is_dir()]
            right = list(cells)
            right[columns["golden"]] = named(cells[columns["golden"]])
            right[columns["SIMD twin"]] = twin(root, folders[0]) if folders else "-"
            right[columns["RTL bench"]] = bench(root, targets(root, cells[columns["RTL"]]))
            yield number, cells, right, folders


def write(root, rows):
    lines = (root / PAGE).read_text().splitlines()
    for number, _, right, _ in rows:
        lines[number] = "| " + " | ".join(right) + " |"
    (root / PAGE).write_text("\n".join(lines) + "\n")


def check(root, written=False):
    """-> (failures, (units,)). `written`: the columns are written first."""
    if written:
        write(root, table(root))
    rows = list(table(root))
    failures = [f"{PAGE}:{number + 1}: {cells[0]}: {was} should be {should}" for number, cells, right, _ in rows
                for was, should in zip(cells, right) if was != should]
    missing = unit_folders(root) - {folder for row in rows for folder in row[3]}
    failures += [f"{PAGE}: no row links {folder}" for folder in sorted(missing)]
    return failures if rows else [f"{PAGE}: no table of units"], (len(rows),)


# ---- Self-test

GOOD = {
    "golden/keys/a/ref.cpp": "", "golden/keys/a/simd_more.cpp": "", "golden/keys/c.cpp": "",
    "golden/simd/d/fast.cpp": "", "tests/sim/a_test.cpp": "axelram_a #(.N(1)) u_a (", "rtl/a.sv": "",
    PAGE: "| unit | golden | SIMD twin | RTL | RTL bench |\n|---|---|---|---|---|\n"
          "| a | [`keys/a`](../../golden/keys/a) | `simd` | [`axelram_a.sv`](../../rtl/axelram_a.sv) | "
          "[`a_test.cpp`](../../tests/sim/a_test.cpp) |\n"
          "| c | [`c.cpp`](../../golden/keys/c.cpp) | - | [`axelram_b.sv`](../../rtl/axelram_b.sv) | - |\n"}
FOLDER = "[`keys/a`](../../golden/keys/a)"
BENCH = "[`b_test.cpp`](../../tests/sim/b_test.cpp)"
PLANTED = (
    ("golden/keys/a/avx2.cpp", None, "", f"{PAGE}:3: a: `simd` should be `simd` `avx2`"),
    ("golden/keys/b/ref.cpp", None, "", f"{PAGE}: no row links golden/keys/b"),
    ("tests/sim/b_test.cpp", None, "axelram_b u_b (", f"{PAGE}:4: c: - should be {BENCH}"),
    (PAGE, "keys/a`", "codes/a`", f"{PAGE}:3: a: {FOLDER.replace('keys/a`', 'codes/a`')} should be {FOLDER}"),
    (PAGE, "SIMD twin", "twin", f"{PAGE}: no table of units"),
)


def self_test():
    return checker.self_test(check, GOOD, (2,), PLANTED)


if __name__ == "__main__":
    sys.exit(checker.main(__doc__, check, self_test, "{} units", ("write",)))
