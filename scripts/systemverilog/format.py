#!/usr/bin/env python3
"""Formats SystemVerilog: ports, parameters and connections one a line and aligned (lists.py), at most 100 columns.

format.py FILE...          writes the files anew, if they change
format.py --check FILE...  only names what is not formatted, and lines that are too long
format.py --self-test      plants violations and demands that each is found, and mended where it can be

What a compiler reads stays as it is: the tokens are compared before a file is written. Statements are broken only
where a line is too long. Exit codes: 0 formatted, 1 not, 2 bad usage.
"""
import argparse
import pathlib
import re
import sys
from itertools import zip_longest

from lists import connections, header_lines, instance_lines
from tokens import SyntaxProblem, closing, code, prose, tokens
from wrap import WIDTH, broken, flowed

STATEMENT_HEADS = ("if", "else", "for", "always", "always_ff", "end")  # and, in brackets, what the next line depends on
STATEMENT_ENDS = (";", "begin", "end", "else", "endcase", "endfunction", "endmodule")


def indent_at(text, start):
    """The column of a place, if only spaces precede it on its line."""
    before = text[text.rfind("\n", 0, start) + 1:start]
    if before.strip():
        raise SyntaxProblem(f"{before.strip()} before a module or an instance")
    return len(before)


def list_texts(text):
    """(start, end, lines) of every module header and every instance of a text."""
    every = tokens(text)
    parts = [token for token in every if token.kind not in ("space", "comment")]
    texts = [part.text for part in parts] + [""] * 4

    def inside(opening):
        """The tokens in brackets, and the index behind them."""
        close = closing(parts, opening)
        first, last = parts[opening].end, parts[close].start
        return [token for token in every if first <= token.start < last], close + 1

    index = 0
    while index < len(parts):
        at, header = index, texts[index] == "module"
        head = texts[at:at + 1 + header]
        at += len(head)
        has_parameters = texts[at:at + 2] == ["#", "("]
        connects = texts[at + 1:at + 3] == ["(", "."] and parts[at].kind == "name"
        if parts[index].kind != "name" or not (header or has_parameters or connects):
            index += 1
            continue
        indent = indent_at(text, parts[index].start)
        parameters, at = inside(at + 1) if has_parameters else ([], at)
        if not header:
            name, at = texts[at], at + 1
        ports, at = inside(at) if texts[at] == "(" else (None, at)
        lines = header_lines(" ".join(head), parameters, ports, text) if header else instance_lines(
            head[0], name, connections(parameters, text), connections(ports, text), indent)
        yield parts[index].start - indent, parts[at].end, lines
        index = at + 1


def with_lists(text):
    for start, end, lines in reversed(list(list_texts(text))):
        text = text[:start] + "\n".join(lines) + text[end:]
    return text


def starts_statement(line, before):
    """Whether a line is the first of its statement; `before`: the lines above it."""
    if line.lstrip().startswith("`"):
        return True
    texts, depth = [], 0
    for above in reversed(before):
        parts = [token for token in tokens(above.strip()) if token.kind not in ("space", "comment")]
        if parts and parts[0].kind == "directive" and not texts:
            return True
        texts = [part.text for part in parts] + texts
        depth += sum(text in ("(", "[", "{") for text in texts[:len(parts)])
        depth -= sum(text in (")", "]", "}") for text in texts[:len(parts)])
        if texts and depth >= 0:
            break
    if not texts:
        return True
    label = texts[-2:-1] == [":"] and texts[-3] in ("begin", "end")
    heads = texts[0].startswith("`") or texts[0] in STATEMENT_HEADS
    return texts[-1] in (*STATEMENT_ENDS, ":") or label or heads and texts[-1] == ")"


def with_short_lines(text):
    """Comments flow; a comment beside code goes above it; code is broken."""
    done, comment, definition = [], [], False
    for line in [*text.split("\n")[:-1], None]:
        if line is not None and line.lstrip().startswith("//"):
            comment.append(line)
            continue
        done += flowed(comment)
        comment = []
        if line is None:
            break
        line = line.replace("\t", "  ").rstrip()
        opaque = definition or re.match(r" *`(?!AXELRAM_)", line)  # directives are not broken
        definition = line.endswith("\\")
        if opaque or len(line) <= WIDTH:
            done.append(line)
            continue
        last = tokens(line)[-1]
        if last.kind == "comment":
            done += flowed([" " * (len(line) - len(line.lstrip())) + last.text])
            line = line[:last.start].rstrip()
        done += broken(line, starts_statement(line, done))
    return "\n".join(done) + "\n"


