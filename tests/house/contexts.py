#!/usr/bin/env python3
"""Checks that a failing check of a C++ test says what it is about.

contexts.py [--root DIR]
contexts.py --self-test     demands what is found in sources with and without violations

  A loop `for (... x ...)` around a check says which x: CASE(x), SUBCASE, INFO, CHECK_AT(x, ...) or REQUIRE_AT(x, ...)
  inside of it and before the check, or CHECK_MESSAGE with x. A call of a function that checks is a check, if the
  function is in the file or in headers of tests that it includes; so is a call of a parameter `check` of a type Check.
  Loops without a variable are free.
  A check is of `a == b`, not of `(a == b)`, which prints true or false in place of both values.
  A test includes check.hpp, never doctest.h, so that no value is printed as {?}; and uses CASE, not CAPTURE.

Exit codes: 0 holds, 1 violated, 2 bad usage.
"""
import functools
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "scripts/docs"))
import checker

LITERAL = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|(?<![0-9a-fA-F])\'(?:[^\'\\\n]|\\.)*\'', re.S)
CHECK = re.compile(r"\b(?:CHECK|REQUIRE|WARN)(?:_[A-Z_]+)?\s*\(|\bFAIL(?:_CHECK)?\s*\(")
CONTEXT = re.compile(r"\b(?:CASE|SUBCASE|INFO|(?:CHECK|REQUIRE)_AT)\s*\(")
HEADER = re.compile(r"(for|while|if|switch)\b\s*(?:constexpr\s*)?\(")
LAMBDA = re.compile(r"\bauto\s+(\w+)\s*=\s*\[")
FUNCTION = re.compile(r"^[ ]*(?:template\s*<[^;{]*>\s*)?[\w:<>,&*\s]+?\b(\w+)\s*\(", re.M)
PARAMETER = re.compile(r"\bCheck\s*&?\s+(check)\b")
WORDS = {"if", "for", "while", "switch", "return", "TEST_CASE", "CHECK", "REQUIRE"}
OWN = {"check.hpp", "same.hpp", "text.hpp"}  # which define what is looked for


def blank(text):
    """The text with spaces in place of comments and literals."""
    return LITERAL.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def closing(text, at):
    """The place of the bracket that closes the one at a place."""
    depth, pair = 0, {"(": ")", "{": "}", "[": "]"}[text[at]]
    for found in re.compile(re.escape(text[at]) + "|" + re.escape(pair)).finditer(text, at):
        depth += 1 if found[0] == text[at] else -1
        if depth == 0:
            return found.start()
    return len(text) - 1


def block_end(text, at):
    depth = 0
    for found in re.compile(r"[{}]").finditer(text, at):
        depth += 1 if found[0] == "{" else -1
        if depth < 0:
            return found.start()
    return len(text)


def statement_end(text, at):
    at += len(text[at:]) - len(text[at:].lstrip())
    if text[at] == "{":
        return closing(text, at) + 1
    header = HEADER.match(text, at)
    if header:
        end = statement_end(text, closing(text, header.end() - 1) + 1)
        other = re.compile(r"\s*else\b").match(text, end) if header[1] == "if" else None
        return statement_end(text, other.end()) if other else end
    while at < len(text) and text[at] not in ";}":
        at = closing(text, at) + 1 if text[at] in "({[" else at + 1
    return at + 1


def variables(header):
    """Of the header of a loop."""
    declared = re.match(r"([^;]*?)(?<!:):(?!:)", header, re.S)
    if declared:
        names = re.search(r"\[([^\]]*)\]", declared[1])
        return re.findall(r"\w+", names[1]) if names else re.findall(r"\w+", declared[1])[-1:]
    return re.findall(r"([\w.]+(?:->\w+)*)\s*(?:=(?!=)|\()", header.split(";")[0])[:1]


