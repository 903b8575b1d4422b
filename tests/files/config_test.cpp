#include "axelram/files/config.hpp"

#include <limits>

#include "axelram/signs.hpp"
#include "support.hpp"

using namespace axelram;
using namespace axelram::files;

namespace {

Config parse(const std::string& text) { return parse_config(text, "folder/test.yaml", "folder"); }

}  // namespace

TEST_CASE("an empty configuration is the paper's macro") {
  for (const char* text :
       {"", "{}", "# nothing\n", "---\n", "---\n{}\n...\n", "null", "macro: {}"}) {
    CASE(text);
    const Config config = parse(text);
    CHECK(config.name == "test");
    CHECK(config.parameters.head_dim == 128);
    CHECK(config.parameters.index_bits == 3);
    CHECK(config.parameters.significand_bits == 16);
    CHECK(config.parameters.boundary_fraction_bits == 13);
    CHECK(config.parameters.query_bits == 8);
    CHECK(config.parameters.centroid_bits == 8);
    CHECK(config.parameters.element_format == ElementFormat::fp16);
    CHECK(config.parameters.codebook == CodebookKind::gaussian);
    CHECK(config.parameters.scale == ScaleKind::norm);
    CHECK(config.parameters.copies() == 0);
    CHECK(config.parameters.exact_bits == 16);
    CHECK_FALSE(config.parameters.centered);
    CHECK(config.max_keys == 4096);
    CHECK(config.rotation.seed == 42);
    CHECK(config.microarchitecture.key_lanes == 128);
    CHECK(config.microarchitecture.read_lanes == 128);
    CHECK(config.microarchitecture.score_lane == ScoreLane::table);
    CHECK(config.microarchitecture.table_multipliers == 8);
    CHECK(config.microarchitecture.table_storage == TableStorage::flip_flops);
    CHECK(!latch_table(config));
    CHECK(config.microarchitecture.clock_gating == ClockGating::none);
    CHECK(config.ecc.code == "none");
    CHECK(config.center.empty());
    // bit-contract.md#signs: the first word of seed 42, layer 0, head 0
    REQUIRE(config.head_rotation.signs.size() == 128);
    for (std::size_t i = 0; i < 64; ++i) {
      CASE(i);
      CHECK_AT(i,
               config.head_rotation.signs[i] == ((0x57e1faba65107204ULL >> i & 1) != 0 ? -1 : 1));
    }
  }
}

TEST_CASE("every key reaches its member") {
  const Config config = parse(R"(
macro: {head_dim: 64, index_bits: 2, max_keys: 16777216, element_format: bf16}
numerics: {significand_bits: 20, boundary_fraction_bits: 10, query_bits: 16, centroid_bits: 6,
           codebook: beta}
quantizer: {scale: unbiased}
exact: {first: 16, last: 64, bits: 12}
rotation: {seed: 18446744073709551615, layer: 7, head: 3}
microarchitecture:
  key_lanes: 1
  read_lanes: 32
  score_lane: half_table
  table_multipliers: 128
  table_storage: latches
  clock_gating: write_path
ecc: {code: golay24, erasure: interpolate, decoder: rom, stages: 2, scrub_interval: 1000}
)");
  CHECK(config.parameters.head_dim == 64);
  CHECK(config.parameters.index_bits == 2);
  CHECK(config.max_keys == 1 << 24);
  CHECK(config.parameters.element_format == ElementFormat::bf16);
  CHECK(config.parameters.significand_bits == 20);
  CHECK(config.parameters.boundary_fraction_bits == 10);
  CHECK(config.parameters.query_bits == 16);
  CHECK(config.parameters.centroid_bits == 6);
  CHECK(config.parameters.codebook == CodebookKind::beta);
  CHECK(config.parameters.scale == ScaleKind::unbiased);
  CHECK(config.parameters.exact_first == 16);
  CHECK(config.parameters.exact_last == 64);
  CHECK(config.parameters.exact_bits == 12);
  CHECK(config.rotation.seed == std::numeric_limits<std::uint64_t>::max());
  CHECK(config.rotation.layer == 7);
  CHECK(config.rotation.head == 3);
  CHECK(config.microarchitecture.key_lanes == 1);
  CHECK(config.microarchitecture.read_lanes == 32);
  CHECK(config.microarchitecture.score_lane == ScoreLane::half_table);
  CHECK(config.microarchitecture.table_multipliers == 128);
  CHECK(config.microarchitecture.table_storage == TableStorage::latches);
  CHECK(latch_table(config));
  CHECK(config.microarchitecture.clock_gating == ClockGating::write_path);
  CHECK(config.ecc.code == "golay24");
  CHECK(config.ecc.erasure == ErasurePolicy::interpolate);
  CHECK(config.ecc.decoder == GolayDecoder::rom);
  CHECK(config.ecc.stages == 2);
  CHECK(config.ecc.scrub_interval == 1000);
  std::vector<std::int8_t> signs(64);
  sign_vector(config.rotation.seed, 7, 3, 64, signs.data());
  CHECK_SAME(config.head_rotation.signs, signs);
}

