#!/usr/bin/env python3
"""Writes a small GGUF file without tensors, NAME.gguf, for each kind of tokenizer, and gguf.expected.json:
texts, and number and digest of the ids that the libraries of the originals have for them, by kind.

A developer runs it: python3 -m venv env && env/bin/pip install gguf tokenizers sentencepiece protobuf
                     env/bin/python make_gguf.py
It reads the texts of $AXELRAM_DATA.
"""

import io
import json
import os
import pathlib

import gguf
import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import AddedToken, Tokenizer, normalizers, pre_tokenizers

import from_metadata
import make_tokenizers
from from_metadata import CONTROL, MARK, NORMAL, USER_DEFINED
from real_models import TEXTS

FOLDER = pathlib.Path(__file__).parent
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
USER = ["<tool>", "<tool_call>", "</tool_call>"]


def keys(writer, bos):
    writer.add_eos_token_id(0)
    writer.add_pad_token_id(0)
    writer.add_add_bos_token(bos is not None)
    if bos is not None:
        writer.add_bos_token_id(bos)
    writer.add_chat_template("{{ messages }}")


def write(name, fill):
    writer = gguf.GGUFWriter(FOLDER / f"{name}.gguf", "llama")
    fill(writer)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def byte_level(name, tokenizer, bos=None):
    """Adds tokens to the trained tokenizer, and writes it as llama.cpp's converter does."""
    tokenizer.add_special_tokens(SPECIAL)
    tokenizer.add_tokens([AddedToken(piece, normalized=False) for piece in USER])
    vocabulary = tokenizer.get_vocab(with_added_tokens=True)
    pieces = sorted(vocabulary, key=vocabulary.get)
    types = [CONTROL if p in SPECIAL else USER_DEFINED if p in USER else NORMAL for p in pieces]
    merges = json.loads(tokenizer.to_str())["model"]["merges"]

    def fill(writer):
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre(name)
        writer.add_token_list(pieces)
        writer.add_token_types(types)
        writer.add_token_merges([" ".join(pair) for pair in merges])
        keys(writer, bos and vocabulary[bos])

    write(name, fill)
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def without_some_merges(tokenizer):
    """Some pieces can then be had as a whole only, by ignore_merges."""
    content = json.loads(tokenizer.to_str())
    merges = content["model"]["merges"]
    content["model"]["merges"] = [m for i, m in enumerate(merges) if i < 100 or i % 5]
    return Tokenizer.from_str(json.dumps(content))


def trained_pieces(user_defined, prefix):
    """SentencePiece's BPE, with bytes for rare characters."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(make_tokenizers.corpus()), model_writer=model, model_type="bpe", vocab_size=700,
        character_coverage=0.99, byte_fallback=True, add_dummy_prefix=prefix, remove_extra_whitespaces=False,
        normalization_rule_name="identity", split_digits=True, allow_whitespace_only_pieces=True,
        pad_id=0, eos_id=1, bos_id=2, unk_id=3, pad_piece="<pad>", eos_piece="<eos>", bos_piece="<bos>",
        control_symbols=["<start_of_turn>"], user_defined_symbols=user_defined, minloglevel=2)
    return sentencepiece_model_pb2.ModelProto.FromString(model.getvalue()).pieces


def sentence_piece(name, user_defined, prefix):
    trained = trained_pieces(user_defined, prefix)
    pieces = [p.piece for p in trained]
    types = [p.type for p in trained]
    types[3] = CONTROL  # <unk>, as llama.cpp's converter has it
    scores = [p.score for p in trained]
    # Bytes of ASCII characters, which no piece is, that merge all the same.
    for extra in ("\v\v", "e\v"):
        pieces.append(extra)
        types.append(NORMAL)
        scores.append(min(scores) - 1)
    shown = [piece.replace(MARK, " ") if kind == USER_DEFINED and len(piece) == 2 else piece
             for piece, kind in zip(pieces, types)]

    def fill(writer):
        writer.add_tokenizer_model("llama")
        writer.add_tokenizer_pre("default")
        writer.add_token_list(shown)
        writer.add_token_types(types)
        writer.add_token_scores(scores)
        writer.add_add_space_prefix(prefix)
        writer.add_unk_token_id(3)
        keys(writer, 2)

    write(name, fill)
    meta = {"tokens": pieces, "token_type": types, "scores": scores, "add_space_prefix": prefix}
    oracle = from_metadata.processor(meta)
    spaces = [p.replace(MARK, " ") if k == USER_DEFINED else p for p, k in zip(pieces, types)]
    huggingface = from_metadata.converted({**meta, "tokens": spaces})
    controls = [p for p, k in zip(pieces, types) if k == CONTROL]
    return from_metadata.encoder_of_both(name, huggingface, oracle, controls)


def with_pre_tokenizer(tokenizer, pre_tokenizer):
    """Merges that were trained otherwise show where the pre_tokenizer cuts."""
    tokenizer.pre_tokenizer = pre_tokenizer
    return tokenizer


def kinds():
    split = make_tokenizers.split
    trained = make_tokenizers.trained
    byte = pre_tokenizers.ByteLevel(add_prefix_space=False)
    whole = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    digits = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), byte])
    llama3 = with_pre_tokenizer(trained(whole, ignore_merges=True), split(make_tokenizers.LLAMA3))
    qwen2 = with_pre_tokenizer(trained(whole, normalizers.NFC()), split(make_tokenizers.QWEN2))
    return {
        "gpt-2": byte_level("gpt-2", trained(byte)),
        "smollm": byte_level("smollm", with_pre_tokenizer(trained(whole), digits), "<|im_start|>"),
        "llama-bpe": byte_level("llama-bpe", without_some_merges(llama3), "<|endoftext|>"),
        "qwen2": byte_level("qwen2", qwen2),
        "gemma": sentence_piece("gemma", ["\n", "\n\n", "\n\n\n", MARK * 2, MARK * 3, "\t", "<table>",
                                          "</table>"], False),
        "llama": sentence_piece("llama", [], True),
    }


def main():
    data = pathlib.Path(os.environ["AXELRAM_DATA"]) / "text"
    texts = make_tokenizers.TEXTS + make_tokenizers.random_texts(60) + [
        "<bos>Hi<eos>", "a <start_of_turn> b", "<table>a</table>", "a\n\n\n\n\nb", "a      b", "<unk><pad>",
        "\v\v\v", "eee\v\v e\v", "<0x41><0x0A>", "\u2581a\u2581", "<tool_call>x</tool_call><tool>"]
    files = {name: (data / name).read_bytes().decode() for name in TEXTS}

    encoders = kinds()

    def recorded(text):
        ids = [encode(text) for encode in encoders.values()]
        return [[len(one), from_metadata.digest(one)] for one in ids]

    def lines(items):
        return ",\n".join(json.dumps(item, separators=(",", ":")) for item in items)

    (FOLDER / "gguf.expected.json").write_text(
        '{"kinds":' + json.dumps(list(encoders)) + ',\n"files":[\n' +
        lines({"file": name, "ids": recorded(text)} for name, text in files.items()) + '],\n"texts":[\n' +
        lines({"text": text, "ids": recorded(text)} for text in texts) + "]}\n")


if __name__ == "__main__":
    main()