def formatted(text):
    """A text as it should be; SyntaxProblem if that is not known."""
    result = re.sub(r"\n{3,}", "\n\n", text.rstrip() + "\n")
    result = with_short_lines(with_lists(result))
    if code(result) != code(text) or prose(result) != prose(text):
        raise SyntaxProblem("the formatter would change more than spaces")
    return result


def checked(name, text):
    """(problems that only a person can mend, the text as it should be)."""
    try:
        result = formatted(text)
    except SyntaxProblem as problem:
        return [f"{name}: {problem}"], text
    return [f"{name}:{number}: {len(line)} columns, at most {WIDTH}"
            for number, line in enumerate(result.split("\n"), 1) if len(line) > WIDTH], result


HEADER = "module m #(\n    parameter int  Bits  = 8,\n    localparam int Count = 2\n) (\n" \
    "    input  wire logic            clk_i,\n    output logic      [Bits-1:0] a_o  // beside\n);\nendmodule\n"
INSTANCE = "  m #(\n      .A(A), .B(B),\n      .Long(A + 1),\n      .C   (2)\n  ) u_m (\n" \
    "      .clk_i, .rst_ni,\n      .data_i  (x),\n      .result_o(y)\n  );\n"
LONG = "a" * 40
# What is wrong, the text, and the text as it should be; None: it can only be reported.
PLANTED = (
    ("two parameters on a line", HEADER.replace(",\n    localparam", ", localparam"), HEADER),
    ("two ports on a line", HEADER.replace(",\n    output logic      ", ", output logic "), HEADER),
    ("a port out of its column", HEADER.replace("logic            clk_i", "logic clk_i"), HEADER),
    ("a parameter out of its column", HEADER.replace("int  Bits  =", "int Bits ="), HEADER),
    ("a connection beside another", INSTANCE.replace("(x),\n     ", "(x),"), INSTANCE),
    ("a connection out of its column", INSTANCE.replace(".data_i  (", ".data_i("), INSTANCE),
    ("names passed on, a line each", INSTANCE.replace(".clk_i, ", ".clk_i,\n      "), INSTANCE),
    ("a tab", "\tassign a = b;\n", "  assign a = b;\n"),
    ("a trailing blank", "assign a = b; \n", "assign a = b;\n"),
    ("two blank lines", "assign a = b;\n\n\nassign c = d;\n", "assign a = b;\n\nassign c = d;\n"),
    ("a long line", f"  assign a = {LONG} && b{LONG} && c;\n", f"  assign a = {LONG} &&\n      b{LONG} && c;\n"),
    ("a long comment", f"// {LONG} {LONG} {LONG}\n", f"// {LONG} {LONG}\n// {LONG}\n"),
    ("a long comment beside code", f"  assign {LONG} = 1;  // {LONG} {LONG}\n", f"  // {LONG} {LONG}\n  assign {LONG} = 1;\n"),
    ("a line without a place to break", f"assign {LONG * 3}\n", None),
    ("a bracket that is not closed", "module m (\n    input wire logic a_i;\n", None),
    ("a connection by position", "m #(.A(1)) u_m (a, b);\n", None),
)


def self_test():
    missed = []
    for wrong, text, right in PLANTED:
        problems, result = checked("planted", text)
        mended = right is not None and not problems and result == right != text and checked("", right) == ([], right)
        if not mended and not (right is None and problems):
            missed.append(f"{wrong}: not {'reported' if right is None else 'mended'}: {problems}\n{result}")
    print(*missed, f"{len(PLANTED)} violations planted, {len(missed)} missed", sep="\n")
    return 1 if missed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    found = []
    for path in arguments.files:
        text = path.read_text(encoding="utf-8")
        problems, result = checked(path, text)
        found += problems
        if result != text and arguments.check:
            pairs = zip_longest(text.split("\n"), result.split("\n"))
            line = next(number for number, (own, right) in enumerate(pairs, 1) if own != right)
            found.append(f"{path}:{line}: not formatted; run scripts/format")
        elif result != text:
            path.write_text(result, encoding="utf-8")
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
