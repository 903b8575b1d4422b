#!/usr/bin/env python3
"""Trains a small BPE of characters with Hugging Face's library, and writes metaspace.json (a tokenizer.json as
transformers 5 writes one for the classes of Llama) and metaspace.expected.json: texts, and for each variant of its
pre_tokenizer the digests of that library's ids, one for each 20 texts.

A developer runs it: python3 -m venv env && env/bin/pip install tokenizers==0.23.3
                     env/bin/python make_metaspace.py
"""

import json

from tokenizers import Tokenizer, pre_tokenizers
from tokenizers.models import BPE
from tokenizers.trainers import BpeTrainer

from make_tokenizers import FOLDER, TEXTS, corpus

MARK, DRAWN, BLOCK = "\u2581", 1210, 20
SPECIAL = ["<unk>", "<s>", "</s>"]
# Added tokens before and behind spaces decide which text is the first.
TOKENS = [(MARK * 2, {}), ("<|endoftext|>", {}), ("<|mask|>", {"lstrip": True, "rstrip": True}),
          ("<n>", {"normalized": True})]  # the first is a piece of the vocabulary, the others have ids behind it
MORE = [MARK, MARK * 2, MARK + "a", "a" + MARK, " " + MARK, MARK + " ", MARK + "the key", "a" + MARK + " b",
        "<s>", "<s>a", "<s> a", " <s>a", "a<s>a", "</s><s>the", "<n>", "<n>the <n>the", " <n> the", "<|mask|>the",
        "  <|mask|>  the", "\ta", "\n the", "<0x41><0x0A>", "the<0x", "<unk>", "\u00a0a", "a\u2581\u2581\u2581b",
        "the  key", "the   key    is", "the\r\nkey", "\u200bthe"]
ALPHABET = ["a", "t", "the", "key", " ", "  ", "\n", "\t", MARK, MARK * 2, ".", "12", "\u00e9", "e\u0301", "\u9375",
            "\U0001f600", "\u00a0", "<s>", "<|endoftext|>", "<|mask|>", "<n>", "is", "ed"]
VARIANTS = [{"type": "Metaspace", "replacement": MARK, "prepend_scheme": scheme, "split": split}
            for scheme in ("first", "always", "never") for split in (False, True)]
VARIANTS += [
    {"type": "Metaspace", "replacement": MARK, "add_prefix_space": True},
    {"type": "Metaspace", "replacement": "_", "prepend_scheme": "first"},
    {"type": "Sequence", "pretokenizers": [
        VARIANTS[0], {"type": "Split", "pattern": {"String": MARK}, "behavior": "MergedWithPrevious", "invert": False},
        {"type": "Digits", "individual_digits": True}]},
]
NORMALIZERS = [None, {"type": "NFC"},
               {"type": "Sequence", "normalizers": [
                   {"type": "Prepend", "prepend": MARK},
                   {"type": "Replace", "pattern": {"String": " "}, "content": MARK}]}]


def drawn():
    """Texts that tests/model/tokens/metaspace_test.cpp draws as well."""
    state = 1

    def below(n):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2 ** 64
        return (state >> 33) % n

    return ["".join(ALPHABET[below(len(ALPHABET))] for _ in range(1 + below(24))) for _ in range(DRAWN)]


def digest(lists):
    """FNV-1a of the number of ids of each text and of its ids, as 32-bit little-endian numbers."""
    value = 0xCBF29CE484222325
    for byte in b"".join(i.to_bytes(4, "little") for ids in lists for i in [len(ids), *ids]):
        value = (value ^ byte) * 0x100000001B3 % 2 ** 64
    return f"{value:016x}"


def document():
    trained = Tokenizer(BPE())
    trained.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=True)
    trained.train_from_iterator(corpus(), BpeTrainer(vocab_size=400, show_progress=False))
    model = json.loads(trained.to_str())["model"]
    vocabulary = SPECIAL + [f"<0x{byte:02X}>" for byte in range(256)]
    # A third of the characters fall back to bytes.
    characters = [piece for piece in model["vocab"] if len(piece) == 1]
    gone = set(characters[2::3]) - set(MARK + "thekyisd ")
    merges = [pair for pair in model["merges"] if not gone & set("".join(pair))]
    vocabulary += [piece for piece in characters if piece not in gone] + ["".join(pair) for pair in merges]
    vocabulary = list(dict.fromkeys(vocabulary)) + [MARK * 2 + "a"]
    merges += [[MARK, MARK + "a"]] if MARK + "a" in vocabulary else []
    added = [(piece, {"special": True}) for piece in SPECIAL] + TOKENS
    vocabulary += [piece for piece, _ in TOKENS if piece not in vocabulary]
    vocabulary = [piece for piece in vocabulary if piece not in dict(TOKENS[1:])] + [piece for piece, _ in TOKENS[1:]]
    numbers = {piece: i for i, piece in enumerate(vocabulary)}
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False}
    end = {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}],
           "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
           "special_tokens": {}}
    decoders = [{"type": "Replace", "pattern": {"String": MARK}, "content": " "}, {"type": "ByteFallback"},
                {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": numbers[piece], "content": piece, **flags, **more} for piece, more in added],
        "normalizer": None, "pre_tokenizer": VARIANTS[0], "post_processor": end,
        "decoder": {"type": "Sequence", "decoders": decoders},
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": True, "ignore_merges": False,
                  "vocab": {piece: numbers[piece] for piece in vocabulary if piece not in dict(TOKENS[1:])},
                  "merges": merges}}


def main():
    base = document()
    (FOLDER / "metaspace.json").write_text(json.dumps(base, ensure_ascii=False, separators=(",", ":")) + "\n")
    assert Tokenizer.from_str(json.dumps(base)).token_to_id("<n>") == len(base["model"]["vocab"]) + 2  # as the file says
    assert base["added_tokens"][-1]["id"] == len(base["model"]["vocab"]) + 2
    texts = TEXTS + MORE
    everything = texts + drawn()
    variants = []
    for normalizer in NORMALIZERS:
        for pre_tokenizer in VARIANTS:
            change = {"normalizer": normalizer, "pre_tokenizer": pre_tokenizer}
            tokenizer = Tokenizer.from_str(json.dumps(base | change))
            ids = [tokenizer.encode(text, add_special_tokens=False).ids for text in everything]
            blocks = [digest(ids[i:i + BLOCK]) for i in range(0, len(ids), BLOCK)]
            variants.append(change | {"blocks": blocks})
    lines = ",\n".join(json.dumps(variant, separators=(",", ":")) for variant in variants)
    tokenizer = Tokenizer.from_str(json.dumps(base))
    first = [tokenizer.encode(text, add_special_tokens=False).ids for text in MORE]
    (FOLDER / "metaspace.expected.json").write_text(
        f'{{"drawn":{DRAWN},"block":{BLOCK},\n"alphabet":{json.dumps(ALPHABET)},\n"texts":{json.dumps(texts)},\n'
        f'"more":{len(MORE)},"ids":{json.dumps(first, separators=(",", ":"))},\n"variants":[\n{lines}]}}\n')
    print(len(everything), "texts,", len(variants), "variants")


if __name__ == "__main__":
    main()
