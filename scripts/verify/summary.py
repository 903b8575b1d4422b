#!/usr/bin/env python3
"""Counts the results of ctest. Usage: summary.py BUILD JUNIT-XML [--table | --failed | --join JUNIT-XML | --record FILE PROVENANCE]

Prints `N passed, N failed`, and `, N skipped` if tests were skipped. --table prints a table by label instead, --failed
the names of tests that failed; --join takes the results of a later run of some of the tests into the file; --record
writes the table as a page of Markdown. Exit codes: 0 no test failed, 1 one did or none ran.
"""
import collections
import json
import pathlib
import sys
import xml.etree.ElementTree

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import tools

LABELS = ("unit", "sim", "formal", "gpu", "short", "slow", "models")
COLUMNS = ("passed", "failed", "skipped")


def labels_of(build):
    """{test: labels}, as ctest lists them."""
    text = tools.ask(["ctest", "--test-dir", build, "--show-only=json-v1"])
    return {test["name"]: next((p["value"] for p in test["properties"] if p["name"] == "LABELS"), [])
            for test in json.loads(text[text.index("{"):])["tests"]}


def outcome(case):
    """ctest also reports a test that could not start as skipped: its executable is missing, which is a failure."""
    if case.get("status") == "run" and case.find("failure") is None:
        return "passed"
    skipped = case.find("skipped")
    if case.get("status") == "disabled" or skipped is not None and skipped.get("message", "").startswith("SKIP_"):
        return "skipped"
    return "failed"


def counted(cases):
    count = collections.Counter(map(outcome, cases))
    return [count[column] for column in COLUMNS]


def closing_line(counts):
    passed, failed, skipped = counts
    return f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "")


def table(cases, labels):
    """Markdown: per label passed, failed, skipped and the sum of seconds; a slow test has two labels, as one that needs a pretrained model."""
    lines = ["| label | passed | failed | skipped | seconds |", "|---|---:|---:|---:|---:|"]
    for label in (*LABELS, "all"):
        of_label = [case for case in cases if label == "all" or label in labels.get(case.get("name"), [])]
        seconds = sum(float(case.get("time", 0)) for case in of_label)
        lines.append("| " + " | ".join(map(str, (label, *counted(of_label), f"{seconds:.0f}"))) + " |")
    return "\n".join(lines)


def listed(title, cases):
    names = "\n".join(f"- `{case.get('name')}`" for case in cases)
    return f"\n{title}:\n\n{names}\n" if names else ""


def join(path, later):
    """Puts the results of the file `later` in the place of those of the same tests at `path`, marked `again`."""
    tree = xml.etree.ElementTree.parse(path)
    suite = tree.getroot()
    cases = {case.get("name"): at for at, case in enumerate(suite) if case.tag == "testcase"}
    for case in xml.etree.ElementTree.parse(later).getroot().iter("testcase"):
        case.set("again", "yes")
        suite[cases[case.get("name")]] = case
    written = pathlib.Path(path).with_suffix(".new")
    tree.write(written, encoding="UTF-8", xml_declaration=True)
    written.replace(path)


def main(build, results, mode=None, *more):
    cases = list(xml.etree.ElementTree.parse(results).getroot().iter("testcase"))
    counts = counted(cases)
    of = lambda what: [case for case in cases if outcome(case) == what]
    if mode is None:
        print(closing_line(counts))
    elif mode == "--join":
        join(results, *more)
        return 0
    elif mode == "--failed":
        print("\n".join(case.get("name") for case in of("failed")))
    else:
        text = table(cases, labels_of(build))
        if mode == "--table":
            print(text)
        else:
            path, provenance = more
            pathlib.Path(path).write_text(
                f"# Verification, the last complete run\n\n`scripts/test --all --record` on {provenance}:\n"
                f"{closing_line(counts)}. Seconds are summed over the tests of a label; `slow` and `models` are second labels.\n\n"
                f"{text}\n" + listed("Failed", of("failed")) + listed("Skipped", of("skipped"))
                + listed("Failed at first, and run again", [case for case in cases if case.get("again")]))
    return 0 if counts[1] == 0 and cases else 1


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
