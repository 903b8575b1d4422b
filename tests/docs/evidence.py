"""Tests that a text names as evidence: `FILE: "NAME"`, or `FILE: "NAME", "NAME"`."""
import re

TEST = re.compile(r"`([^`:]+): \"([^`]+)\"`")
CASE = re.compile(r"TEST_CASE\(\s*((?:\"(?:[^\"\\]|\\.)*\"\s*)+)")
LITERAL = re.compile(r"\"((?:[^\"\\]|\\.)*)\"")


def names_in(path):
    """Test cases of a C++ file, keys of a Python table."""
    text = path.read_text()
    if path.suffix == ".py":
        return set(re.findall(r"^\s*\"([^\"]+)\":", text, re.MULTILINE))
    return {"".join(LITERAL.findall(found)).replace('\\"', '"') for found in CASE.findall(text)}


class Tests:
    """The tests of a tree, read when one is named."""

    def __init__(self, root):
        self.root, self.names = root, {}

    def check(self, text):
        """-> (failures, number of tests that the text names and that exist)."""
        failures, resolved = [], 0
        for file, names in TEST.findall(text):
            if file not in self.names:
                path = self.root / file
                self.names[file] = names_in(path) if path.is_file() else None
            for name in names.split('", "'):
                if self.names[file] is None:
                    failures.append(f"no file {file}")
                elif name not in self.names[file]:
                    failures.append(f"{file} has no test '{name}'")
                else:
                    resolved += 1
        return failures, resolved
