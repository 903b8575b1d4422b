// Configurations of records with two parts: the kind prod, and splits.
#include <numeric>

#include "axelram/files/config.hpp"
#include "axelram/files/safetensors.hpp"
#include "axelram/signs.hpp"
#include "golden/fields.hpp"
#include "support.hpp"

using namespace axelram;
using namespace axelram::files;
using test::contains;

namespace {

/// Channels of a layer and head: every second one, from 0 or 1 on.
std::vector<std::int32_t> every_second(std::size_t rows, int d) {
  std::vector<std::int32_t> channels;
  for (std::size_t row = 0; row < rows; ++row)
    for (int channel = static_cast<int>(row % 2); channel < d; channel += 2)
      channels.push_back(channel);
  return channels;
}

void write_channels(const std::string& path, const Shape& shape,
                    const std::vector<std::int32_t>& channels) {
  write_safetensors(path, {view("high", DataType::i32, shape, channels)}, {}, true);
}

std::vector<std::int8_t> signs_of(std::uint64_t seed, int layer, int head, int d) {
  std::vector<std::int8_t> signs(static_cast<std::size_t>(d));
  sign_vector(seed, layer, head, d, signs.data());
  return signs;
}

/// A folder with the channels h [2, 2, 16] and the signs s [2, 2, 32].
struct Files {
  Files() : signs(128) {
    write_channels(folder / "h", {2, 2, 16}, every_second(4, 32));
    for (std::size_t i = 0; i < signs.size(); ++i) signs[i] = i % 3 == 0 ? -1 : 1;
    write_safetensors(folder / "s", {view("signs", DataType::i8, {2, 2, 32}, signs)}, {}, true);
  }
  Config parse(const std::string& text) const {
    return parse_config("macro: {head_dim: 32}\n" + text, "x.yaml", folder.path());
  }

  test::TemporaryFolder folder;
  std::vector<std::int8_t> signs;
};

constexpr const char* kSplit = "quantizer: {scale: unbiased}\nsplit: {bits: [4, 2], channels: h}\n";

}  // namespace

TEST_CASE("prod has a second sign vector, always from a seed") {
  const Files files;
  const std::string prod = "quantizer: {kind: prod}\n";
  const Config config = files.parse(prod + "rotation: {seed: 7, layer: 3, head: 5}");
  CHECK(config.parameters.prod());
  CHECK_SAME(config.head_rotation.signs, signs_of(7, 3, 5, 32));
  CHECK_SAME(config.head_rotation.residual_signs, signs_of(7 ^ 0x514A4C, 3, 5, 32));
  CHECK(config.head_rotation.high_channels.empty());
  CHECK_SAME(files.parse(prod + "rotation: {signs: s, layer: 1}").head_rotation.residual_signs,
             signs_of(42 ^ 0x514A4C, 1, 0, 32));
  CHECK_SAME(files.parse(prod + "rotation: {identity: true, head: 9}").head_rotation.residual_signs,
             signs_of(42 ^ 0x514A4C, 0, 9, 32));
  CHECK(files.parse("").head_rotation.residual_signs.empty());
  // index_bits counts the sign, so that the table has half the entries
  CHECK(contains(
      test::message([&] { files.parse(prod + "microarchitecture: {table_multipliers: 256}"); }),
      "it must lie in 1..128"));
}

