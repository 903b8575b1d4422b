#!/usr/bin/env python3
"""Trains small byte-level BPE tokenizers with Hugging Face's library and writes, for each, NAME.json
(a tokenizer.json as models ship it) and NAME.expected.json (texts with that library's ids).

A developer runs it: python3 -m venv env && env/bin/pip install tokenizers==0.22.2
                     env/bin/python make_tokenizers.py
"""

import json
import pathlib
import random

from tokenizers import AddedToken, Regex, Tokenizer, normalizers, pre_tokenizers, processors
from tokenizers.models import BPE
from tokenizers.trainers import BpeTrainer

FOLDER = pathlib.Path(__file__).parent

LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
          r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")

SENTENCES = """
The key is rotated once and stored as a row of small numbers, and it is never put together again.
A query meets every stored key: what it finds there it adds up, and the sum is a score.
We'll see whether they've done it; she's sure that it doesn't matter, but I'd like to know what you'd say.
In 2024 the table held 4096 rows of 128 values, 3.5 bits each, or 229,376 bytes in 16 banks.
Der schnelle Weg führt über die Brücke, größer als früher; où est la clé? Año nuevo, señor.
Быстрый ключ лежит в таблице, и мы его найдём. Το κλειδί είναι στον πίνακα.
鍵は表の中にあります。 钥匙在桌子上，我们找到了它。 열쇠는 책상 위에 있습니다.
المفتاح على الطاولة ونحن نبحث عنه. चाबी मेज पर है।
if (row[i] == 0) { return x->y + 17; }  // done
\tfor k in range(10):\n\t\tprint(k)\n\n\n
😀 👩\u200d👩\u200d👧 👍🏽 é e\u0301 ñ n\u0303 Å A\u030a
""".strip().replace("\\t", "\t").replace("\\n", "\n").split("\n")

TEXTS = [
    "", " ", "  ", "   a", "a   ", " a  b   c    d", "\t\ta", "a\t b", "\n", "\n\n", "\r\n\r\n", "a\r\n b",
    "a \n \n  b", " \r\n \r \n", "a\n", "\x0b\x0c\x1c\x1f", "word\x0bword", "\x00\x01\x7f",
    "I'll we've SHE'S CAN'T they'RE I'm it'd 'tis o'clock 's 'S 'lL x'Ve", "'\u017f 'S\u017f K\u212a",
    "don\u2019t", "it''s", "''''", "'re're", "s's't",
    "0 1 12 123 1234 12345 1234567890", "3.14159 1,000,000 0x1F 1e-5", "\u0661\u0662\u0663\u0664",
    "\u00bd\u00b2\u2167\u2460\u3007", "x2y3", "123abc456",
    "The key is rotated once and stored.", "THE KEY", "don't stop; we'll see!!! ???...",
    "if (row[i] == 0) { return x->y; }\n\t// done\r\n", "snake_case camelCase a_b __x__",
    "鍵は表の中に", "钥匙在桌子上，我们。\n", "열쇠는 책상", "한글 \u1112\u1161\u11ab\u1100\u1173\u11af",
    "المفتاح على", "\u0643\u0650\u062a\u064e\u0627\u0628", "चाबी मेज पर", "กุญแจอยู่", "Ключ Ελληνικά",
    "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd", "\u01c5\u02b0\u00aa\u00ba",
    "é e\u0301 \u00e5 a\u030a \u212b \u1e9b\u0323 q\u0307\u0323 e\u0301\u0323", "\u0301a", "\u0344 \u0958 \u2126",
    "a\u0300\u0316b \ufb01 \u00c5", "\u0065\u0302\u0301 \u1ec7 \u0323\u0302",
    "😀", "😀😀 👍🏽", "👩\u200d👩\u200d👧", "🏳\ufe0f\u200d🌈 🇩🇪🇫🇷", "a😀b 😀", "\U0001d400\U0001f9ff\U00020000",
    "a\u00a0b", "\u00a0\u00a0a", " \u00a0 ", "a\u0085b\u0085\u0085", "a\u2028b\u2029c", "\u3000a\u3000",
    "a\u200bb", "\u200b", "\ufeffa", "a\u200cb\u200d", "\u2060\u00adx", "\u180e \u1680\u2000\u202f\u205f",
    "<|endoftext|>", "a<|endoftext|>b", " <|endoftext|> ", "<|endoftext|><|endoftext|>", "<|endoftext",
    "<|endoftext|", "<<|endoftext|>>", "<|begin_of_text|>Hi<|end|>", "<|im_start|>user\nHi<|im_end|>\n",
    "a <|mask|> b", "a  <|mask|>  b", "<|mask|>", "a<word>b <word> <word>. \u00e9<word> _<word>",
    "<tool><tool_call></tool_call>", "cafe\u0301! caf\u00e9! cafe\u0301", "re\u0301sume\u0301s <|im",
    "a" * 300, " " * 300, "ab" * 150, "\n" * 100, " \n" * 60, "7" * 100, "!" * 100, "\u00e9" * 80,
    "e\u0301" * 80, "鍵" * 80, "😀" * 40, "'s" * 40, "a " * 60, "<|im_end|>" * 6,
]


