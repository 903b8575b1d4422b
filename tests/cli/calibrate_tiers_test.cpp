#include <map>

#include "axelram/files/sha256.hpp"
#include "axelram/files/tier_constants.hpp"
#include "axelram/nuq_codebook.hpp"
#include "cli/program.hpp"

using namespace axelram;
using namespace test;

namespace {

const std::string kTiers = "calibrate " + kTinyInputs + "--samples 2 --window 24 ";

/// SHA-256 of the tensors of the model in order of their names.
std::string digest_of_model() {
  const auto file = files::Safetensors::read(kTinyLlama + "/model.safetensors");
  std::map<std::string, std::string> sorted;
  for (const files::Tensor& tensor : file.tensors())
    sorted[tensor.name] = {reinterpret_cast<const char*>(tensor.data), tensor.bytes};
  std::string bytes;
  for (const auto& [name, data] : sorted) bytes += data;
  return files::sha256(bytes);
}

files::TierConstants constants_of(const TempDir& axelram, const std::string& name) {
  files::TierNeeds needs;
  needs.squat = needs.qnorm = true;
  needs.key_bits = needs.value_bits = {2, 3, 4};
  needs.layers = needs.heads = 2, needs.d = 32;
  needs.model = digest_of_model;
  return files::read_tier_constants(axelram.at(name), needs);
}

/// Weights [2 layers, 48 tokens, 2 heads, 32] of keys and values.
void write_weights(const std::string& path, const std::vector<float>& keys,
                   const std::vector<float>& values) {
  const files::Shape shape = {2, 48, 2, 32};
  files::write_safetensors(path,
                           {files::view("keys", files::DataType::f32, shape, keys),
                            files::view("values", files::DataType::f32, shape, values)},
                           {}, true);
}

}  // namespace

