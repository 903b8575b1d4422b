#!/usr/bin/env python3
"""Loads tokenizer.json files that `axelram convert` has written from GGUF files with Hugging Face's library, and
compares its ids with models.expected.json or gguf.expected.json.

A developer runs it: env/bin/python check_tokenizer_json.py NAME=tokenizer.json...
NAME is a model of models.expected.json or a kind of gguf.expected.json. It reads the texts of $AXELRAM_DATA.
"""

import json
import os
import pathlib
import sys

from tokenizers import Tokenizer

import from_metadata

FOLDER = pathlib.Path(__file__).parent


def expectations(name):
    """Pairs of a text and its record."""
    small = json.loads((FOLDER / "gguf.expected.json").read_text())
    large = json.loads((FOLDER / "models.expected.json").read_text()).get(name)
    data = pathlib.Path(os.environ["AXELRAM_DATA"]) / "text"
    if large:
        files = large["files"].items()
        texts = zip((item["text"] for item in small["texts"]), large["texts"])
    else:
        kind = small["kinds"].index(name)
        files = [(item["file"], item["ids"][kind]) for item in small["files"]]
        texts = [(item["text"], item["ids"][kind]) for item in small["texts"]]
    return [((data / file).read_bytes().decode(), record) for file, record in files] + list(texts)


def main():
    for argument in sys.argv[1:]:
        name, path = argument.split("=", 1)
        tokenizer = Tokenizer.from_file(path)
        for text, record in expectations(name):
            ids = tokenizer.encode(text, add_special_tokens=False).ids
            if [len(ids), from_metadata.digest(ids)] != record:
                sys.exit(f"{name}: other ids than recorded for {text[:200]!r}")
        print(f"{name}: the recorded ids")


if __name__ == "__main__":
    main()
