#!/usr/bin/env python3
"""Resolves every citation of the project's reference documents and every relative link of its Markdown files.

citations.py [--root DIR]     checks the tree at DIR (default: the tree that holds this script)
citations.py --self-test      plants dead citations and links in temporary trees and demands that each is found

A citation is the name of a reference document, a number sign and an anchor, anywhere in a text file. An anchor is
an explicit id (`<a id="write-4"></a>`) or a heading's slug as GitHub forms it. A mention of the bit contract in
parentheses or before a comma needs a citation right behind it.

A page lies on a shelf, a folder of docs, and no two have one name. Text other than links and string literals cites a page
by docs/ and its name, with or without an anchor of it; its shelf is not needed. The README.md of a shelf lists its pages.

Prints one line per failure and what it resolved. Exit codes: 0 all resolve, 1 something does not, 2 bad usage.
"""
import os
import pathlib
import re
import subprocess
import sys
from urllib.parse import unquote

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "scripts/docs"))
import checker
from pages import CODE_SPAN, anchors_of, markdown_lines

DOCUMENTS = ("bit-contract.md", "references.md", "glossary.md")
LEFT_OUT = re.compile(r"build.*|out|carried|\.git|__pycache__|node_modules")

CITATION = re.compile(r"(?<![\w-])(" + "|".join(map(re.escape, DOCUMENTS)) + r")#([\w-]+)")
PAGE = re.compile(r"docs/[^/]+/([^/]+\.md)")
NAMED = re.compile(r"(?<!\]\()(?<![\w./\"'-])docs/([\w-]+\.md)(?:#([\w-]+))?")
# The text of a link may hold an image, which is a link of its own.
INLINE_LINK = re.compile(r"\]\(\s*(<[^>]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)")
REFERENCE_LINK = re.compile(r"^\s{0,3}\[(?!\^)[^\]]+\]:\s+(<[^>]*>|\S+)")
HTML_LINK = re.compile(r"<(?:a|img)\s[^<>]*?(?:href|src)\s*=\s*[\"']([^\"']+)[\"']")
# The two words may lie on two lines of a comment.
GAP = r"(?:[ \t]+|[ \t]*\n[ \t]*(?:///?|#|\*)?[ \t]*)"
MENTION = re.compile(r"(\((?:see" + GAP + r")?)?\bbit" + GAP + r"contract\b(,)?", re.IGNORECASE)
REACH = 160  # characters in which a mention's citation must follow


def tracked(root):
    """Paths relative to root: what git tracks there, or, outside a checkout, everything that no build made."""
    def git(*arguments):
        done = subprocess.run(["git", "-C", root, *arguments], capture_output=True, check=True)
        return os.fsdecode(done.stdout)
    try:
        if os.path.realpath(git("rev-parse", "--show-toplevel").rstrip("\n")) == os.path.realpath(root):
            paths = git("ls-files", "-z").split("\0")
            return sorted(path for path in set(paths) if path and os.path.isfile(os.path.join(root, path)))
    except (OSError, subprocess.CalledProcessError):
        pass
    paths = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not LEFT_OUT.fullmatch(name)]
        paths += [os.path.relpath(os.path.join(folder, name), root) for name in files]
    return sorted(paths)


def read_text(path):
    """The text of a file, or None if it is binary."""
    with open(path, "rb") as file:
        content = file.read()
    if b"\0" in content:
        return None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return None


def line_of(text, position):
    return text.count("\n", 0, position) + 1


