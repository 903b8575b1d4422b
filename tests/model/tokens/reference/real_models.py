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

import from_metadata

TEXTS = ["shakespeare.txt", "warpeace.txt", "wikitext2-raw-test.txt"]


def main():
    data = pathlib.Path(os.environ["AXELRAM_DATA"]) / "text"
    result = {}
    for argument in sys.argv[1:]:
        name, path = argument.split("=", 1)
        meta = from_metadata.metadata(path)
        sentence_piece = meta["model"] == "llama"
        tokenizer = (from_metadata.converted if sentence_piece else from_metadata.smollm)(meta)
        result[name] = {"vocabulary": len(meta["tokens"]), "texts": {}}
        for text in TEXTS:
            content = (data / text).read_bytes().decode()
            ids = tokenizer.encode(content, add_special_tokens=False).ids
            if sentence_piece and from_metadata.processor(meta).EncodeAsIds(content) != ids:
                sys.exit(f"{name}, {text}: sentencepiece has other ids than tokenizers")
            result[name]["texts"][text] = {"ids": len(ids), "digest": from_metadata.digest(ids)}
    path = pathlib.Path(__file__).parent / "models.expected.json"
    path.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
