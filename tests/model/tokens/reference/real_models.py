#!/usr/bin/env python3
"""Writes models.expected.json: number and digest of the ids that Hugging Face's library has for texts,
with the tokenizers of real GGUF files. It builds them from the metadata as the original models have them,
in its own way, and compares SentencePiece's with the sentencepiece library itself.

A developer runs it: python3 -m venv env && env/bin/pip install gguf tokenizers sentencepiece protobuf
                     env/bin/python real_models.py smollm2-135m=FILE.gguf gemma3-270m=FILE.gguf
It reads the texts of $AXELRAM_DATA.
"""

import json
import os
import pathlib
import sys

import gguf
import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

FOLDER = pathlib.Path(__file__).parent
TEXTS = ["shakespeare.txt", "warpeace.txt", "wikitext2-raw-test.txt"]
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)


def digest(ids):
    """FNV-1a of the ids as 32-bit little-endian numbers."""
    value = 0xCBF29CE484222325
    for byte in b"".join(i.to_bytes(4, "little") for i in ids):
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def metadata(path):
    fields = gguf.GGUFReader(path).fields
    return {name.removeprefix("tokenizer.ggml."): field.contents()
            for name, field in fields.items() if name.startswith("tokenizer.ggml.")}


def add_tokens(tokenizer, pieces, types):
    for piece, kind in zip(pieces, types):
        if kind in (CONTROL, USER_DEFINED):
            tokenizer.add_tokens([AddedToken(piece, normalized=False, special=kind == CONTROL)])


def smollm(meta):
    vocabulary = {piece: i for i, piece in enumerate(meta["tokens"])}
    merges = [tuple(merge.split(" ")) for merge in meta["merges"]]
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
    add_tokens(tokenizer, meta["tokens"], meta["token_type"])
    return tokenizer


def generate_merges(pieces, scores):
    """As transformers' converter of SentencePiece does it."""
    ids = {piece: i for i, piece in enumerate(pieces)}
    merges = []
    for merged, score in zip(pieces, scores):
        local = [(merged[:i], merged[i:], score) for i in range(1, len(merged))
                 if merged[:i] in ids and merged[i:] in ids]
        merges.extend(sorted(local, key=lambda x: (ids[x[0]], ids[x[1]])))
    merges.sort(key=lambda x: (x[2], len(x[0]), len(x[1])), reverse=True)
    return [(left, right) for left, right, _ in merges]


def gemma(meta):
    pieces = meta["tokens"]
    merges = generate_merges(pieces, meta["scores"])
    tokenizer = Tokenizer(models.BPE({piece: i for i, piece in enumerate(pieces)}, merges, unk_token="<unk>",
                                     fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Replace(" ", "\u2581")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    add_tokens(tokenizer, pieces, meta["token_type"])
    return tokenizer


def processor(meta):
    """SentencePiece's own library, with the pieces of the file."""
    proto = sentencepiece_model_pb2.ModelProto()
    for piece, score, kind in zip(meta["tokens"], meta["scores"], meta["token_type"]):
        if piece == "<unk>":
            kind = UNKNOWN
        if kind == USER_DEFINED:
            piece = piece.replace(" ", "\u2581")
        proto.pieces.add(piece=piece, score=score, type=kind)
    trainer = proto.trainer_spec
    trainer.model_type = trainer.BPE
    trainer.byte_fallback = True
    trainer.vocab_size = len(proto.pieces)
    trainer.pad_id, trainer.eos_id, trainer.bos_id, trainer.unk_id = 0, 1, 2, 3
    trainer.pad_piece, trainer.eos_piece, trainer.bos_piece = "<pad>", "<eos>", "<bos>"
    normalizer = proto.normalizer_spec
    normalizer.name = "identity"
    normalizer.add_dummy_prefix = False
    normalizer.remove_extra_whitespaces = False
    result = sentencepiece.SentencePieceProcessor()
    result.LoadFromSerializedProto(proto.SerializeToString())
    return result


def main():
    data = pathlib.Path(os.environ["AXELRAM_DATA"]) / "text"
    result = {}
    for argument in sys.argv[1:]:
        name, path = argument.split("=", 1)
        meta = metadata(path)
        tokenizer = {"gpt2": smollm, "llama": gemma}[meta["model"]](meta)
        sentence_piece = processor(meta) if meta["model"] == "llama" else None
        result[name] = {"vocabulary": len(meta["tokens"])}
        for text in TEXTS:
            content = (data / text).read_bytes().decode()
            ids = tokenizer.encode(content, add_special_tokens=False).ids
            if sentence_piece and sentence_piece.EncodeAsIds(content) != ids:
                sys.exit(f"{name}, {text}: sentencepiece has other ids than tokenizers")
            result[name][text] = {"ids": len(ids), "digest": digest(ids)}
    (FOLDER / "models.expected.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
