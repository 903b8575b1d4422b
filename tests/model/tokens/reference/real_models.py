#!/usr/bin/env python3
"""Writes models.expected.json: number and digest of the ids that Hugging Face's library has for texts, with
the tokenizers of real GGUF files. Those of SentencePiece must also be the ids of the sentencepiece library.

A developer runs it: python3 -m venv env && env/bin/pip install gguf tokenizers sentencepiece protobuf
                     env/bin/python real_models.py smollm2-135m=FILE.gguf gemma3-270m=FILE.gguf
It reads the texts of $AXELRAM_DATA.
"""

import json
import os
import pathlib
import sys

from tokenizers import decoders

import from_metadata

TEXTS = ["shakespeare.txt", "warpeace.txt", "wikitext2-raw-test.txt"]


def encoder(name, meta):
    if meta["model"] == "gpt2":
        tokenizer = from_metadata.smollm(meta)
        tokenizer.decoder = decoders.ByteLevel()

        def encode(text):
            encoding = tokenizer.encode(text, add_special_tokens=False)
            # The library leaves a byte out that the vocabulary lacks; the C++ reader does not.
            if tokenizer.decode(encoding.ids, skip_special_tokens=False) != text:
                sys.exit(f"{name}: the vocabulary has not every byte of {text[:200]!r}")
            return encoding.ids

        return encode
    tokenizer = from_metadata.converted(meta)
    oracle = from_metadata.processor(meta)
    controls = [p for p, kind in zip(meta["tokens"], meta["token_type"]) if kind == from_metadata.CONTROL]
    return from_metadata.encoder_of_both(name, tokenizer, oracle, controls)


def main():
    folder = pathlib.Path(__file__).parent
    data = pathlib.Path(os.environ["AXELRAM_DATA"]) / "text"
    texts = [item["text"] for item in json.loads((folder / "gguf.expected.json").read_text())["texts"]]
    models = []
    for argument in sys.argv[1:]:
        name, path = argument.split("=", 1)
        meta = from_metadata.metadata(path)
        encode = encoder(name, meta)

        def recorded(text):
            ids = encode(text)
            return [len(ids), from_metadata.digest(ids)]

        files = {file: recorded((data / file).read_bytes().decode()) for file in TEXTS}
        lines = ",\n".join(json.dumps(recorded(text), separators=(",", ":")) for text in texts)
        models.append(f'"{name}":{{"vocabulary":{len(meta["tokens"])},"files":{json.dumps(files)},"texts":[\n{lines}]}}')
    (folder / "models.expected.json").write_text("{" + ",\n".join(models) + "}\n")


if __name__ == "__main__":
    main()
