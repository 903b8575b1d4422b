// The sections attention and store, and the rows of rotations that they name.
#include "axelram/files/config.hpp"
#include "axelram/files/safetensors.hpp"
#include "golden/fields.hpp"
#include "support.hpp"

using namespace axelram;
using namespace axelram::files;
using test::contains;

namespace {

Config attending(const std::string& text, const std::string& folder = "") {
  return parse_config(text, "x.yaml", folder);
}

std::string rejection_of(const std::string& text, const std::string& folder = "") {
  return test::message([&] { attending(text, folder); });
}

}  // namespace

TEST_CASE("without the section a macro ends at the scores") {
  const Config config = attending("macro: {head_dim: 32}");
  CHECK_FALSE(config.attention.given);
  CHECK_FALSE(contains(canonical_yaml(config), "attention"));
  CHECK_FALSE(contains(canonical_yaml(config), "store"));
  CHECK(test::message([&] { reject_attention(config, "a test"); }) == "");
}

TEST_CASE("an empty section attends, by the defaults of the contract") {
  for (const auto& [max_keys, weight_bits] :
       std::vector<std::pair<int, int>>{{1, 12}, {16, 12}, {17, 13}, {4096, 20}, {1 << 24, 28}}) {
    CASE(max_keys);
    const Config config = attending("macro: {head_dim: 32, max_keys: " + std::to_string(max_keys) +
                                    "}\nattention: {}");
    REQUIRE(config.attention.given);
    CHECK(config.attention.parameters.group == 1);
    CHECK(config.attention.parameters.weight_bits == weight_bits);
    CHECK(config.attention.parameters.scale == 0.17677669529663687);
    CHECK(config.attention.parameters.output == OutputFormat::fp16);
    CHECK(config.attention.output_lanes == 16);
    CHECK(config.store.segments == 1);
    CHECK(config.store.rotations == 1);
    CHECK(config.store.rotation_memory == RotationMemory::rom);
    CHECK(rotation_rows(config).size() == 1);
  }
  CHECK(attending("{\"attention\": {}}").attention.given);
}

TEST_CASE("canonical text of attention parses to the same macro") {
  const std::string text =
      "macro: {head_dim: 32}\n"
      "attention: {group: 8, weight_bits: 14, scale: 1.5e-3, output: fp32, output_lanes: 32}\n"
      "store: {segments: 3, rotations: 2, rotation_memory: ram}\n";
  const Config config = attending(text);
  CHECK(config.attention.parameters.group == 8);
  CHECK(config.attention.parameters.weight_bits == 14);
  CHECK(config.attention.parameters.scale == 0.0015);
  CHECK(config.attention.parameters.output == OutputFormat::fp32);
  CHECK(config.attention.output_lanes == 32);
  CHECK(config.store.segments == 3);
  CHECK(config.store.rotations == 2);
  CHECK(config.store.rotation_memory == RotationMemory::ram);
  const Config again = attending(canonical_yaml(config));
  CHECK(canonical_yaml(again) == canonical_yaml(config));
  CHECK(contains(canonical_yaml(config),
                 "\nattention: {group: 8, weight_bits: 14, scale: 0.0015, "
                 "output: fp32, output_lanes: 32}\n"
                 "store: {segments: 3, rotations: 2, rotation_memory: ram}"));
  // Every double survives: the shortest text that parses to it is written.
  const Config third = attending("attention: {scale: 0.33333333333333331}");
  CHECK(attending(canonical_yaml(third)).attention.parameters.scale == 1.0 / 3);
}

TEST_CASE("attention that no macro has is rejected, with its line") {
  const auto is = [](const std::string& text, const std::string& message) {
    CASE(text);
    CHECK(rejection_of(text) == "x.yaml:" + message);
  };
  is("macro: {}\nstore: {segments: 2}",
     "2: segments is 2, but the macro ends at the scores; give attention: {} too");
  is("store:\n  segments: 1\n  rotation_memory: ram",
     "3: rotation_memory is ram, but the macro ends at the scores; give attention: {} too");
  is("attention: {group: 3}", "1: group is 3; it must be 1, 2, 4 or 8");
  is("attention: {group: 16}", "1: group is 16; it must lie in 1..8");
  is("attention: {weight_bits: 11}", "1: weight_bits is 11; it must lie in 12..28");
  is("attention: {weight_bits: 29}", "1: weight_bits is 29; it must lie in 12..28");
  is("attention: {output_lanes: 24}",
     "1: output_lanes is 24; it must be a power of two up to head_dim");
  is("attention: {output_lanes: 256}", "1: output_lanes is 256; it must lie in 1..128");
  is("attention: {output: bf16}",
     "1: output is bf16; it must be fp16 or fp32; did you mean 'fp16'?");
  is("attention: {}\nstore: {segments: 0}", "2: segments is 0; it must lie in 1..256");
  is("attention: {}\nstore: {rotations: 257}", "2: rotations is 257; it must lie in 1..256");
  is("attention: {}\nstore: {rotations: 2}\nrotation: {head: 1048575}",
     "2: rotations is 2, so that the last head is 1048576; it must lie in 0..1048575");
  is("attention: {}\nquantizer: {kind: prod}",
     "2: kind is prod, but the macro attends; values need the kind mse or trellis");
  is("attention: {}\nquantizer: {scale: unbiased}\nsplit: {bits: [4, 2], channels: h}",
     "3: split, but the macro attends; values need records of one part");
  is("macro: {max_keys: 1048576}\nnumerics: {centroid_bits: 16}\nattention: {weight_bits: 28}",
     "3: attention: sums of values have 64 bits: weight_bits, centroid_bits and those of max_keys; "
     "they must be 63 or less");
  is("attention: {scale: 1e-80}",
     "1: attention: the softmax scale has an exponent of -293; it must lie in -128..127");
  is("attention: {scale: 1e80}",
     "1: attention: the softmax scale has an exponent of 238; it must lie in -128..127");
}

