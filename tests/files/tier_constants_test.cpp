#include "axelram/files/tier_constants.hpp"

#include <stdexcept>

#include "support.hpp"

using namespace axelram;
using namespace files;

namespace {

constexpr std::size_t kLayers = 2, kHeads = 3, kD = 32, kChannels = 8;

/// Every tensor, each number in it another one as far as its range allows.
TierConstants tier_constants() {
  TierConstants all;
  all.layers = kLayers, all.heads = kHeads, all.d = kD;
  all.rope = Rope::pre;
  all.outliers = 0.1;
  all.squat_channels = kChannels;
  all.model = std::string(60, 'a') + "0189";
  for (std::size_t i = 0; i < kLayers * kHeads * kChannels * kChannels * 6; ++i)
    all.squat_matrices.push_back(static_cast<std::int16_t>(i * 7));
  for (int i = 0; i < static_cast<int>(kLayers * kHeads * 3); ++i)
    all.squat_exponents.push_back(-i);
  for (std::size_t i = 0; i < kLayers * kHeads * kD; ++i) {
    all.key_middles.push_back(static_cast<std::uint16_t>(0xB000 + i));
    all.key_radii.push_back(static_cast<std::uint16_t>(0x3000 + i));
  }
  for (std::size_t at = 0; at < 3; ++at)
    for (std::size_t i = 0; i < (kLayers << (at + 2)); ++i) {
      const auto one = static_cast<std::uint16_t>(0x2000 + 64 * at + i);
      all.key_codebooks[at].push_back(one);
      all.value_codebooks[at].push_back(static_cast<std::uint16_t>(one + 0x100));
      all.key_levels[at].push_back(static_cast<std::uint16_t>(one + 0x200));
      all.value_levels[at].push_back(static_cast<std::uint16_t>(one + 0x300));
    }
  return all;
}

struct ConstantsFile {
  test::TemporaryFolder folder;
  std::string path = folder / "constants";

  void write(const TierConstants& all) { files::write_tier_constants(path, all, {}, true); }
  /// The file of tier_constants with other texts; an empty one is left out.
  void write_with(const files::Metadata& texts) {
    write(tier_constants());
    const auto file = files::Safetensors::read(path);
    files::Metadata metadata = file.metadata();
    for (const auto& [key, text] : texts)
      if (text.empty())
        metadata.erase(key);
      else
        metadata[key] = text;
    files::write_safetensors(path, file.tensors(), metadata, true);
  }
  /// The same with another tensor, or without it.
  void write_with(const std::string& name, const files::Tensor* other) {
    write(tier_constants());
    const auto file = files::Safetensors::read(path);
    std::vector<files::Tensor> tensors;
    for (const files::Tensor& tensor : file.tensors())
      if (tensor.name != name)
        tensors.push_back(tensor);
      else if (other != nullptr)
        tensors.push_back(*other);
    files::write_safetensors(path, tensors, file.metadata(), true);
  }
  std::string message(const TierNeeds& needs = {}) const {
    return test::message([&] { files::read_tier_constants(path, needs); });
  }
  void rejected(const std::string& what, const TierNeeds& needs = {}) const {
    CASE(what);
    CHECK(message(needs) == path + ": " + what);
  }
};

TierNeeds tier_needs() {
  TierNeeds needs;
  needs.squat = needs.qnorm = true;
  needs.key_bits = needs.value_bits = {2, 3, 4};
  needs.rope = Rope::pre;
  needs.layers = kLayers, needs.heads = kHeads, needs.d = kD;
  needs.model = [] { return std::string(60, 'a') + "0189"; };
  return needs;
}

}  // namespace