TEST_CASE("calibrate --tiers writes constants of all layers, and says what they are worth") {
  const TempDir axelram;
  const ProcessResult done =
      axelram(kTiers + "--tiers c --squat-channels 8 --squat-rank 20 --outliers 0.05 --json j");
  REQUIRE(done);
  CHECK(done.err.empty());
  CHECK(contains(done.out, "samples        2 windows of 24 tokens\n"));
  CHECK(contains(done.out, "tiers          keys after rotary embedding\n"));
  CHECK(contains(done.out, "SQuat          runs of 8 channels"));
  CHECK(contains(done.out, "tiers          c\n"));
  CHECK(!contains(done.out, "signs "));
  CHECK(!contains(done.out, "norm ratio"));
  const files::TierConstants c = constants_of(axelram, "c");
  CHECK(c.rope == files::Rope::post);
  CHECK(c.outliers == 0.05);
  CHECK(c.squat_channels == 8);
  CHECK(!c.model.empty());
  const auto file = files::Safetensors::read(axelram.at("c"));
  CHECK(file.metadata_at("outliers") == "0.050000000000000003");
  CHECK(file.metadata_at("samples") == "2");
  CHECK(file.metadata_at("window") == "24");
  CHECK(file.metadata_at("squat_rank") == "20");
  CHECK(file.metadata_at("squat_strength") == "0.5");
  CHECK(file.tensors().size() == 2 + 2 + 12);

  const Json json = axelram.json("j");
  CHECK(json["norm_ratio"].is_null());
  CHECK(json["choices"].empty());
  const Json& tiers = json["tiers"];
  CHECK(tiers["rope"] == "post");
  CHECK(tiers["squat_channels"] == 8);
  CHECK(tiers["fisher"].is_null());
  CHECK(tiers["model_sha256"] == c.model);
  REQUIRE(tiers["layers"].size() == 2);
  REQUIRE(tiers["heads"].size() == 4);
  for (const Json& layer : tiers["layers"])
    for (const char* const part : {"keys", "values"}) {
      CASE(layer, part);
      REQUIRE(layer[part].size() == 3);
      double before = 1;
      for (int at = 0; at < 3; ++at) {
        CASE(at);
        CHECK(layer[part][at]["bits"] == at + 2);
        const double error = layer[part][at]["error"].get<double>();
        CHECK(error > 0);
        CHECK(error < before / 2);
        CHECK(layer[part][at]["cost"].get<double>() == doctest::Approx(error).epsilon(0.05));
        CHECK(layer[part][at]["qnorm_error"].get<double>() > 0.9 * error);
        before = error;
      }
    }
  for (std::size_t pair = 0; pair < 4; ++pair) {
    CASE(pair);
    const Json& head = tiers["heads"][pair];
    CHECK(head["layer"] == pair / 2);
    CHECK(head["head"] == pair % 2);
    const auto exponents = head["squat_exponents"].get<std::vector<int>>();
    CHECK_SAME(exponents, c.feedback(pair / 2, pair % 2).exponents);
    CHECK(head["squat2_score_error"].get<double>() > 0);
    CHECK(head["squat2_score_error"].get<double>() < head["kivi2_score_error"].get<double>());
  }

  // The same from rows that are captured: ranges of a channel of keys, of each rotation.
  REQUIRE(axelram(kTiers + "--tiers pre --rope pre --threads 1"));
  const files::TierConstants before = constants_of(axelram, "pre");
  CHECK(before.rope == files::Rope::pre);
  CHECK(before.squat_channels == 32);
  for (const bool pre : {false, true}) {
    CASE(pre);
    const std::string line = "capture " + kTinyInputs +
                             "--layer 1 --head 1 --window 24 --tokens 48 "
                             "--force -o t ";
    REQUIRE(axelram(line + (pre ? "--before-rotary" : "")));
    const auto keys = files::Safetensors::read(axelram.at("t")).at("keys").values<std::uint16_t>();
    const files::TierConstants& of = pre ? before : c;
    for (std::size_t i = 0; i < 32; ++i) {
      CASE(i);
      std::vector<std::uint16_t> channel;
      for (std::size_t t = 0; t < 48; ++t) channel.push_back(keys[t * 32 + i]);
      const NuqRange range = nuq_range_ref(channel, of.outliers);
      CHECK(of.ranges(1, 1).middles[i] == range.middle);
      CHECK(of.ranges(1, 1).radii[i] == range.radius);
    }
  }
  REQUIRE(axelram(kTiers + "--tiers again --rope pre --threads 4"));
  CHECK_SAME(axelram.content("again"), axelram.content("pre"));
}

TEST_CASE("calibrate writes signs and constants of tiers from one run of the model") {
  const TempDir axelram;
  const std::string signs = "--candidates 10 --center ";
  REQUIRE(axelram(kTiers + "--tiers alone"));
  REQUIRE(axelram(kTiers + signs + "m -o s"));
  const std::string printed = axelram.output(kTiers + signs + "m2 -o s2 --tiers both --json j");
  CHECK(contains(printed, "signs          s2\n"));
  CHECK(contains(printed, "norm ratio     "));
  CHECK_SAME(axelram.content("both"), axelram.content("alone"));
  CHECK_SAME(axelram.content("s2"), axelram.content("s"));
  CHECK_SAME(axelram.content("m2"), axelram.content("m"));
  CHECK(axelram.json("j")["choices"].size() == 2);
  CHECK(axelram.json("j")["tiers"]["layers"].size() == 2);
}