class Tree:
    def __init__(self, root):
        self.root, self.failures, self.anchors = root, [], {}
        self.citations = self.links = 0
        self.texts = {}
        for path in tracked(root):
            text = read_text(os.path.join(root, path))
            if text is not None:
                self.texts[path] = text
        self.pages = {}
        for path in self.texts:
            found = PAGE.fullmatch(path)
            if found and found[1] != "README.md":
                other = self.pages.setdefault(found[1], path)
                if other != path:
                    self.fail(path, 1, f"has the name of {other}")
        self.documents = {name: path for name, path in self.pages.items() if name in DOCUMENTS}

    def fail(self, path, line, text):
        self.failures.append((path, line, text))

    def anchors_at(self, path):
        """The anchors of a Markdown file, a path relative to root."""
        if path not in self.anchors:
            text = self.texts.get(path)
            if text is None:
                text = read_text(os.path.join(self.root, path)) or ""
            self.anchors[path] = anchors_of(text)[0]
        return self.anchors[path]

    def check(self):
        for path, text in self.texts.items():
            cited = self.check_citations(path, text)
            self.check_named(path, text)
            if path.endswith(".md"):
                self.check_links(path, text, cited)
            if path != self.documents.get("bit-contract.md"):
                self.check_mentions(path, text)
        for name, path in self.pages.items():
            if f"]({name})" not in self.texts.get(f"{os.path.dirname(path)}/README.md", ""):
                self.fail(path, 1, "is not on the list of its shelf, README.md")
        for path in self.documents.values():
            for line, anchor in anchors_of(self.texts[path])[1]:
                self.fail(path, line, f"anchor '{anchor}' is defined twice")

    def check_citations(self, path, text):
        """-> {(line, document#anchor)} of dead citations, which need no second report as links."""
        dead = set()
        for match in CITATION.finditer(text):
            name, anchor = match.groups()
            if name in self.documents and anchor in self.anchors_at(self.documents[name]):
                self.citations += 1
                continue
            line = line_of(text, match.start())
            dead.add((line, match.group()))
            self.fail(path, line, f"dead citation '{match.group()}'")
        return dead

    def check_named(self, path, text):
        for match in NAMED.finditer(text):
            name, anchor = match.groups()
            if name not in self.pages:
                self.fail(path, line_of(text, match.start()), f"no page '{name}'")
            elif name in DOCUMENTS:
                continue  # check_citations
            elif anchor and anchor not in self.anchors_at(self.pages[name]):
                self.fail(path, line_of(text, match.start()), f"dead citation '{match.group()}'")
            else:
                self.citations += 1

    def check_links(self, path, text, cited):
        for number, line in markdown_lines(text):
            plain = CODE_SPAN.sub("", line)
            targets = INLINE_LINK.findall(plain) + REFERENCE_LINK.findall(plain) + HTML_LINK.findall(plain)
            for target in targets:
                target = target[1:-1] if target.startswith("<") else target
                if not target or target.startswith("//") or re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", target):
                    continue
                file, _, fragment = target.partition("#")
                if (number, f"{os.path.basename(file)}#{fragment}") in cited:
                    continue
                if self.resolves(path, unquote(file), unquote(fragment)):
                    self.links += 1
                else:
                    self.fail(path, number, f"dead link '{target}'")

    def resolves(self, path, file, fragment):
        if not file:
            place = path
        elif file.startswith("/"):
            place = os.path.normpath(file[1:])
        else:
            place = os.path.normpath(os.path.join(os.path.dirname(path), file))
        if place.startswith("..") or not os.path.exists(os.path.join(self.root, place)):
            return False
        if not fragment:
            return True
        if place.endswith(".md"):
            return fragment in self.anchors_at(place)
        return re.fullmatch(r"L\d+(-L\d+)?", fragment) is not None

    def check_mentions(self, path, text):
        for match in MENTION.finditer(text):
            if (match.group(1) or match.group(2)) and not CITATION.search(text, match.end(), match.end() + REACH):
                self.fail(path, line_of(text, match.start()), "the bit contract is named without an anchor")


def check(root):
    """-> (failures, (citations, links)), what resolves."""
    tree = Tree(root)
    tree.check()
    failures = [f"{path}:{line}: {text}" for path, line, text in sorted(tree.failures)]
    return failures, (tree.citations, tree.links)


# ---- Self-test