TEST_CASE("constants of tiers: what is written is read") {
  ConstantsFile file;
  const TierConstants all = tier_constants();
  file.write(all);
  for (const TierNeeds& needs : {tier_needs(), TierNeeds{}}) {
    CASE(needs.key_bits);
    const TierConstants read = files::read_tier_constants(file.path, needs);
    CHECK(read.origin == file.path);
    CHECK(read.layers == kLayers);
    CHECK(read.heads == kHeads);
    CHECK(read.d == kD);
    CHECK(read.rope == Rope::pre);
    CHECK(read.outliers == 0.1);
    CHECK(read.squat_channels == kChannels);
    CHECK(read.model == all.model);
    CHECK_SAME(read.squat_matrices, all.squat_matrices);
    CHECK_SAME(read.squat_exponents, all.squat_exponents);
    CHECK_SAME(read.key_middles, all.key_middles);
    CHECK_SAME(read.key_radii, all.key_radii);
    CHECK_SAME(read.key_codebooks, all.key_codebooks);
    CHECK_SAME(read.value_codebooks, all.value_codebooks);
    CHECK_SAME(read.key_levels, all.key_levels);
    CHECK_SAME(read.value_levels, all.value_levels);
    const std::string bytes = test::content(file.path);
    files::write_tier_constants(file.path, read, files::Safetensors::read(file.path).metadata(),
                                true);
    CHECK_SAME(test::content(file.path), bytes);
  }
  const auto tensors = files::Safetensors::read(file.path);
  CHECK(tensors.metadata_at("format") == "axelram-tiers");
  CHECK(tensors.metadata_at("version") == "1");
  CHECK(tensors.metadata_at("rope") == "pre");
  CHECK(tensors.metadata_at("outliers") == "0.10000000000000001");
  CHECK(tensors.metadata_at("squat_channels") == "8");
  CHECK_SAME(tensors.at("squat_matrices").shape, files::Shape{2, 3, 384});
  CHECK_SAME(tensors.at("squat_exponents").shape, files::Shape{2, 3, 3});
  CHECK_SAME(tensors.at("value_levels4").shape, files::Shape{2, 16});
}

TEST_CASE("constants of tiers: those of a layer and head") {
  const TierConstants all = tier_constants();
  const SquatFeedback feedback = all.feedback(1, 2);
  check_squat_feedback(feedback);
  CHECK(feedback.channels == kChannels);
  CHECK_SAME(feedback.exponents, std::vector<int>{-15, -16, -17});
  CHECK(feedback.matrices.front() == static_cast<std::int16_t>(5 * 384 * 7));
  CHECK(all.ranges(1, 2).middles == &all.key_middles[5 * kD]);
  CHECK(all.ranges(1, 2).radii == &all.key_radii[5 * kD]);
  const NuqCodebook plain = all.key_codebook(1, 3, false);
  CHECK(plain.centroids.front() == 0x2048);
  CHECK(plain.centroids.size() == 8);
  CHECK_SAME(plain.levels, plain.centroids);
  const NuqCodebook normed = all.value_codebook(1, 3, true);
  CHECK(normed.centroids.front() == 0x2148);
  CHECK(normed.levels.front() == 0x2348);
  CHECK(normed.levels.back() == 0x234F);

  TierConstants named = all;
  named.origin = "f";
  CHECK(test::message([&] { named.feedback(2, 0); }) ==
        "f: layer 2; the file has 2, counted from 0");
  CHECK(test::message([&] { named.ranges(1, 3); }) ==
        "f: KV head 3; the file has 3, counted from 0");
  CHECK(test::message([&] { named.key_codebook(2, 3, false); }) ==
        "f: layer 2; the file has 2, counted from 0");
  named.key_levels[0].clear();
  CHECK_THROWS_AS(named.key_codebook(0, 2, true), std::logic_error);
  CHECK_NOTHROW(named.key_codebook(0, 2, false));
}

TEST_CASE("constants of tiers: a store needs its own alone") {
  ConstantsFile file;
  TierConstants squat = tier_constants();
  squat.key_middles = squat.key_radii = {};
  squat.key_codebooks = squat.value_codebooks = squat.key_levels = squat.value_levels = {};
  file.write(squat);
  TierNeeds needs;
  needs.squat = true;
  CHECK(files::read_tier_constants(file.path, needs).feedback(1, 1).exponents.size() == 3);
  needs.key_bits = {3};
  file.rejected("no tensor 'key_middles'; the file holds squat_matrices, squat_exponents", needs);

  TierConstants values = tier_constants();
  values.squat_channels = 0;
  values.key_middles = values.key_radii = {};
  values.key_codebooks = values.key_levels = values.value_levels = {};
  values.value_codebooks[0] = values.value_codebooks[2] = {};
  file.write(values);
  needs = {};
  needs.value_bits = {3};
  CHECK(files::read_tier_constants(file.path, needs).value_codebook(1, 3, false).levels.size() ==
        8);
  needs.qnorm = true;
  file.rejected("no tensor 'value_levels3'; the file holds value_codebook3", needs);
  needs = {};
  needs.value_bits = {2, 3};
  file.rejected("no tensor 'value_codebook2'; the file holds value_codebook3", needs);
  needs = {};
  needs.squat = true;
  file.rejected("no metadata 'squat_channels'; the file must state it", needs);
  file.write_with({{"outliers", ""}});
  CHECK(file.message() == "");
  needs = {};
  needs.value_bits = {3};
  file.rejected("no metadata 'outliers'; the file must state it", needs);
}

