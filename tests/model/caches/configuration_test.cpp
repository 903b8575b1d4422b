#include "axelram/files/safetensors.hpp"
#include "axelram/signs.hpp"
#include "support.hpp"

using namespace axelram;
using test::Floats;

namespace {

constexpr std::size_t kD = 64;
constexpr caches::Shape kShape{2, 3, 64};

/// A configuration and the scores of some keys of one layer and head.
struct Folder {
  test::TemporaryFolder folder;
  Floats rows = test::gaussian(10 * kD, 1), queries = test::gaussian(10 * kD, 2);

  std::string specification(const std::string& rotation) const {
    test::put(folder / "c.yaml", "macro: {head_dim: 64}\nrotation: {" + rotation + "}\n");
    return "axelram:config=" + (folder / "c.yaml");
  }
  Floats scores(const std::string& specification, int layer, int head) const {
    return test::all_scores(*test::cache(specification, kShape)->keys(layer, head), rows, queries,
                            kD);
  }
  void put_signs(std::uint64_t layers, std::uint64_t heads,
                 const std::vector<std::int8_t>& signs) const {
    files::write_safetensors(
        folder / "signs", {files::view("signs", files::DataType::i8, {layers, heads, kD}, signs)},
        {}, true);
  }
};

}  // namespace

TEST_CASE("the model's layer and head choose the signs, and the specification's seed comes first") {
  const Folder folder;
  const std::string seeded = folder.specification("seed: 5, layer: 1, head: 7");
  const Floats scores = folder.scores(seeded, 1, 2);
  CHECK_FALSE(test::same_bits(scores, folder.scores(seeded, 1, 1)));
  CHECK_FALSE(test::same_bits(scores, folder.scores(seeded + ",seed=6", 1, 2)));
  CHECK(test::same_bits(scores, folder.scores(seeded + ",seed=5", 1, 2)));

  std::vector<std::int8_t> signs(2 * 3 * kD, 1);
  sign_vector(5, 1, 2, kD, &signs[5 * kD]);
  folder.put_signs(2, 3, signs);
  const std::string filed = folder.specification("signs: signs");
  CHECK(test::same_bits(scores, folder.scores(filed, 1, 2)));
  const std::string identity = folder.specification("identity: true");
  CHECK(test::same_bits(folder.scores(identity, 0, 0), folder.scores(identity, 1, 2)));
  folder.specification("signs: signs");
  CHECK(test::same_bits(folder.scores(filed, 0, 0), folder.scores(filed, 1, 1)));
  CHECK_FALSE(test::same_bits(folder.scores(filed, 0, 0), scores));
}

TEST_CASE("a center is subtracted from keys, and never from values") {
  const Folder folder;
  const std::vector<std::uint16_t> center(2 * 3 * kD, 0x4000);  // 2
  files::write_safetensors(folder.folder / "center",
                           {files::view("center", files::DataType::f16, {2, 3, kD}, center)}, {},
                           true);
  const Floats weights = test::causal_weights(10, 3);
  Floats scores[2], sums[2];
  for (const bool centered : {false, true}) {
    const std::string specification =
        folder.specification(centered ? "seed: 5, center: center" : "seed: 5");
    scores[centered ? 1 : 0] = folder.scores(specification, 1, 2);
    const auto values = test::cache(specification, kShape)->values(1, 2);
    values->write(folder.rows.data(), 10);
    Floats& out = sums[centered ? 1 : 0];
    out.resize(10 * kD);
    values->weighted_sum(weights.data(), 10, 0, 0, 10, out.data());
  }
  CHECK_FALSE(test::same_bits(scores[0], scores[1]));
  CHECK(test::same_bits(sums[0], sums[1]));
}

