"""Tokenizers of the metadata of GGUF files, built with Hugging Face's library and with sentencepiece's as the
original models have them: independent of the C++ reader. Used by make_gguf.py and real_models.py."""

import sys

import gguf
import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
MARK = "\u2581"


def digest(ids):
    """FNV-1a of the ids as 32-bit little-endian numbers."""
    value = 0xCBF29CE484222325
    for byte in b"".join(i.to_bytes(4, "little") for i in ids):
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def metadata(path):
    """The keys tokenizer.ggml.*, without this prefix."""
    fields = gguf.GGUFReader(path).fields
    return {name.removeprefix("tokenizer.ggml."): field.contents()
            for name, field in fields.items() if name.startswith("tokenizer.ggml.")}


def add_tokens(tokenizer, pieces, types):
    tokenizer.add_tokens([AddedToken(piece, normalized=False, special=kind == CONTROL)
                          for piece, kind in zip(pieces, types) if kind in (CONTROL, USER_DEFINED)])


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


def converted(meta):
    """As transformers converts Gemma's SentencePiece, and Llama 2's with its prefix. What it does for tabs, which
    SentencePiece merges even if they are no piece, is done for all ASCII characters."""
    pieces = list(meta["tokens"])
    within = set("".join(piece for piece, kind in zip(pieces, meta["token_type"]) if kind == NORMAL))
    for byte in range(128):
        if chr(byte) in within and chr(byte) not in pieces:
            pieces[pieces.index(f"<0x{byte:02X}>")] = chr(byte)
    merges = generate_merges(pieces, meta["scores"])
    tokenizer = Tokenizer(models.BPE({piece: i for i, piece in enumerate(pieces)}, merges, unk_token="<unk>",
                                     fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Replace(" ", MARK)
    if meta["add_space_prefix"]:
        tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend(MARK), tokenizer.normalizer])
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
            piece = piece.replace(" ", MARK)
        proto.pieces.add(piece=piece, score=score, type=kind)
    trainer = proto.trainer_spec
    trainer.model_type = trainer.BPE
    trainer.byte_fallback = True
    trainer.vocab_size = len(proto.pieces)
    trainer.pad_id, trainer.eos_id, trainer.bos_id, trainer.unk_id = 0, 1, 2, 3
    trainer.pad_piece, trainer.eos_piece, trainer.bos_piece = "<pad>", "<eos>", "<bos>"
    normalizer = proto.normalizer_spec
    normalizer.name = "identity"
    normalizer.add_dummy_prefix = meta["add_space_prefix"]
    normalizer.remove_extra_whitespaces = False
    result = sentencepiece.SentencePieceProcessor()
    result.LoadFromSerializedProto(proto.SerializeToString())
    return result


def encoder_of_both(name, tokenizer, oracle, controls):
    """Text to ids by `tokenizer`; stops if `oracle`, SentencePiece's library, has others."""

    def encode(text):
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        # SentencePiece does not look for control symbols in a text.
        if not any(control in text for control in controls) and oracle.EncodeAsIds(text) != ids:
            sys.exit(f"{name}: sentencepiece has other ids than tokenizers for {text[:200]!r}")
        return ids

    return encode