TEST_CASE("constants of tiers: without feedback a head is one run") {
  ConstantsFile file;
  TierConstants all = tier_constants();
  all.squat_channels = kD;
  all.squat_matrices = {};
  all.squat_exponents = {};
  file.write(all);
  TierNeeds needs = tier_needs();
  const TierConstants read = files::read_tier_constants(file.path, needs);
  check_squat_feedback(read.feedback(1, 2));
  CHECK(read.feedback(1, 2).runs() == 1);
}

TEST_CASE("constants of tiers: wrong texts are named") {
  ConstantsFile file;
  file.write_with({{"format", ""}});
  file.rejected("no metadata 'format'; the file must state it");
  file.write_with({{"format", "other"}});
  file.rejected("metadata format: 'other'; constants of tiers have axelram-tiers");
  file.write_with({{"version", "2"}});
  file.rejected("metadata version: '2'; this program reads 1");
  file.write_with({{"rope", "both"}});
  file.rejected("metadata rope: 'both'; post and pre are valid");
  for (const char* const wrong : {"0.2500001", "-0.1", "nan", "inf", "1e999", "", " 0.1", "0.1x"}) {
    CASE(wrong);
    if (*wrong != 0) {
      file.write_with({{"outliers", wrong}});
      file.rejected("metadata outliers: '" + std::string(wrong) +
                    "'; a number in 0..0.25 is valid");
    }
  }
  for (const char* const wrong : {"4", "24", "512", "-8", "8.0"}) {
    CASE(wrong);
    file.write_with({{"squat_channels", wrong}});
    file.rejected("metadata squat_channels: '" + std::string(wrong) +
                  "'; a power of two in 8..256 is valid");
  }
  file.write_with({{"squat_channels", "64"}});
  file.rejected("metadata squat_channels: '64'; heads have 32 channels");
  file.write_with({{"squat_channels", "16"}});
  file.rejected("tensor squat_exponents: shape is [2, 3, 3]; it must be [2, 3, 1]");
  file.write_with({{"squat_channels", ""}});
  file.rejected("no metadata 'squat_channels'; the file must state it");
  file.write_with({{"model", "AB"}});
  file.rejected("metadata model: 'AB'; 64 hexadecimal digits, a SHA-256, are valid");

  file.write_with(files::Metadata{});
  TierNeeds needs = tier_needs();
  needs.rope = Rope::post;
  file.rejected(
      "metadata rope: 'pre'; the store has rope=post; take constants that were calibrated with it",
      needs);
  needs = tier_needs();
  needs.model = [] { return std::string(64, '0'); };
  file.rejected("metadata model: '" + tier_constants().model + "'; the model has " +
                    std::string(64, '0') + "; take constants that were calibrated on it",
                needs);
  file.write_with({{"model", ""}});
  CHECK(file.message(needs) == "");
}

