#include "axelram/files/config.hpp"
#include "support.hpp"

using namespace axelram::files;
using test::contains;

namespace {

struct Wrong {
  std::string text;
  int line;
  std::string part;  ///< of the message
};

void check_all(const std::vector<Wrong>& cases) {
  for (const auto& [text, line, part] : cases) {
    CASE(text);
    const std::string got = test::message([&t = text] { parse_config(t, "x.yaml", ""); });
    CHECK_MESSAGE(got.rfind("x.yaml:" + std::to_string(line) + ": ", 0) == 0, got);
    CHECK_MESSAGE(contains(got, part), got);
    CHECK_MESSAGE(contains(got, "; "), got);  // what would be right
  }
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("messages in full") {
  const auto message = [](const std::string& text) {
    return test::message([&text] { parse_config(text, "x.yaml", ""); });
  };
  CHECK(message("macro:\n  head_dmi: 64") ==
        "x.yaml:2: unknown key 'head_dmi' in section macro; did you mean 'head_dim'?");
  CHECK(message("numerics: {significand_bits: 40}") ==
        "x.yaml:1: significand_bits is 40; it must lie in 12..20");
  CHECK(message("\nmacro: {head_dim: 128, head_dim: 64}") ==
        "x.yaml:2: 'head_dim' repeats; line 2 sets it already, keep one");
  CHECK(message("macro: {element_format: fp32}") ==
        "x.yaml:1: element_format is fp32; it must be fp16 or bf16; did you mean 'fp16'?");
}

TEST_CASE("unknown names") {
  check_all(
      {{"macros: {}", 1, "unknown section 'macros'; did you mean 'macro'?"},
       {"Macro: {}", 1, "did you mean 'macro'?"},
       {"nonsense: {}", 1,
        "known are macro, numerics, quantizer, split, exact, rotation, attention, store, "
        "microarchitecture, ecc, memory or sram"},
       {"head_dim: {}", 1, "that is a key of section macro"},
       {"ecc: {head_dim: 64}", 1, "it belongs to section macro"},
       {"macro: {head-dim: 64}", 1, "did you mean 'head_dim'?"},
       {"macro: {zzz: 1}", 1, "known are name, head_dim, index_bits, max_keys or element_format"},
       {"macro: {'': 1}", 1, "unknown key ''"},
       {"macro: {\"a\\nb\": 1}", 1, "unknown key 'a\\x0ab'"},
       {"macro: {" + std::string(900, 'k') + ": 1}", 1, "kkk...kkk"}});
}

TEST_CASE("repeated names at both levels") {
  check_all({{"macro: {head_dim: 64}\necc: {}\nmacro: {index_bits: 2}", 3, "line 1 has it already"},
             {"macro: {}\nmacro: {}", 2, "section 'macro' repeats"},
             {"macro:\n  head_dim: 64\n  'head_dim': 64", 3, "line 2 sets it already"},
             {"{\"macro\":{},\n\"macro\":{}}", 2, "repeats"},
             {"zzz: {}\nzzz: {}", 2, "repeats"}});
}

TEST_CASE("numbers are plain decimal digits") {
  const std::string whole = "it must be a whole number in plain decimal, such as 128";
  for (const char* value :
       {"8.0", "0x40", "0o100", "064", "6_4", "+64", "1e2", "true", "yes", "\"64\"", "'64'",
        "' 64 '", "--4", "nan", ".inf", "6 4", "|\n    64", "''", "\xd9\xa6\xd9\xa4"}) {
    CASE(value);
    check_all({{std::string("macro:\n  head_dim: ") + value + "\n", 2, whole}});
  }
  check_all({{"macro: {head_dim: -64}", 1, "it must lie in 32..256"},
             {"macro: {head_dim: 99999999999999999999}", 1, "it must lie in 32..256"},
             {"rotation: {seed: 18446744073709551616}", 1, "0..18446744073709551615"},
             {"rotation: {seed: -1}", 1, "0..18446744073709551615"},
             {"rotation: {seed: '42'}", 1, "seed is the text \"42\"; it must be a whole number"},
             {"rotation: {seed: 4.2}", 1, "such as 42"}});
}

TEST_CASE("impossible values") {
  check_all(
      {{"macro: {head_dim: 96}", 1, "32, 64, 128 or 256"},
       {"macro: {head_dim: 16}", 1, "32..256"},
       {"macro: {head_dim: 512}", 1, "32..256"},
       {"macro: {index_bits: 1}", 1, "2..4"},
       {"macro: {index_bits: 5}", 1, "2..4"},
       {"macro: {max_keys: 0}", 1, "1..16777216"},
       {"macro: {max_keys: 16777217}", 1, "1..16777216"},
       {"macro: {element_format: FP16}", 1, "fp16 or bf16; did you mean 'fp16'?"},
       {"macro: {element_format: 16}", 1, "fp16 or bf16"},
       {"numerics: {significand_bits: 11}", 1, "12..20"},
       {"numerics: {significand_bits: 21}", 1, "12..20"},
       {"numerics: {boundary_fraction_bits: 9}", 1, "10..16"},
       {"numerics: {boundary_fraction_bits: 17}", 1, "10..16"},
       {"numerics: {query_bits: 5}", 1, "6..16"},
       {"numerics: {query_bits: 17}", 1, "6..16"},
       {"numerics: {centroid_bits: 5}", 1, "6..16"},
       {"numerics: {centroid_bits: 17}", 1, "6..16"},
       {"numerics: {codebook: gauss}", 1, "gaussian or beta"},
       {"exact: {first: -1}", 1, "0..16"},
       {"exact: {first: 17}", 1, "0..16"},
       {"exact: {last: 65}", 1, "0..64"},
       {"exact: {bits: 11}", 1, "12..16"},
       {"exact: {bits: 17}", 1, "12..16"},
       {"quantizer: {states: 4}", 1, "states is 4, but only a trellis has states"},
       {"quantizer: {kind: trellis, states: 12}", 1, "states is 12; it must be 4, 8 or 16"},
       {"quantizer: {kind: vector}", 1, "it must be mse, trellis or prod"},
       {"quantizer: {kind: trellis}\necc: {code: hamming84, erasure: zero}", 2,
        "erasure is zero, but several levels depend on an index of a trellis"},
       {"exact: {\n bits: 14}", 2, "bits is 14, but no token is exact; leave the key out, or give"},
       {"quantizer: {scale: unbiased}\nexact: {first: 0, bits: 12}", 2, "no token is exact"},
       {"exact:\n  bits: 14\n  last: 8", 3,
        "last is 8, but the scale is norm; exact tokens need quantizer: {scale: unbiased}"},
       {"quantizer: {scale: norm}\nexact: {first: 1, last: 0}", 2, "first is 1, but the scale"},
       {"first: 4", 1, "is a key of section exact; write exact: {first: ...}"},
       {"rotation: {layer: -1}", 1, "0..1048575"},
       {"rotation: {layer: 1048576}", 1, "0..1048575"},
       {"rotation: {head: 1048576}", 1, "0..1048575"},
       {"microarchitecture: {key_lanes: 0}", 1, "1..128"},
       {"microarchitecture: {key_lanes: 96}", 1, "power of two"},
       {"microarchitecture: {read_lanes: 256}", 1, "1..128"},
       {"macro: {head_dim: 64}\nmicroarchitecture:\n  read_lanes: 128", 3, "1..64"},
       {"microarchitecture: {table_multipliers: 3}", 1, "divide the 1024 table entries"},
       {"microarchitecture: {table_multipliers: 0}", 1, "1..1024"},
       {"microarchitecture: {table_multipliers: 2048}", 1, "1..1024"},
       {"microarchitecture: {score_lane: tables}", 1, "table, half_table or multiplier"},
       {"microarchitecture: {score_lane: half_table, table_multipliers: 1024}", 1, "1..512"},
       {"microarchitecture:\n  table_multipliers: 4\n  score_lane: multiplier", 2,
        "table_multipliers is 4, but there is no table; give score_lane: table or half_table too"},
       {"microarchitecture: {table_storage: latch}", 1, "flip_flops or latches"},
       {"microarchitecture: {clock_gating: read_path}", 1, "none or write_path"},
       {"microarchitecture:\n  table_storage: latches\n  score_lane: multiplier", 2,
        "table_storage is latches, but there is no table; give score_lane: table or half_table "
        "too"},
       {"quantizer: {scale: unbiased}\nexact: {last: 1}\n"
        "microarchitecture: {score_lane: multiplier}",
        3, "score_lane is multiplier, but the multipliers of a table serve exact tokens"},
       {"ecc: {code: hamming}", 1, "none, hamming74, hamming84, golay24 or hsiao_N_K"},
       {"ecc: {code: hsiao}", 1, "hsiao_N_K"},
       {"macro: {head_dim: 64}\necc: {code: hsiao_72}", 2, "hsiao_72_64"},
       {"ecc: {code: hsiao_64_72}", 1, "hsiao"},
       {"ecc: {code: \"hsiao_1\\n_2\"}", 1, "no code is called 'hsiao_1\\x0a_2'"},
       {"ecc: {code: hsiao_73_65}", 1, "64"},
       {"ecc: {code: hsiao_9_8}", 1, "3..12"},
       {"ecc: {code: hsiao_072_64}", 1, "hsiao_72_64"},
       {"ecc: {erasure: drop}", 1, "keep, zero or interpolate"},
       {"ecc: {decoder: table}", 1, "algebraic or rom"},
       {"ecc: {stages: -1}", 1, "0..16"},
       {"ecc: {\n stages: 4}", 2, "stages is 4, but there is no code; give ecc.code too"},
       {"ecc: {code: none, decoder: rom}", 1, "there is no code"},
       {"ecc: {scrub_interval: 10}", 1, "there is no code"},
       {"ecc: {erasure: zero}", 1, "there is no code"},
       {"code: golay24", 1, "is a key of section ecc; write ecc: {code: ...}"},
       {"ecc: {scrub_interval: -1}", 1, "0..1073741824"}});
}

TEST_CASE("one source of signs") {
  check_all({{"rotation: {seed: 1, identity: true}", 1, "both seed and identity"},
             {"rotation:\n  signs: a\n  seed: 1", 3, "both seed and signs"},
             {"rotation:\n  identity: true\n  signs: a", 3, "both signs and identity"},
             {"rotation: {identity: false}", 1, "it can only be true"},
             {"rotation: {identity: 1}", 1, "it can only be true"},
             {"rotation: {identity: \"true\"}", 1, "it can only be true"},
             {"rotation: {signs: ''}", 1, "it must name a file"},
             {"rotation: {center: ''}", 1, "it must name a file"}});
}

TEST_CASE("the wrong form") {
  check_all({{"64", 1, "one value, '64', instead of sections"},
             {"[macro]", 1, "a list"},
             {"- macro: {}", 1, "a list"},
             {"macro: 64", 1, "'macro' has the value '64'"},
             {"head_dim: 64", 1, "is a key of section macro"},
             {"\nmacro: [1]", 2, "a list"},
             {"macro:\n", 1, "section 'macro' is empty; write {} for its defaults"},
             {"macro: ~\n", 1, "section 'macro' is empty"},
             {"macro: {head_dim: }", 1, "'head_dim' has no value"},
             {"macro:\n  head_dim:\n  index_bits: 3", 2, "'head_dim' has no value"},
             {"macro: {head_dim: null}", 1, "'head_dim' has no value"},
             {"macro: {head_dim}", 1, "'head_dim' has no value"},
             {"macro: {head_dim: [64]}", 1, "'head_dim' is a list"},
             {"macro: {head_dim: {a: 1}}", 1, "'head_dim' is a map"},
             {"? {a: 1}\n: {}", 1, "a map as a key"},
             {"? [a]\n: {}", 1, "a list"},
             {"macro: {? {a: 1} : 2}", 1, "a map as a key"},
             {": {}", 1, "an empty key"},
             {"macro: {~: 2}", 1, "an empty key"}});
}

TEST_CASE("YAML's own machinery") {
  check_all({{"macro: &m {head_dim: 64}", 1, "an anchor"},
             {"&m macro: {}", 1, "an anchor"},
             {"macro:\n  head_dim: &x 64", 2, "an anchor"},
             {"macro: &x\n", 1, "an anchor"},
             {"macro: {head_dim: *x}", 1, "the referenced anchor is not defined"},
             {"macro: {<<: {head_dim: 64}}", 1, "a merge key"},
             {"macro: !!map {}", 1, "the tag 'tag:yaml.org,2002:map'"},
             {"macro: {head_dim: !!int 64}", 1, "the tag"},
             {"macro: {head_dim: !!str 64}", 1, "the tag"},
             {"macro: {head_dim: ! 64}", 1, "whole number"},
             {"macro: {}\n---\necc: {}", 2, "a second document"},
             {"{}\n---\n", 2, "a second document"},
             {"{}\n...\n---\n{}", 3, "a second document"}});
}

TEST_CASE("broken text") {
  check_all({{"macro: {head_dim: 64", 1, "not YAML"},
             {"macro:\n\thead_dim: 64", 2, "a tab indents this line"},
             {"macro:\r\thead_dim: 64", 1, "write sections at the top level"},
             {"macro: {}\n  ecc: {}", 2, "not YAML"},
             {"@", 1, "not YAML"},
             {"macro: {head_dim: 64}}", 1, "not YAML"},
             {"{\"rotation\":{\"signs\":\"\\ud83d\\ude00\"}}", 1, "invalid unicode"},
             {"macro: {}\n\xff", 2, "not UTF-8"},
             {"\xc0\x80", 1, "not UTF-8"},
             {"\xed\xa0\x80", 1, "not UTF-8"},
             {"\xe0\x80\x80", 1, "not UTF-8"},
             {"\xf4\x90\x80\x80", 1, "not UTF-8"},
             {"\xe2\x82", 1, "not UTF-8"},
             {"\xff\xfem\0", 1, "not UTF-8"},
             {std::string("m\0a\0", 4), 1, "control character '\\x00'"},
             {"macro: {}\n\n\x1b[31m", 3, "control character '\\x1b'"},
             {std::string(65537, ' '), 1, "longer than 65536 bytes"}});
}

TEST_CASE("deep nesting ends early and cheaply") {
  for (const char* open : {"[", "{", "{a: ", "- ", "? ", "[{a: ", "a:\n - "})
    CHECK_AT(open, test::message([&] { parse_config(repeated(open, 8000), "x.yaml", ""); }) != "");
}

TEST_CASE("a shortened name stays UTF-8") {
  for (int shift = 0; shift < 3; ++shift) {
    CASE(shift);
    const std::string name = std::string(static_cast<std::size_t>(shift), 'k');
    const std::string got = test::message([&] {
      parse_config("macro: {" + name + repeated("\xe2\x82\xac", 200) + ": 1}", "x.yaml", "");
    });
    CHECK(contains(got, "\xe2\x82\xac...\xe2\x82\xac"));
  }
}

TEST_CASE("messages stay on one line whatever the file is called") {
  CHECK(test::message([] { parse_config("@", "a\nb", ""); }).rfind("a\\x0ab:1: ", 0) == 0);
}

TEST_CASE("files that cannot be read") {
  const test::TemporaryFolder folder;
  const auto message = [](const std::string& path) {
    return test::message([&path] { read_config(path); });
  };
  CHECK(message(folder / "none.yaml") == (folder / "none.yaml") + ": no such file; check the path");
  CHECK(contains(message(folder.path()), "Is a directory"));
  CHECK(contains(message("/dev/zero"), "a device"));
  CHECK(contains(message(""), "no such file"));
  test::put(folder / "long.yaml", std::string(70000, '#'));
  CHECK(contains(message(folder / "long.yaml"), "longer than 65536 bytes"));
  test::put(folder / "bad.yaml", "macro: {\n  head_dim: 65}");
  CHECK(message(folder / "bad.yaml").rfind((folder / "bad.yaml") + ":2: ", 0) == 0);
}