TEST_CASE("configurations that do not fit the model") {
  const Folder folder;
  const auto says = [&](const std::string& specification) {
    return test::message([&] { test::cache(specification, kShape); });
  };
  const std::string path = folder.folder / "c.yaml";
  test::put(path, "macro: {head_dim: 128}");
  CHECK(says("axelram:config=" + path) ==
        path + ": head_dim is 128, the model's is 64; use a configuration with head_dim: 64");
  CHECK(says(folder.specification("identity: true") + ",seed=3") ==
        path +
            ": rotation has identity, which a seed would replace; leave seed out of the cache "
            "specification");
  folder.put_signs(3, 2, std::vector<std::int8_t>(6 * kD, 1));
  CHECK(says(folder.specification("signs: signs")) ==
        (folder.folder / "signs") +
            ": it has 3 layers of 2 KV heads, the model 2 of 3; use a file made "
            "for this model");
  std::vector<std::int8_t> signs(6 * kD, 1);
  signs[4 * kD + 7] = 0;
  folder.put_signs(2, 3, signs);
  CHECK(test::contains(says(folder.specification("signs: signs")),
                       "tensor signs, layer 1, head 1, element 7: 0; signs are -1 or 1"));
  files::write_safetensors(
      folder.folder / "center",
      {files::view("center", files::DataType::f16, {1, 3, kD}, std::vector<std::uint16_t>(3 * kD))},
      {}, true);
  CHECK(test::contains(says(folder.specification("center: center")), "it has 1 layers of 3"));
  CHECK(test::contains(says("axelram:config=" + (folder.folder / "none")), "no such file"));
}

TEST_CASE("configurations of two parts that do not fit") {
  const Folder folder;
  const std::string path = folder.folder / "c.yaml", high = folder.folder / "high";
  const auto write_channels = [&](std::size_t layers) {
    std::vector<std::int32_t> channels;
    for (std::size_t i = 0; i < layers * 3 * kD / 2; ++i)
      channels.push_back(static_cast<std::int32_t>(2 * (i % (kD / 2))));
    files::write_safetensors(
        high, {files::view("high", files::DataType::i32, {layers, 3, kD / 2}, channels)}, {}, true);
  };
  const std::string split =
      "macro: {head_dim: 64}\nquantizer: {scale: unbiased}\nsplit: {bits: [4, 2], channels: high}";
  write_channels(3);
  test::put(path, split);
  CHECK(test::message([&] { test::cache("axelram:config=" + path, kShape); }) ==
        high + ": it has 3 layers of 3 KV heads, the model 2 of 3; use a file made for this model");
  write_channels(2);
  CHECK_NOTHROW(test::cache("axelram:config=" + path, kShape));
  CHECK(test::message([&] {
          test::cache("axelram:config=" + path + ",encoder=feedback:none", kShape);
        }) == path + ": there is a split; an encoder with feedback has none");
  test::put(path, "macro: {head_dim: 64}\nquantizer: {kind: prod}");
  CHECK(test::contains(test::message([&] {
                         test::cache("axelram:config=" + path + ",encoder=feedback:none", kShape);
                       }),
                       "quantizer.scale is norm; an encoder with feedback needs unbiased"));
}

TEST_CASE("a configuration is a file or the name of a shipped one") {
  CHECK_NOTHROW(test::cache("axelram:config=d64-b3", kShape));
  caches::Specification named =
      caches::parse_specification("keys=axelram:config=d64-b3;values=fp16");
  CHECK(caches::reseed(&named, 5));
  CHECK(caches::to_string(named) == "keys=axelram:config=d64-b3,seed=5;values=fp16");
}

TEST_CASE("numbers without an element") {
  const Folder folder;
  const auto cache = test::cache(folder.specification("seed: 1"), kShape);
  Floats rows(2 * kD, 1.0F);
  rows[kD + 3] = 70000;
  CHECK(test::message([&] { cache->keys(1, 2)->write(rows.data(), 2); }) ==
        "key of layer 1, head 2, token 1: element 3 is 70000; FP16 holds numbers up to 65504; use "
        "a configuration with element_format: bf16");
  CHECK(test::contains(test::message([&] { cache->values(1, 2)->write(rows.data(), 2); }),
                       "value of layer 1, head 2, token 1"));
  const auto keys = cache->keys(0, 1);
  keys->write(folder.rows.data(), 10);
  float scores[2];
  CHECK(test::contains(test::message([&] { keys->score(rows.data() + kD, 1, 1, 0, 2, scores); }),
                       "query of layer 0, head 1, token 1"));
  CHECK(keys->bytes_per_token() == 26);
}
