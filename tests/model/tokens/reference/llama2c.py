#!/usr/bin/env python3
"""Writes tiny.bin, a llama2.c tokenizer.bin, and tiny.json, texts with the ids that llama2.c has for
them, by the obvious algorithm: search all neighbours for each single merge. Standard library only."""

import json
import pathlib
import struct

FOLDER = pathlib.Path(__file__).parent

# Scores tie on purpose: 'ab' and 'ba', 'aa' and 'bb'. Nothing merges into 'xx' (at the score that
# the search starts from) or into 'xy' (below it). 'ŝ' has bytes of its own, '😀' has a piece.
PIECES = [
    (" ", -1.0), ("a", -2.0), ("b", -3.0), ("c", -4.0), ("é", -5.0), ("😀", -6.0), ("\n", -7.0),
    ("ab", -1.5), ("ba", -1.5), ("aa", -2.5), ("bb", -2.5), ("abab", -0.5), (" a", -0.25),
    ("  ", -3.5), ("    ", -3.0), ("\n\n", -0.125), ("éé", -9.0), ("é😀", -8.5), ("a\n", -0.0625),
    ("x", -10.0), ("y", -11.0), ("xx", -1e10), ("xy", -2e10), ("yx", -1e9), ("aab", 3.0),
    ("c😀", 0.0), ("cab", 0.0), ("bc", -0.0), ("<", -12.0), (">", -12.5), ("漢", -13.0),
    ("漢漢", -14.0), (" 漢", -15.0), ("baa", 2.0), ("abb", 2.0),
]

TEXTS = [
    b"", b" ", b"  ", b"     ", b"a", b"abab", b"aaaa", b"aaaaa", b"babab", b"abba baab", b"aabb",
    b"bbb", b" a a  a", b"\n", b"\n\n\n", b"a\n\na", b"\r\n", b"\t", b"xx", b"xy", b"yx", b"xyxyx",
    "é".encode(), "ééé".encode(), "e\u0301".encode(), "ŝaŝ".encode(), "é😀😀é".encode(),
    "c😀cabbc".encode(), "漢漢漢 漢".encode(), "👩\u200d👩\u200d👧".encode(), "\u00a0\u2028".encode(),
    b"\x80", b"\x80\x80\x80\x80\x80\x80", b"a\x80b", b"\xc3", b"\xc3\xa9\xa9", b"\xf0\x9f\x98\x80\x80",
    b"\xf0\x9f\x98", b"\xff\xfe", b"\x00", b"a\x00b", b"\xed\xa0\x80", b"\xc0\xaf", b"<s>", b"<0x41>",
    b"\n<s>\n", b"abcabcabcabc" * 5, b"aab" * 9 + b"a", b"baababbaabba" * 4, bytes(range(256)),
]


def vocabulary():
    control = [(b"<unk>", 0.0), (b"\n<s>\n", 0.0), (b"\n</s>\n", 0.0)]
    raw = [(b"<0x%02X>" % byte, 0.0) for byte in range(256)]
    return control + raw + [(text.encode(), score) for text, score in PIECES]


def write(path, pieces):
    content = struct.pack("<I", max(len(piece) for piece, _ in pieces))
    for piece, score in pieces:
        content += struct.pack("<fi", score, len(piece)) + piece
    path.write_bytes(content)


def encode(text, pieces):
    ids = {piece: i for i, (piece, _) in enumerate(pieces)}
    # Scores are binary32, as in the file.
    scores = [struct.unpack("<f", struct.pack("<f", score))[0] for _, score in pieces]
    tokens = [ids[b" "]] if text else []
    at = 0
    while at < len(text):
        end = at + 1
        while end < len(text) and text[end] & 0xC0 == 0x80 and end - at < 4:
            end += 1
        character = text[at:end]
        tokens += [ids[character]] if character in ids else [byte + 3 for byte in character]
        at = end
    while True:
        best, place = struct.unpack("<f", struct.pack("<f", -1e10))[0], None
        for i in range(len(tokens) - 1):
            merged = ids.get(pieces[tokens[i]][0] + pieces[tokens[i + 1]][0])
            if merged is not None and scores[merged] > best:
                best, place, winner = scores[merged], i, merged
        if place is None:
            return tokens
        tokens[place:place + 2] = [winner]


def main():
    pieces = vocabulary()
    write(FOLDER / "tiny.bin", pieces)
    cases = [{"hex": text.hex(), "ids": encode(text, pieces)} for text in TEXTS]
    lines = ",\n".join(json.dumps(case) for case in cases)
    (FOLDER / "tiny.json").write_text(f'{{"vocabulary": {len(pieces)}, "cases": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