class Source:
    def __init__(self, path):
        self.raw = path.read_text(errors="replace")
        self.text = blank(self.raw)
        self.includes = re.findall(r'#\s*include\s+"([^"]+)"', self.raw)

    def line(self, at):
        return self.text.count("\n", 0, at) + 1

    @functools.cached_property
    def functions(self):
        """(name, body) of functions, of lambdas with a name, and of parameters that are checks."""
        all = [(found[1], "CHECK()") for found in PARAMETER.finditer(self.text)]
        for found in LAMBDA.finditer(self.text):
            at = self.text.find("{", closing(self.text, found.end() - 1))
            if at >= 0:
                all.append((found[1], self.text[at:closing(self.text, at)]))
        for found in FUNCTION.finditer(self.text):
            end = closing(self.text, found.end() - 1) + 1
            body = re.compile(r"\s*(?:const\s*)?(?:noexcept\s*)?(?:->\s*[\w:<>]+\s*)?\{").match(self.text, end)
            if found[1] not in WORDS and body:
                all.append((found[1], self.text[body.end() - 1:closing(self.text, body.end() - 1)]))
        return all

    def loops(self):
        """(place, variables, begin and end of the body) of each loop with a variable."""
        for found in re.finditer(r"\bfor\s*\(", self.text):
            end = closing(self.text, found.end() - 1)
            names = variables(self.text[found.end():end])
            if names:
                yield found.start(), names, end + 1, statement_end(self.text, end + 1)

    def contexts(self):
        """(text, place, end of its block, or of a CHECK_AT)"""
        for found in CONTEXT.finditer(self.text):
            end = closing(self.text, found.end() - 1)
            until = end if "_AT" in found[0] else block_end(self.text, end)
            yield self.raw[found.start():end], found.start(), until

    def hidden(self):
        """Places of checks whose values stand in brackets of their own."""
        for found in CHECK.finditer(self.text):
            argument = self.text[found.end():closing(self.text, found.end() - 1)].strip()
            if argument.startswith("(") and closing(argument, 0) == len(argument) - 1 and not re.search(r"&&|\|\|", argument):
                yield found.start()

    def arguments(self, at):
        begin = self.text.index("(", at)
        return self.raw[begin:closing(self.text, begin)]


class Tree:
    def __init__(self, root):
        self.root, self.tests = root, root / "tests"
        self.source = functools.cache(Source)

    def paths(self):
        for path in sorted(self.tests.rglob("*.[ch]pp")):
            if path.relative_to(self.tests).parts[0] != "fuzz" and path.name not in OWN:
                yield path

    def included(self, path, seen):
        """The file and the headers of tests that it includes, one through another."""
        if path in seen or path.name in OWN:
            return seen
        seen.add(path)
        folders = (path.parent, *(folder for folder in path.parents if folder.is_relative_to(self.tests)))
        for name in self.source(path).includes:
            beside = next((folder / name for folder in folders if (folder / name).is_file()), None)
            if beside:
                self.included(beside.resolve(), seen)
        return seen

    def functions_that_check(self, path):
        bodies = [pair for one in self.included(path, set()) for pair in self.source(one).functions]
        names = {name for name, body in bodies if CHECK.search(body)}
        while True:
            calls = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\s*\(")
            more = {name for name, body in bodies if name not in names and names and calls.search(body)}
            if not more:
                return names
            names |= more

    def silent_loops(self, path):
        source = self.source(path)
        calls = self.functions_that_check(path)
        places = {found.start() for found in CHECK.finditer(source.text)}
        if calls:
            places |= {found.start() for found in
                       re.finditer(rf"\b(?:{'|'.join(map(re.escape, calls))})\s*\(", source.text)}
        contexts = list(source.contexts())
        for at, names, begin, end in source.loops():
            named = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in names))
            for place in sorted(places):
                if not begin <= place < end:
                    continue
                spoken = any(begin <= where <= place < until and named.search(text) for text, where, until in contexts)
                if not spoken and not ("_MESSAGE(" in source.text[place:place + 16] and named.search(source.arguments(place))):
                    yield source.line(at), f"the check in line {source.line(place)} does not say {' or '.join(names)}"
                    break

    def violations(self):
        for path in self.paths():
            source, name = self.source(path), path.relative_to(self.root).as_posix()
            for line, text in self.silent_loops(path):
                yield f"{name}:{line}: {text}"
            for at in source.hidden():
                yield f"{name}:{source.line(at)}: brackets around what is checked hide its values"
            for found in re.finditer(r"<doctest/doctest.h>|\bCAPTURE\s*\(", source.raw):
                yield f"{name}:{source.line(found.start())}: {found[0]}; check.hpp has what tests use"


