"""Cases whose YAML or JSON documents a parser may choke on: configurations, models, tokenizers."""

import functools

import commands
import material
from process import Case

NESTED = 20000
DOCUMENTS = {
    "nul": b"macro: {head_dim: 3\0002}\n",
    "bom": b"\xef\xbb\xbfmacro: {head_dim: 32}\n",
    "utf16": "macro: {}".encode("utf-16"),
    "invalid": b"macro: {name: \xff\xfe}\n",
    "escape": b'macro: {name: "\\e[31m"}\n',
    "control": b"macro: {na\x1bme: a}\n",
    "tab": b"macro:\n\thead_dim: 32\n",
    "nested-list": b"[" * NESTED,
    "nested-map": b"{a: " * NESTED,
    "nested-flow": b"macro: " + b"[" * NESTED + b"]" * NESTED,
    "deep": b"\n".join(b" " * i + b"a:" for i in range(500)),
    "aliases": b"a: &a [x,x,x,x,x,x,x,x,x]\n"
    + b"".join(b"%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n" % ((c, c) + (c - 1,) * 7) for c in range(98, 110))
    + b"macro: *m\n",
    "self": b"macro: &a {x: *a}\n",
    "repeated": b"macro: {head_dim: 32}\nmacro: {head_dim: 64}\n",
    "repeated-key": b"macro: {head_dim: 32, head_dim: 64}\n",
    "two": b"---\n{}\n---\n{}\n",
    "scalar": b"5\n",
    "list": b"- 1\n",
    "null": b"~\n",
    "unknown": b"makro: {}\n",
    "unknown-key": b"macro: {" + b"k" * 100000 + b": 1}\n",
    "long-value": b"macro: {name: " + b"n" * 1000000 + b"}\n",
    "directive": b"%YAML 9.9\n---\n{}\n",
    "merge": b"macro: {<<: {head_dim: 32}}\n",
    "anchor-key": b"&a macro: {}\n",
    "null-key": b"? \n: 1\n",
    "binary": b"macro: {name: !!binary aGVsbG8=}\n",
    "carriage": b"macro: {head_dim: 32}\r\n",
    "json-comment": b"{// no\n}",
    "json-half": b'{"macro": {"head_dim": 3',
    "json-surrogate": b'{"macro": {"name": "\\ud800"}}',
    "comment-only": b"#" * 100000,
    "newlines": b"\n" * 1000000,
    "quote": b"macro: {name: 'a\n",
    "unicode": "macro: {name: ключ}\n".encode(),
    "path": b"rotation: {signs: ../../../../etc/passwd}\n",
    "path-device": b"rotation: {center: /dev/zero}\n",
    "path-empty": b"rotation: {signs: ''}\n",
    "path-folder": b"rotation: {signs: model}\n",
    "path-long": b"rotation: {signs: " + b"s" * 5000 + b"}\n",
    "path-newline": b'rotation: {signs: "a\\nb"}\n',
    "path-nul": b'rotation: {signs: "a\\0b"}\n',
}


READERS = (  # of a document: the cases' names, arguments, file, exit codes, words of the message
    ("yaml", ["report", "c.yaml"], "c.yaml", {0, 2},
     ("c.yaml", "signs", "center", "/dev/zero", "/etc/passwd")),
    ("model", commands.CAPTURE.line(), "model/config.json", {2}, ("model/config.json",)),
    ("tokenizer", commands.TOKENIZER.line(), "words/tokenizer.json", {2}, ("words/tokenizer.json",)),
)


def cases():
    for kind, content in DOCUMENTS.items():
        for reader, line, name, codes, mentions in READERS:
            write = functools.partial(material.put, name=name, content=content)
            yield Case(f"document/{reader}/{kind}", line, write, frozenset(codes), mentions)
