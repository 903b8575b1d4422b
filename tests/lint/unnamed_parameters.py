"""Parameters of RTL modules that can have any value: neither an AXELRAM_REQUIRE of their module names them, nor one
of a module that they are passed on to. Prints a line each.

Usage: unnamed_parameters.py FILE..."""
import pathlib
import re
import sys


def words(text):
    return set(re.findall(r"\w+", text))


def bracketed(text, pattern):
    """What the brackets hold that matches of a pattern open, and the groups of the match."""
    for match in re.finditer(pattern, text):
        depth, end = 1, match.end()
        while depth > 0:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        yield text[match.end():end - 1], match.groups()


class Module:
    def __init__(self, path):
        text = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
        self.name = path.stem
        self.parameters = re.findall(r"\bparameter int +(\w+)", text)
        self.named = set()
        for condition, _ in bracketed(text, r"`AXELRAM_REQUIRE\(\w+,"):
            self.named |= words(condition)
        self.derived = re.findall(r"\blocalparam int +(\w+) +=\s+((?:[^;,()]|\((?:[^()]|\([^()]*\))*\))*)", text)
        self.passed = []  # module, its parameter, names in the value
        for values, (module,) in bracketed(text, r"\n *(axelram_\w+) #\("):
            self.passed += [(module, parameter, words(value)) for value, (parameter,) in bracketed(values, r"\.(\w+) *\(")]

    def extend(self, modules):
        """Adds the names that checked ones depend on; true if there was one."""
        before = len(self.named)
        for module, parameter, names in self.passed:
            if module in modules and parameter in modules[module].named:
                self.named |= names
        for name, value in self.derived:
            if name in self.named:
                self.named |= words(value)
        return len(self.named) > before


modules = {module.name: module for module in (Module(pathlib.Path(name)) for name in sys.argv[1:])}
while sum(module.extend(modules) for module in modules.values()):  # every module, also after the first change
    pass
for module in modules.values():
    for parameter in module.parameters:
        if parameter not in module.named:
            print(f"{module.name}: no requirement names {parameter}")
