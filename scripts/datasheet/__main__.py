"""Makes the page of `axelram datasheet`. Usage: python3 scripts/datasheet DATASHEET.json FILE.html

DATASHEET.json is what `axelram datasheet --json` writes. The same facts and matplotlib give the same bytes.
`python3 scripts/datasheet --check` exits with 0 if matplotlib is installed, otherwise with 3.
"""
import json
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
import with_matplotlib  # noqa: E402,F401  (first: it may restart the program)


def main():
    if sys.argv[1:] == ["--check"]:
        return
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    from page import page
    facts = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    pathlib.Path(sys.argv[2]).write_text(page(facts), encoding="utf-8")


if __name__ == "__main__":
    main()