TEST_CASE("a split has signs and channels of its layer and head") {
  const Files files;
  const Config config = files.parse(std::string(kSplit) + "rotation: {seed: 9, layer: 1, head: 1}");
  CHECK(config.parameters.split_high == 4);
  CHECK(config.parameters.split_low == 2);
  CHECK(config.channels_file == "h");
  const std::vector<std::uint16_t>& high = config.head_rotation.high_channels;
  CHECK_SAME(high,
             std::vector<std::uint16_t>{1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31});
  std::vector<std::int8_t> signs = signs_of(9, 1, 1 + (1 << 18), 16);
  const std::vector<std::int8_t> second = signs_of(9, 1, 1 + (2 << 18), 16);
  signs.insert(signs.end(), second.begin(), second.end());
  CHECK_SAME(config.head_rotation.signs, signs);

  // Signs of a file stay with their channels.
  const Config given = files.parse(std::string(kSplit) + "rotation: {signs: s, layer: 1}");
  const auto row = static_cast<std::size_t>(64);
  for (std::size_t i = 0; i < 16; ++i) {
    CASE(i);
    CHECK(given.head_rotation.signs[i] == files.signs[row + 2 * i]);
    CHECK(given.head_rotation.signs[16 + i] == files.signs[row + 2 * i + 1]);
  }
  CHECK_SAME(files.parse(std::string(kSplit) + "rotation: {identity: true}").head_rotation.signs,
             std::vector<std::int8_t>(32, 1));

  const Config other = config_of_head(config, files.folder.path(), 0, 0);
  CHECK(other.head_rotation.high_channels[0] == 0);
  CHECK_SAME(other.head_rotation,
             files.parse(std::string(kSplit) + "rotation: {seed: 9}").head_rotation);
}

TEST_CASE("canonical YAML and JSON of two parts") {
  const Files files;
  for (const std::string text :
       {kSplit, "quantizer: {kind: trellis, scale: unbiased}\nsplit: {channels: h, bits: [1,1]}",
        "quantizer: {kind: prod}\nrotation: {seed: 3}"}) {
    CASE(text);
    const Config config = files.parse(text);
    const std::string canonical = canonical_yaml(config);
    const Config again = parse_config(canonical, "x.yaml", files.folder.path());
    CHECK(canonical_yaml(again) == canonical);
    CHECK_SAME(again.head_rotation, config.head_rotation);
  }
  CHECK(contains(canonical_yaml(files.parse(kSplit)), "split: {bits: [4, 2], channels: \"h\"}\n"));
  const std::string json =
      R"({"macro": {"head_dim": 32}, "quantizer": {"scale": "unbiased"},
          "split": {"bits": [4, 2], "channels": "h"}})";
  CHECK(canonical_yaml(parse_config(json, "x.yaml", files.folder.path())) ==
        canonical_yaml(files.parse(kSplit)));
  const std::string block =
      "quantizer:\n  scale: unbiased\nsplit:\n  bits:\n    - 4\n    - 2\n  channels: h\n";
  CHECK(canonical_yaml(files.parse(block)) == canonical_yaml(files.parse(kSplit)));
}

TEST_CASE("a codebook of the sphere in half the dimensions") {
  const Files files;
  CHECK(files.parse(std::string(kSplit) + "numerics: {codebook: beta}").parameters.codebook ==
        CodebookKind::beta);
}