TEST_CASE("constants of tiers: wrong shapes and types are named") {
  ConstantsFile file;
  file.write_with(files::Metadata{});
  TierNeeds needs = tier_needs();
  needs.layers = 3;
  file.rejected("tensor key_middles: shape is [2, 3, 32]; it must be [3, 3, 32]", needs);
  needs = tier_needs();
  needs.heads = 1;
  file.rejected("tensor key_middles: shape is [2, 3, 32]; it must be [2, 1, 32]", needs);
  needs = tier_needs();
  needs.d = 128;
  file.rejected("tensor key_middles: shape is [2, 3, 32]; it must be [2, 3, 128]", needs);

  const std::vector<std::uint16_t> halves(4096, 0x3C00);
  const auto half = [&](const char* name, const files::Shape& shape) {
    std::size_t count = 1;
    for (const auto width : shape) count *= width;
    return files::Tensor{name, DataType::f16, shape,
                         reinterpret_cast<const std::uint8_t*>(halves.data()), 2 * count};
  };
  const auto rejected_as = [&](const files::Tensor& tensor, const std::string& what) {
    file.write_with(tensor.name, &tensor);
    file.rejected("tensor " + tensor.name + ": " + what);
  };
  rejected_as(half("key_middles", {2, 3, 48}),
              "shape is [2, 3, 48]; heads of 32, 64, 128 or 256 channels are valid");
  rejected_as(half("key_middles", {0, 3, 32}), "shape is [0, 3, 32]; it must have a layer");
  rejected_as(half("key_middles", {2, 0, 32}), "shape is [2, 0, 32]; it must have a head");
  rejected_as(half("key_radii", {3, 2, 32}), "shape is [3, 2, 32]; it must be [2, 3, 32]");
  rejected_as(half("key_radii", {192}), "shape is [192]; it must have 3 dimensions");
  rejected_as(half("squat_exponents", {2, 3, 3}), "dtype is F16; it must be I32");
  rejected_as(half("squat_matrices", {2, 3, 384}), "dtype is F16; it must be I16");
  rejected_as(half("key_codebook3", {2, 4}), "shape is [2, 4]; it must be [2, 8]");
  rejected_as(half("value_levels4", {3, 16}), "shape is [3, 16]; it must be [2, 16]");
  files::Tensor other = half("value_codebook2", {2, 4});
  other.type = DataType::bf16;
  rejected_as(other, "dtype is BF16; it must be F16");
  other = half("squat_matrices", {2, 3, 383});
  other.type = DataType::i16;
  rejected_as(other, "shape is [2, 3, 383]; it must be [2, 3, 384]");
  other = half("squat_exponents", {2, 3, 32});
  other.type = DataType::i32, other.bytes *= 2;
  rejected_as(other, "shape is [2, 3, 32]; runs of 8 channels have at most 31 exponents");
  for (const char* const name : {"key_middles", "key_radii", "squat_matrices", "squat_exponents"}) {
    CASE(name);
    file.write_with(name, nullptr);
    CHECK(test::contains(file.message(), "no tensor '" + std::string(name) + "'"));
  }
}

TEST_CASE("constants of tiers: wrong numbers are named") {
  ConstantsFile file;
  TierConstants all = tier_constants();
  const auto rejected = [&](const std::string& what) {
    file.write(all);
    file.rejected("tensor " + what);
    all = tier_constants();
  };
  for (const int exponent : {1, -21}) {
    CASE(exponent);
    all.squat_exponents[16] = exponent;
    rejected("squat_exponents, layer 1, head 2, matrix 2: " + std::to_string(exponent) +
             "; it must lie in -20..0");
  }
  all.key_middles[4 * kD + 5] = 0x7C00;
  rejected("key_middles, layer 1, head 1, channel 5: NaN or infinity; it must be finite");
  all.key_radii[4 * kD + 5] = 0x7E00;
  rejected("key_radii, layer 1, head 1, channel 5: NaN or infinity; it must be finite");
  all.key_radii[kD + 31] = 0x8001;
  rejected("key_radii, layer 0, head 1, channel 31: -5.96046448e-08; it must not be negative");
  all.key_codebooks[0][4] = 0xFC00;
  rejected("key_codebook2, layer 1, element 0: NaN or infinity; it must be finite");
  all.value_codebooks[1][13] = all.value_codebooks[1][12];
  file.write(all);
  CHECK(test::contains(file.message(), "tensor value_codebook3, layer 1, element 5: "));
  CHECK(test::contains(file.message(), "; centroids ascend strictly"));
  all = tier_constants();
  all.value_codebooks[1][3] = 0x8000, all.value_codebooks[1][4] = 0;
  for (std::size_t i = 0; i < 3; ++i)
    all.value_codebooks[1][i] = static_cast<std::uint16_t>(0xBC00 - i);
  rejected("value_codebook3, layer 0, element 4: 0 behind -0; centroids ascend strictly");
  all.key_levels[2][17] = 0x7D00;
  rejected("key_levels4, layer 1, element 1: NaN or infinity; it must be finite");
  all.key_levels[2][17] = all.key_levels[2][16];
  file.write(all);
  CHECK(file.message() == "");
}