def random_texts(count):
    """Characters that patterns treat differently, in any order."""
    source = random.Random(20240607)
    alphabet = (list("aZst're  \t\n\r1290.,!_-/<|>") +
                ["'ll", "'S", "\u00e9", "e\u0301", "\u00a0", "\u2028", "\u0085", "鍵", "😀", "\u200d", "\u0661",
                 "\u00bd", "ä", "Ж", "\u02b0", "\u0300", "<|endoftext|>", "<|im_end|>", "key", " the", "\x0b"])
    return ["".join(source.choices(alphabet, k=source.randrange(1, 40))) for _ in range(count)]


def corpus():
    """The sentences' words in new orders, so that merges grow beyond whole sentences' ends."""
    source = random.Random(7)
    words = [word for sentence in SENTENCES for word in sentence.split(" ")]
    mixed = [" ".join(source.choices(words, k=12)) for _ in range(400)]
    return SENTENCES * 10 + mixed


def trained(pre_tokenizer, normalizer=None, ignore_merges=False):
    tokenizer = Tokenizer(BPE(ignore_merges=ignore_merges))
    tokenizer.pre_tokenizer = pre_tokenizer
    if normalizer:
        tokenizer.normalizer = normalizer
    trainer = BpeTrainer(vocab_size=600, show_progress=False,
                         initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.train_from_iterator(corpus(), trainer)
    return tokenizer


def split(pattern):
    return pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(pattern), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def gpt2():
    tokenizer = trained(pre_tokenizers.ByteLevel(add_prefix_space=False))
    tokenizer.add_special_tokens(["<|endoftext|>"])
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer


def llama3():
    tokenizer = trained(split(LLAMA3), ignore_merges=True)
    tokenizer.add_special_tokens(["<|begin_of_text|>", "<|endoftext|>", "<|end|>"])
    tokenizer.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=False),
        processors.TemplateProcessing(single="<|begin_of_text|> $A", pair=None, special_tokens=[
            ("<|begin_of_text|>", tokenizer.token_to_id("<|begin_of_text|>"))])])
    return tokenizer


def qwen2():
    tokenizer = trained(split(QWEN2), normalizers.NFC())
    tokenizer.add_special_tokens(["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    tokenizer.add_tokens([
        AddedToken("<tool>", normalized=False), AddedToken("<tool_call>", normalized=False),
        AddedToken("</tool_call>", normalized=False),
        AddedToken("<word>", single_word=True, normalized=False),
        AddedToken("<|mask|>", lstrip=True, rstrip=True, normalized=False),
        AddedToken("cafe\u0301", normalized=True)])
    return tokenizer


def stages():
    """What real models seldom have: prefixed spaces, other behaviours, digits one by one."""
    tokenizer = trained(pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(r"\s+"), "merged_with_next"),
        pre_tokenizers.Split("e", "merged_with_previous"),
        pre_tokenizers.Split(Regex(r"[a-m]"), "contiguous", invert=True),
        pre_tokenizers.Split("-", "removed"),
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.Split(Regex(r"^\w+$|\W"), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)]))
    return tokenizer


def prefixed():
    tokenizer = trained(pre_tokenizers.ByteLevel(add_prefix_space=True))
    tokenizer.add_special_tokens(["<|endoftext|>"])
    return tokenizer


def write(name, tokenizer, pairs):
    content = json.loads(tokenizer.to_str())
    if content["model"]["ignore_merges"]:  # some pieces can be had as a whole only
        merges = content["model"]["merges"]
        content["model"]["merges"] = [m for i, m in enumerate(merges) if i < 100 or i % 5]
    if not pairs:  # as files written before merges became pairs
        content["model"]["merges"] = [" ".join(pair) for pair in content["model"]["merges"]]
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    (FOLDER / f"{name}.json").write_text(text + "\n")
    again = Tokenizer.from_str(text)
    cases = [{"text": text, "ids": again.encode(text, add_special_tokens=False).ids}
             for text in TEXTS + random_texts(60)]
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    (FOLDER / f"{name}.expected.json").write_text(f"[\n{lines}\n]\n")


def main():
    write("gpt2", gpt2(), pairs=False)
    write("llama3", llama3(), pairs=True)
    write("qwen2", qwen2(), pairs=False)
    write("stages", stages(), pairs=True)
    write("prefixed", prefixed(), pairs=True)


if __name__ == "__main__":
    main()