TEST_CASE("what two parts exclude") {
  const Files files;
  const std::string unbiased = "quantizer: {scale: unbiased}\n";
  const struct {
    std::string text;
    int line;
    const char* part;
  } cases[] = {
      {"quantizer: {kind: prod, scale: unbiased}", 2,
       "scale is unbiased, but the kind is prod; it needs the scale norm"},
      {"quantizer: {kind: prod, states: 4}", 2, "only a trellis has states"},
      {"quantizer: {kind: prod}\nsplit: {bits: [4, 2], channels: h}", 3,
       "bits is [4, 2], but the kind is prod; a split needs mse or trellis"},
      {"split: {bits: [4, 2], channels: h}", 2, "but the scale is norm; a split needs"},
      {"quantizer: {scale: unbiased}\nsplit: {bits: [4, 2], channels: h}\nexact: {last: 1}", 4,
       "last is 1, but the key is split; exact tokens need records of one part"},
      {"quantizer: {kind: prod}\nexact: {first: 2}", 3, "first is 2, but the kind is prod"},
      {unbiased + "split: {}", 3, "split has no bits; it needs both"},
      {unbiased + "split: {bits: [4, 2]}", 3, "split has no channels; it needs both"},
      {unbiased + "split: {channels: h}", 3, "split has no bits; it needs both"},
      {unbiased + "split: {bits: 4, channels: h}", 3, "bits is 4; it must be two numbers of bits"},
      {unbiased + "split: {bits: \"[4, 2]\", channels: h}", 3, "it must be two numbers of bits"},
      {unbiased + "split: {bits: [], channels: h}", 3, "bits is []; it must be two numbers"},
      {unbiased + "split: {bits: [4], channels: h}", 3, "bits is [4]; it must be two numbers"},
      {unbiased + "split: {bits: [4, 2, 1], channels: h}", 3, "bits is [4, 2, 1]; it must be two"},
      {unbiased + "split: {bits: [2, 4], channels: h}", 3, "the first must not be the smaller"},
      {unbiased + "split: {bits: [5, 2], channels: h}", 3,
       "an element of bits is 5; it must lie in 1..4"},
      {unbiased + "split: {bits: [4, 0], channels: h}", 3, "an element of bits is 0"},
      {unbiased + "split: {bits: [4, x], channels: h}", 3, "it must be a whole number"},
      {unbiased + "split: {bits: [4, \"2\"], channels: h}", 3, "it must be a whole number"},
      {unbiased + "split: {bits: [4, ~], channels: h}", 3, "'bits' has an empty element; give"},
      {unbiased + "split: {bits: [4, [2]], channels: h}", 3, "'bits' holds a list; its"},
      {unbiased + "split: {bits: [4, {a: 2}], channels: h}", 3, "'bits' holds a map; its"},
      {unbiased + "split: {bits: {h: 4}, channels: h}", 3, "'bits' is a map; it takes"},
      {unbiased + "split: {bits: [4, 2], channels: [h]}", 3, "'channels' is a list; it takes one"},
      {unbiased + "split: {bits: &a [4, 2], channels: h}", 3, "an anchor (&)"},
      {unbiased + "split: {bits: [4, 2], channels: none}", 3, "channels: "},
      {kSplit + std::string("microarchitecture: {key_lanes: 1}"), 4,
       "key_lanes is 1; with a split"},
      {kSplit + std::string("microarchitecture: {read_lanes: 1}"), 4, "read_lanes is 1; with a"},
      {kSplit + std::string("microarchitecture: {table_multipliers: 128}"), 4,
       "it must lie in 1..64"},
      {kSplit + std::string("rotation: {head: 262144}"), 4,
       "with a split it must lie in 0..262143"},
      {kSplit + std::string("rotation: {head: 2}"), 3, "head 2 of the configuration (from 0)"},
      {kSplit + std::string("rotation: {layer: 2}"), 3, "layer 2 of the configuration (from 0)"},
      {"exact: {last: [1]}", 2, "'last' is a list; it takes one value"},
  };
  for (const auto& [text, line, part] : cases) {
    CASE(text);
    const std::string got = test::message([&] { files.parse(text); });
    CHECK_MESSAGE(got.rfind("x.yaml:" + std::to_string(line) + ": ", 0) == 0, got);
    CHECK_MESSAGE(contains(got, part), got);
  }
}

TEST_CASE("a file of channels that does not fit") {
  const Files files;
  const std::string path = files.folder / "h";
  const auto message = [&] { return test::message([&] { files.parse(kSplit); }); };
  const std::string start = "x.yaml:3: channels: " + path + ": ";
  std::vector<std::int32_t> high(16);
  std::iota(high.begin(), high.end(), 16);
  write_channels(path, {1, 1, 16}, high);
  CHECK(message() == "");
  for (const auto& [i, wrong] : {std::pair{0, -1}, {5, 20}, {5, 0}, {15, 32}, {15, 1 << 16}}) {
    CASE(i, wrong);
    std::vector<std::int32_t> damaged = high;
    damaged[static_cast<std::size_t>(i)] = wrong;
    write_channels(path, {1, 1, 16}, damaged);
    CHECK(message() == start + "tensor high, layer 0, head 0, element " + std::to_string(i) + ": " +
                           std::to_string(wrong) + "; channels ascend strictly, from 0 to 31");
  }
  write_channels(path, {1, 2, 8}, high);
  CHECK(message() == start + "tensor high: shape is [1, 2, 8]; it must be [layers, heads, 16]");
  write_safetensors(path, {view("high", DataType::u32, {1, 1, 16}, high)}, {}, true);
  CHECK(contains(message(), "dtype is U32; it must be I32"));
  write_safetensors(path, {view("low", DataType::i32, {1, 1, 16}, high)}, {}, true);
  CHECK(contains(message(), "no tensor 'high'; the file holds low"));
}