HELPER = "inline void helped(int d) { CHECK(d); }\n"
# (number of violations, source)
SOURCES = (
    (1, "for (const int d : {1, 2}) CHECK(f(d) == 0);"),
    (0, "for (const int d : {1, 2}) CHECK_AT(d, f(d) == 0);"),
    (0, "for (const int d : {1, 2}) REQUIRE_AT(d, f(d) == 0);"),
    (0, "for (const int d : {1, 2}) CHECK_MESSAGE(f(d) == 0, d);"),
    (1, "for (const int d : {1, 2}) CHECK_MESSAGE(f(1) == 0, 1);"),
    (1, "for (int d = 1; d < 3; ++d) { CHECK(d); CASE(d); }"),
    (1, "for (int d = 1; d < 3; ++d) { if (d == 1) { CASE(d); } CHECK(d); }"),
    (1, "for (const auto& [a, b] : all) for (int i = 0; i < a; ++i) { CASE(i); CHECK_SAME(a, b); }"),
    (0, "for (const auto& [a, b] : all) for (int i = 0; i < a; ++i) { CASE(b, i); CHECK_SAME(a, b); }"),
    (1, 'for (int d = 1; d < 3; ++d) { g("CASE(d)"); REQUIRE(d); }  // CASE(d);'),
    (0, "for (int d = 1; d < 3; ++d) g(d); CHECK(true);"),
    (0, "while (d < 3) CHECK(d++);"),
    (1, "void f(int d) { CHECK(d); }\nvoid g() { for (int d = 1; d < 3; ++d) f(d); }"),
    (1, "const auto f = [](int d) { CHECK(d); };\nvoid g(int d) { f(d); }\nvoid h() { for (const int d : all) g(d); }"),
    (0, "void f(int d) { CHECK(d); }\nvoid g() { for (int d = 1; d < 3; ++d) CHECK_AT(d, f(d) == 1); }"),
    (1, "template <class Check>\nvoid f(const Check& check) { for (int d = 1; d < 3; ++d) check(d); }"),
    (0, "template <class Check>\nvoid f(Check check) { for (int d = 1; d < 3; ++d) { CASE(d); check(d); } }"),
    (1, '#include "helper.hpp"\nvoid g() { for (int d = 1; d < 3; ++d) helped(d); }'),
    (0, "void g() { for (int d = 1; d < 3; ++d) helped(d); }"),
    (1, "void f() { REQUIRE((a == (b))); }"),
    (0, "void f() { REQUIRE((a) == (b)); CHECK((a == b || a == c)); }"),
    (1, "#include <doctest/doctest.h>\n"),
    (1, "void g(int d) { CAPTURE(d); CHECK(d); }"),
)


def self_test():
    missed = 0
    for expected, text in SOURCES:
        with checker.tree({"tests/helper.hpp": HELPER, "tests/a/a_test.cpp": text}) as root:
            found = list(Tree(root).violations())
        if len(found) != expected:
            print(f"{expected} expected, found {found} in: {text}")
            missed += 1
    print(f"{len(SOURCES)} sources, {missed} missed")
    return missed == 0


def check(root):
    """-> (violations, (sources,))."""
    tree = Tree(root)
    return list(tree.violations()), (len(list(tree.paths())),)


if __name__ == "__main__":
    sys.exit(checker.main(__doc__, check, self_test, "{} sources"))