TEST_CASE("lanes follow head_dim unless they are given") {
  CHECK(parse("macro: {head_dim: 256}").microarchitecture.key_lanes == 256);
  CHECK(parse("macro: {head_dim: 32}").microarchitecture.read_lanes == 32);
  CHECK(parse("{microarchitecture: {read_lanes: 4}}").microarchitecture.key_lanes == 128);
}

TEST_CASE("identity is all +1") {
  const Config config = parse("rotation: {identity: true, layer: 3}");
  CHECK(config.rotation.source == Rotation::Source::identity);
  CHECK_SAME(config.head_rotation.signs, std::vector<std::int8_t>(128, 1));
}

TEST_CASE("JSON is YAML, tabs and escapes included") {
  const Config config = parse(
      "{\n\t\"macro\":{\"head_dim\":64,\t\"element\\u005fformat\":\"bf16\"},\r\n"
      "\t\"rotation\" : {\n\t\t\"seed\":1\n\t}\n}\n");
  CHECK(config.parameters.head_dim == 64);
  CHECK(config.parameters.element_format == ElementFormat::bf16);
  CHECK(config.rotation.seed == 1);
}

TEST_CASE("a byte order mark, a directive and carriage returns are harmless") {
  CHECK(parse("\xef\xbb\xbfmacro: {head_dim: 64}").parameters.head_dim == 64);
  CHECK(parse("%YAML 1.2\n---\nmacro: {head_dim: 64}\n").parameters.head_dim == 64);
  CHECK(parse("macro:\r\n  head_dim: 64\r\n").parameters.head_dim == 64);
}

TEST_CASE("the name is the file's without folder and extension") {
  CHECK(parse_config("", "a/b.c/d.e.yaml", "").name == "d.e");
  CHECK(parse_config("", "plain", "").name == "plain");
  CHECK(parse_config("", ".hidden", "").name == ".hidden");
}

TEST_CASE("a Hsiao code of any size is named by it") {
  for (const char* name :
       {"hsiao_72_64", "hsiao_39_32", "hsiao_22_16", "hsiao_13_8", "hsiao_8_4"}) {
    CASE(name);
    CHECK_AT(name, parse("ecc: {code: " + std::string(name) + "}").ecc.code == name);
  }
}

TEST_CASE("canonical YAML gives the same configuration back") {
  for (const char* text :
       {"{}", "macro: {head_dim: 256, index_bits: 4, max_keys: 1, element_format: bf16}",
        "numerics: {significand_bits: 12, codebook: beta}", "rotation: {seed: 0, head: 1048575}",
        "rotation: {identity: true}", "quantizer: {scale: unbiased}",
        "quantizer: {kind: trellis, states: 16}",
        "quantizer: {scale: unbiased}\nexact: {first: 2, last: 8, bits: 13}",
        "microarchitecture: {key_lanes: 2, table_multipliers: 1024}",
        "microarchitecture: {score_lane: half_table, table_multipliers: 512}",
        "microarchitecture: {score_lane: half_table, table_storage: latches}",
        "microarchitecture: {score_lane: multiplier}",
        "microarchitecture: {clock_gating: write_path}",
        "microarchitecture: {score_lane: multiplier, table_storage: flip_flops}",
        "ecc: {code: golay24, erasure: zero, decoder: rom, stages: 1, scrub_interval: 9}",
        "ecc: {code: hsiao_13_8, erasure: interpolate}"}) {
    CASE(text);
    const Config config = parse(text);
    const Config again = parse(canonical_yaml(config));
    CHECK(canonical_yaml(again) == canonical_yaml(config));
    CHECK_SAME(again.head_rotation.signs, config.head_rotation.signs);
  }
  CHECK(canonical_yaml(parse("{}")) ==
        "macro: {head_dim: 128, index_bits: 3, max_keys: 4096, element_format: fp16}\n"
        "numerics: {significand_bits: 16, boundary_fraction_bits: 13, query_bits: 8, "
        "centroid_bits: 8, codebook: gaussian}\n"
        "quantizer: {kind: mse, scale: norm, states: 8}\n"
        "exact: {first: 0, last: 0, bits: 16}\n"
        "rotation: {seed: 42, layer: 0, head: 0}\n"
        "microarchitecture: {key_lanes: 128, read_lanes: 128, score_lane: table, "
        "table_multipliers: 8, table_storage: flip_flops, clock_gating: none}\n"
        "ecc: {code: none, erasure: keep, decoder: algebraic, stages: 0, scrub_interval: 0}\n");
}