TEST_CASE("calibrate --fisher weighs the elements of the codebooks") {
  const TempDir axelram;
  std::vector<float> ones(2 * 48 * 2 * 32, 1), some = ones;
  for (std::size_t i = 0; i < some.size(); ++i) some[i] = static_cast<float>(i % 11);
  write_weights(axelram.at("ones"), ones, ones);
  write_weights(axelram.at("some"), some, ones);
  REQUIRE(axelram(kTiers + "--tiers plain"));
  REQUIRE(axelram(kTiers + "--tiers even --fisher ones --json j"));
  REQUIRE(axelram(kTiers + "--tiers odd --fisher some"));
  CHECK(axelram.json("j")["tiers"]["fisher"] == "ones");
  const files::TierConstants plain = constants_of(axelram, "plain"),
                             even = constants_of(axelram, "even"),
                             odd = constants_of(axelram, "odd");
  CHECK_SAME(even.key_codebooks, plain.key_codebooks);
  CHECK_SAME(even.value_levels, plain.value_levels);
  CHECK_DIFFERENT(odd.key_codebooks, plain.key_codebooks);
  CHECK_SAME(odd.value_codebooks, plain.value_codebooks);
  CHECK_SAME(odd.key_middles, plain.key_middles);
  CHECK_SAME(odd.squat_matrices, plain.squat_matrices);
  CHECK(files::Safetensors::read(axelram.at("odd")).metadata_at("fisher") == "some");

  some[((1 * 48 + 5) * 2 + 1) * 32 + 3] = -1;
  write_weights(axelram.at("some"), ones, some);
  axelram.rejected(kTiers + "--tiers new --fisher some",
                   "some: tensor values, layer 1, token 5, head 1, channel 3: -1");
  axelram.rejected("calibrate " + kTinyInputs + "--samples 2 --window 12 --tiers new --fisher ones",
                   "ones: tensor keys: shape is [2, 48, 2, 32]; it must be [2, 24, 2, 32]");
  const std::vector<float> none(ones.size());
  write_weights(axelram.at("ones"), none, ones);
  axelram.rejected(kTiers + "--tiers new --fisher ones", "layer 0, keys: ");
}

TEST_CASE("what calibrate --tiers cannot do is told in one line") {
  const TempDir axelram;
  axelram.put("there", "");
  axelram.rejected(kTiers, "--output is required, for signs, unless --tiers is given");
  axelram.rejected(kTiers + "--tiers there", "there: exists already");
  axelram.rejected(kTiers + "--tiers a -o ./a", "two outputs");
  axelram.rejected(kTiers + "--tiers there --fisher there --force", "is also an input");
  axelram.rejected(kTiers + "--tiers a --rope both", "--rope: 'both'; give post or pre");
  for (const char* const wrong : {"0.26", "-1", "nan", "x", ""}) {
    CASE(wrong);
    axelram.rejected(kTiers + "--tiers a --outliers '" + wrong + "'",
                     "--outliers: '" + std::string(wrong) + "'; give a number, 0 .. 0.25");
  }
  for (const char* const wrong : {"4", "24", "512", "08"}) {
    CASE(wrong);
    axelram.rejected(kTiers + "--tiers a --squat-channels " + wrong,
                     "'" + std::string(wrong) + "'; give a power of two, 8 .. 256");
  }
  axelram.rejected(kTiers + "--tiers a --squat-channels 64",
                   "--squat-channels: 64; the model's heads have 32 channels");
  axelram.rejected(kTiers + "--tiers a --squat-rank 0", "--squat-rank: '0'");
  axelram.rejected(kTiers + "--tiers a --squat-strength -1",
                   "--squat-strength: '-1'; give a number, 0 .. 1000000");
  for (const char* const option : {"--rope pre", "--outliers 0.1", "--squat-channels 8",
                                   "--squat-rank 5", "--squat-strength 1", "--fisher f"}) {
    CASE(option);
    const std::string name = std::string(option).substr(0, std::string(option).find(' '));
    axelram.rejected(kTiers + "-o s " + option, name + " requires --tiers");
  }
  for (const char* const option : {"--center c", "--centers c", "--feedback c", "--balance c",
                                   "--channels c", "--bits 2", "--seed 4", "--per-head"}) {
    CASE(option);
    const std::string name = std::string(option).substr(0, std::string(option).find(' '));
    axelram.rejected(kTiers + "--tiers a " + option, name + " requires --output");
  }
  axelram.rejected("calibrate " + kTinyInputs + "--samples 1 --window 1 --tiers a",
                   "; take more samples, or longer windows");
  CHECK(axelram.has("there"));
  CHECK(!axelram.has("a"));
}