TEST_CASE("a scale is a positive decimal number") {
  for (const char* text : {"0.125", "1", "1.", ".5", "1e-3", "1E+3", "0.1e1"})
    CHECK_AT(text, rejection_of(std::string("attention: {scale: ") + text + "}") == "");
  for (const char* text : {"x", "0x1", "+1", "1e", "\"1\"", "1 2", "''"})
    CHECK_AT(text, contains(rejection_of(std::string("attention: {scale: ") + text + "}"),
                            "it must be a decimal number, such as 0.08838834764831843"));
  for (const char* text : {"0", "-1", "-0", "inf", "nan", "1e-999", "1e999"})
    CHECK_AT(text, contains(rejection_of(std::string("attention: {scale: ") + text + "}"),
                            "it must be finite and above 0, such as 0.08838834764831843"));
}

TEST_CASE("rows of rotations are those of the heads behind, or of the rows behind of a file") {
  const test::TemporaryFolder folder;
  std::vector<std::int8_t> signs(6 * 32, 1);
  std::vector<std::uint16_t> centers(6 * 32, 0x3c00);
  for (std::size_t row = 0; row < 6; ++row) {
    signs[row * 32 + row] = -1;
    centers[row * 32] = static_cast<std::uint16_t>(0x3c00 + row);
  }
  write_safetensors(folder / "s",
                    {view("signs", DataType::i8, {2, 3, 32}, signs),
                     view("center", DataType::f16, {2, 3, 32}, centers)},
                    {}, true);
  const std::string text = "macro: {head_dim: 32}\nattention: {}\nstore: {rotations: 3}\n";

  const std::vector<RotationRow> seeded =
      rotation_rows(attending(text + "rotation: {layer: 7, head: 5}"));
  REQUIRE(seeded.size() == 3);
  for (int row = 0; row < 3; ++row) {
    CASE(row);
    CHECK_SAME(seeded[static_cast<std::size_t>(row)].rotation,
               seeded_rotation(attending(text).parameters, kDefaultSeed, 7, 5 + row));
    CHECK(seeded[static_cast<std::size_t>(row)].center.empty());
  }

  const Config of_file =
      attending(text + "rotation: {signs: s, center: s, layer: 0, head: 2}", folder.path());
  CHECK(of_file.parameters.centered);
  const std::vector<RotationRow> rows = rotation_rows(of_file);
  REQUIRE(rows.size() == 3);  // the last of layer 0, and two of layer 1
  for (std::size_t row = 0; row < 3; ++row) {
    CASE(row);
    CHECK(rows[row].rotation.signs[2 + row] == -1);
    CHECK(rows[row].center[0] == 0x3c02 + row);
  }
  CHECK(rotation_rows(config_of_head(of_file, folder.path(), 1, 0))[2].center[0] == 0x3c05);
  CHECK(contains(rejection_of(text + "rotation: {signs: s, layer: 1, head: 1}", folder.path()),
                 "s: tensor signs: holds 6 rows; store.rotations needs row 6 (from 0)"));
  CHECK(contains(rejection_of(text + "rotation: {center: s, layer: 1, head: 2}", folder.path()),
                 "s: tensor center: holds 6 rows; store.rotations needs row 6 (from 0)"));
  signs[5 * 32] = 0;
  write_safetensors(folder / "s", {view("signs", DataType::i8, {2, 3, 32}, signs)}, {}, true);
  CHECK(contains(rejection_of(text + "rotation: {signs: s, layer: 1}", folder.path()),
                 "tensor signs, layer 1, head 2, element 0: 0; signs are -1 or 1"));
}

TEST_CASE("what ends at the scores says so of a configuration with attention") {
  CHECK(test::message([] { reject_attention(attending("attention: {}"), "the hardware"); }) ==
        "configuration x: section attention: the hardware ends at the scores; 'axelram run' and "
        "'axelram verify' attend, 'axelram generate' writes the hardware");
}
