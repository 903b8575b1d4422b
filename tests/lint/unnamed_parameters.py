"""Parameters of RTL modules that can have any value: neither an AXELRAM_REQUIRE of their module names them, nor one
of a module that they are passed on to. Prints a line each.

Usage: unnamed_parameters.py FILE..."""
import pathlib
import re
import sys


def words(text):
    return set(re.findall(r"\w+", text))


class Module:
    def __init__(self, path):
        text = re.sub(r"//.*", "", path.read_text(encoding="utf-8")).replace(",\n", ", ")
        self.name = path.stem
        self.parameters = re.findall(r"\bparameter int (\w+)", text)
        self.named = words(" ".join(re.findall(r"`AXELRAM_REQUIRE\(\w+,(.*)\)$", text, re.M)))
        self.derived = re.findall(r"\blocalparam int (\w+) = ([^;,\n]*)", text)
        self.passed = []  # module, its parameter, names in the value
        for module, values in re.findall(r"^ *(axelram_\w+) #\((.*?)\n? *\) u_", text, re.M | re.S):
            for parameter, value in re.findall(r"\.(\w+) *\((.*?)\)(?=,|$|\n)", values):
                self.passed.append((module, parameter, words(value)))

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