# Citations below are cut in two, because this file is one of the texts that are checked.
GOOD = {
    "docs/reference/bit-contract.md": '# Contract\n\n<a id="write-4"></a>\n## Write 4: indices\n\n[up](#contract)\n',
    "docs/reference/references.md": '- <a id="philox"></a>**Philox**\n',
    "docs/reference/glossary.md": '- <a id="record"></a>**record**\n\n## Stored `bits` & words\n## Twice\n## Twice\n',
    "docs/reference/other.md": "[a](bit-contract.md#write-4) [b](bit-contract.md" + "#write-4-indices) [c](../../src) "
                     "[d](glossary.md" + "#stored-bits--words) [e](glossary.md" + "#twice-1) [f](https://x.y/#z)\n"
                     "[![g](../../src/unit.hpp)](other.md)\n\n```\n[h](nowhere.md)\n```\n`[i](nowhere.md)`\n\n[j]: other.md\n\n## H\n",
    "docs/reference/README.md": "[a](bit-contract.md) [b](references.md) [c](glossary.md) [d](other.md)\n",
    "docs/use/README.md": "`](other.md)`\n",
    "src/unit.hpp": "/// Indices (docs/bit-contract.md#write-4, references.md#philox, glossary.md#record).\n"
                    "/// Others: docs" + "/other.md, docs" + "/other.md#h.\n"
                    "/// A twin (bit " + "contract, bit-contract.md#write-4).\n/// The bit " + "contract says so.\n",
    "src/data.bin": b"\0bit-contract.md" + b"#nothing",
}
# A new file, what it holds, the failure that must be found.
PLANTED = [
    ("src/bad.cpp", "int a;  // bit-contract.md" + "#write-9\n",
     "src/bad.cpp:1: dead citation 'bit-contract.md" + "#write-9'"),
    ("src/bad.sv", "\n// references.md" + "#nobody\n", "src/bad.sv:2: dead citation 'references.md" + "#nobody'"),
    ("a.md", "[x](docs/reference/glossary.md" + "#none)\n", "a.md:1: dead citation 'glossary.md" + "#none'"),
    ("a.md", "\n[x](docs/missing.md)\n", "a.md:2: dead link 'docs/missing.md'"),
    ("a.md", "[x](docs/reference/other.md#none)\n", "a.md:1: dead link 'docs/reference/other.md#none'"),
    ("a.md", "[x](#none)\n", "a.md:1: dead link '#none'"),
    ("a.md", "[![x](none.svg)](docs/reference/other.md)\n", "a.md:1: dead link 'none.svg'"),
    ("src/bad.cpp", "// docs" + "/none.md\n", "src/bad.cpp:1: no page 'none.md'"),
    ("src/bad.cpp", "\n// (docs" + "/other.md#g)\n", "src/bad.cpp:2: dead citation 'docs" + "/other.md#g'"),
    ("docs/use/other.md", "# Other\n", "docs/use/other.md:1: has the name of docs/reference/other.md"),
    ("docs/use/new.md", "# New\n", "docs/use/new.md:1: is not on the list of its shelf, README.md"),
    ("a.md", "[x]: none.md\n", "a.md:1: dead link 'none.md'"),
    ("a.md", "[x](../outside.md)\n", "a.md:1: dead link '../outside.md'"),
    ("src/old.hpp", "/// Rounds (bit " + "contract).\n", "src/old.hpp:1: the bit contract is named without an anchor"),
    ("src/old.hpp", "/// Rounds (ECC paper; bit\n/// contract" + ", Erasures).\n",
     "src/old.hpp:1: the bit contract is named without an anchor"),
]


def self_test():
    builds = {f"{folder}/bad.md": "[x](none.md)\n" for folder in ("build-x", "out")}  # left out
    planted = [(path, None, content, failure) for path, content, failure in PLANTED]
    planted.append(("docs/reference/glossary.md", "\n## Stored", '\n<a id="record"></a>\n## Stored',
                    "docs/reference/glossary.md:3: anchor 'record' is defined twice"))
    return checker.self_test(check, GOOD | builds, (10, 13), planted)


if __name__ == "__main__":
    sys.exit(checker.main(__doc__, check, self_test, "{} citations and {} links resolved"))
