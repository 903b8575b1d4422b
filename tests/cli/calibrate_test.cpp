#include <cmath>

#include "axelram/codebook.hpp"
#include "axelram/files/position_centers.hpp"
#include "axelram/half.hpp"
#include "axelram/signs.hpp"
#include "cli/program.hpp"

using namespace axelram;
using namespace test;

namespace {

const std::string kCalibrate = "calibrate " + kTinyInputs + "--samples 2 --window 24 ";

std::vector<std::int8_t> signs_of(const TempDir& axelram, const std::string& name) {
  const auto file = files::Safetensors::read(axelram.at(name));
  const files::Tensor& signs = file.at("signs", files::DataType::i8, 3);
  CHECK_SAME(signs.shape, files::Shape{2, 2, 32});
  return signs.values<std::int8_t>();
}

std::vector<std::int8_t> candidate(std::uint64_t seed, int layer, int head) {
  std::vector<std::int8_t> signs(32);
  sign_vector(seed, layer, head, 32, signs.data());
  return signs;
}

std::vector<std::int8_t> row(const std::vector<std::int8_t>& signs, std::size_t layer,
                             std::size_t head) {
  const auto first = signs.begin() + static_cast<long>((layer * 2 + head) * 32);
  return {first, first + 32};
}

TEST_CASE("calibrate writes the chosen signs and says why") {
  const TempDir axelram;
  const ProcessResult done = axelram(kCalibrate + "-o s --json j --candidates 30 --seed 1000");
  REQUIRE(done);
  CHECK(done.err.empty());
  CHECK(contains(done.out, "samples        2 windows of 24 tokens\n"));
  CHECK(contains(done.out, "codebook       gaussian, 3 bits, MSE 0.0345"));
  CHECK(contains(done.out, "norm ratio     "));
  CHECK(contains(done.out, "signs          s\n"));
  CHECK(!contains(done.out, "center "));
  const Json json = axelram.json("j");
  CHECK(json["bits"] == 3);
  CHECK(json["centered"] == false);
  CHECK(json["default_signs"] == "seed 42");
  REQUIRE(json["choices"].size() == 2);
  const auto signs = signs_of(axelram, "s");
  for (std::size_t layer = 0; layer < 2; ++layer) {
    CASE(layer);
    const Json& choice = json["choices"][layer];
    CHECK(choice["layer"] == layer);
    CHECK(choice["head"].is_null());
    const auto seed = choice["seed"].get<std::uint64_t>();
    CHECK(seed == 1000 + choice["candidate"].get<std::uint64_t>());
    CHECK(seed < 1030);
    for (std::size_t head = 0; head < 2; ++head) {
      CASE(head);
      CHECK_SAME(row(signs, layer, head), candidate(seed, static_cast<int>(layer), 0));
    }
    const double best = choice["best_mse"].get<double>();
    CHECK(best < choice["mean_mse"].get<double>());
    CHECK(choice["mean_mse"].get<double>() < choice["worst_mse"].get<double>());
    CHECK(best > 0.02);
    CHECK(choice["worst_mse"].get<double>() < 0.06);
    CHECK(choice["centered_norm"].get<double>() < choice["key_norm"].get<double>());
  }
  const double ratio = json["norm_ratio"].get<double>();
  CHECK(ratio >= 1);
  CHECK(json["advice"] == (ratio < 2 ? "default signs" : ratio > 5 ? "calibrate" : "neither"));
}

TEST_CASE("threads change nothing, seeds and heads of their own do") {
  const TempDir axelram;
  REQUIRE(axelram(kCalibrate + "-o one --threads 1"));
  REQUIRE(axelram(kCalibrate + "-o four --threads 4"));
  CHECK_SAME(axelram.content("one"), axelram.content("four"));
  REQUIRE(axelram(kCalibrate + "-o other --seed 5000"));
  CHECK_DIFFERENT(signs_of(axelram, "other"), signs_of(axelram, "one"));
  REQUIRE(axelram(kCalibrate + "-o heads --per-head --json j"));
  const Json json = axelram.json("j");
  REQUIRE(json["choices"].size() == 4);
  const auto signs = signs_of(axelram, "heads");
  for (std::size_t i = 0; i < 4; ++i) {
    CASE(i);
    const Json& choice = json["choices"][i];
    CHECK(choice["head"] == i % 2);
    CHECK_SAME(row(signs, i / 2, i % 2),
               candidate(choice["seed"].get<std::uint64_t>(), static_cast<int>(i / 2),
                         static_cast<int>(i % 2)));
  }
}

TEST_CASE("centers are means of captured keys, and a configuration takes both files") {
  const TempDir axelram;
  const std::string printed = axelram.output(kCalibrate + "-o s --center c --json j");
  CHECK(contains(printed, "center         c\n"));
  CHECK(axelram.json("j")["centered"] == true);
  const auto file = files::Safetensors::read(axelram.at("c"));
  const files::Tensor& tensor = file.at("center", files::DataType::f16, 3);
  CHECK_SAME(tensor.shape, files::Shape{2, 2, 32});
  const auto center = tensor.values<std::uint16_t>();

  REQUIRE(axelram("capture " + kTinyInputs + "--layer 1 --head 0 -o t"));
  Parameters parameters{.head_dim = 32};
  const files::Trace trace = files::read_trace(axelram.at("t"), parameters, 64);
  for (std::size_t i = 0; i < 32; ++i) {
    CASE(i);
    double sum = 0;
    for (std::size_t t = 0; t < 48; ++t) sum += half_to_double(trace.keys[t * 32 + i]);
    CHECK(std::abs(half_to_double(center[2 * 32 + i]) - sum / 48) < 2e-3);
  }

  axelram.put("chosen.yaml",
              "macro: {head_dim: 32, index_bits: 3, max_keys: 64}\n"
              "rotation: {signs: s, center: c, layer: 1, head: 0}\n");
  const files::Config config = files::read_config(axelram.at("chosen.yaml"));
  CHECK_SAME(config.head_rotation.signs, row(signs_of(axelram, "s"), 1, 0));
  CHECK_SAME(config.center, std::vector<std::uint16_t>(center.begin() + 64, center.begin() + 96));
  CHECK(axelram("generate chosen.yaml -o rtl"));
  CHECK(axelram("run chosen.yaml t -o chosen"));
  CHECK(axelram("run small.yaml t -o default"));
  CHECK(axelram.content("chosen") != axelram.content("default"));
}

TEST_CASE("the configuration says bits, codebook, element format, default signs and center") {
  const TempDir axelram;
  REQUIRE(axelram(kCalibrate + "-o s --center c --bits 4 --codebook beta --json j"));
  const Json plain = axelram.json("j");
  CHECK(plain["bits"] == 4);
  CHECK(plain["codebook"] == "beta");
  CHECK(plain["codebook_mse"].get<double>() ==
        distortion(solve_codebook(CodebookKind::beta, 32, 4), CodebookKind::beta, 32));

  axelram.put("macro.yaml",
              "macro: {head_dim: 32, index_bits: 4, element_format: fp16}\n"
              "numerics: {codebook: beta}\nrotation: {signs: s, center: c}\n");
  REQUIRE(axelram(kCalibrate + "-o s2 --config macro.yaml --json j2"));
  const Json json = axelram.json("j2");
  CHECK(json["default_signs"] == "s");
  CHECK(json["centered"] == true);
  CHECK_SAME(axelram.content("s2"), axelram.content("s"));
  for (std::size_t layer = 0; layer < 2; ++layer)  // the default signs are the chosen ones
    CHECK_AT(layer,
             json["choices"][layer]["default_mse"].get<double>() ==
                 doctest::Approx(plain["choices"][layer]["best_mse"].get<double>()).epsilon(1e-9));

  axelram.put("wide.yaml",
              "macro: {head_dim: 32, element_format: bf16}\nrotation: {identity: true}\n");
  REQUIRE(axelram(kCalibrate + "-o s3 --center c3 --config wide.yaml --json j3"));
  CHECK(axelram.json("j3")["default_signs"] == "all +1");
  files::Safetensors::read(axelram.at("c3")).at("center", files::DataType::bf16, 3);

  // Errors are those of records, of exact tokens too.
  axelram.put("exact.yaml",
              "macro: {head_dim: 32, index_bits: 4}\nnumerics: {codebook: beta}\n"
              "quantizer: {scale: unbiased}\nexact: {first: 2, last: 8}\n");
  REQUIRE(axelram(kCalibrate + "-o s4 --center c4 --config exact.yaml"));
  CHECK_SAME(axelram.content("s4"), axelram.content("s"));
  CHECK_SAME(axelram.content("c4"), axelram.content("c"));
}

TEST_CASE("what calibrate cannot do is told in one line") {
  const TempDir axelram;
  axelram.put("d64.yaml", "macro: {head_dim: 64}\n");
  REQUIRE(axelram(kCalibrate + "-o s --center c"));
  axelram.put("named.yaml", "macro: {head_dim: 32}\nrotation: {signs: s, center: c}\n");
  axelram.rejected(kCalibrate, "--output is required");
  axelram.rejected(kCalibrate + "-o s", "s: exists already");
  axelram.rejected(kCalibrate + "-o new --center c", "c: exists already");
  axelram.rejected(kCalibrate + "-o new --center ./new", "two outputs");
  axelram.rejected(kCalibrate + "-o s --config named.yaml --force", "is also an input");
  axelram.rejected(kCalibrate + "-o new --center c --config named.yaml --force",
                   "is also an input");
  axelram.rejected(kCalibrate + "-o named.yaml --config named.yaml --force", "is also an input");
  axelram.rejected(kCalibrate + "-o new --bits 5", "--bits");
  axelram.rejected(kCalibrate + "-o new --bits 3 --config small.yaml", "excludes");
  axelram.rejected(kCalibrate + "-o new --candidates 0", "--candidates: '0'");
  axelram.rejected(kCalibrate + "-o new --config d64.yaml",
                   "d64.yaml: macro.head_dim is 64; the model's heads have 32 elements");
  const std::string model = "calibrate " + kTinyInputs + "-o new ";
  axelram.rejected(model, "0 whole windows of 64; 8 samples need as many");
  axelram.rejected(model + "--window 24 --samples 3",
                   "48 tokens, 2 whole windows of 24; 3 samples");
  axelram.rejected(model + "--window 65", "--window: 65; the model takes 1..64");
  const std::string narrow = kSource + "/tests/model/transformer/reference/gpt2 ";
  axelram.rejected("calibrate " + narrow + kTinyLlama + "/expected.safetensors -o new",
                   "elements; the macro takes 32, 64, 128 or 256");
  // Signs of another model: 4 layers of 2 heads.
  axelram.put("s", "");
  const std::vector<std::int8_t> ones(4 * 2 * 32, 1);
  files::write_safetensors(axelram.at("s"),
                           {files::view("signs", files::DataType::i8, {4, 2, 32}, ones)}, {}, true);
  axelram.rejected(kCalibrate + "-o new --config named.yaml",
                   "s: holds 4 layers of 2 heads; the model has 2 of 2");
}

TEST_CASE("calibrate --channels: a file that a configuration names, and errors that it predicts") {
  const TempDir axelram;
  const std::string printed = axelram.output(kCalibrate + "-o s --channels h --split 3,1 --json j");
  CHECK(contains(printed, "channels       h\n"));
  CHECK(contains(printed, "with a split of 3 and 1 bits over one vector"));
  REQUIRE(axelram(kCalibrate + "-o s2 --channels m --by magnitude --json k"));
  const files::Safetensors file = files::Safetensors::read(axelram.at("h"));
  CHECK(file.metadata_at("rule") == "scores");
  CHECK_SAME(file.at("high", files::DataType::i32, 3).shape, files::Shape{2, 2, 16});
  CHECK(axelram.content("h") != axelram.content("m"));
  const Json json = axelram.json("j");
  CHECK(json["channels"] == "scores");
  CHECK(axelram.json("k")["channels"] == "magnitude");
  REQUIRE(json["heads"].size() == 4);
  for (const Json& head : json["heads"]) {
    CASE(head);
    CHECK(head["split_factor"].get<double>() > 0.1);
    CHECK(head["split_factor"].get<double>() < 2);
    CHECK(head["key_concentration"].get<double>() >= 0.25);
    CHECK(head["key_concentration"].get<double>() <= 1);
  }
  axelram.put("c.yaml",
              "macro: {head_dim: 32}\nquantizer: {scale: unbiased}\n"
              "split: {bits: [3, 1], channels: h}\n");
  const std::string measure = kTinyRun + "--window 24 --stride 12 --no-noise --cache ";
  CHECK(axelram(measure + "axelram:config=c.yaml"));
  CHECK(axelram(measure + "turboquant:bits=2.5,split=m"));
  axelram.rejected(kCalibrate + "-o new --config c.yaml", "records of two parts");
  axelram.rejected(kCalibrate + "-o new --split 4,2", "--split requires --channels");
  axelram.rejected(kCalibrate + "-o new --by magnitude", "--by requires --channels");
  for (const char* const wrong : {"4", "2,4", "5,2", "4,0", "4.2", "4,2,1"}) {
    CASE(wrong);
    axelram.rejected(kCalibrate + "-o new --channels n --split " + wrong,
                     "'" + std::string(wrong) + "'; give two of 1 to 4, such as 4,2");
  }
}

}  // namespace

TEST_CASE("centers of positions: calibrate writes them, perplexity takes them") {
  const TempDir axelram;
  axelram.put("macro.yaml", "macro: {head_dim: 32}\n");
  REQUIRE(axelram(kCalibrate + "-o s --center c"));
  const std::string printed =
      axelram.output(kCalibrate + "-o s --force --centers m --block 4 --candidates 1");
  CHECK(contains(printed, "centers        m\n"));
  const files::PositionCenters centers = files::read_position_centers(axelram.at("m"), 32);
  CHECK(centers.layers == 2);
  CHECK(centers.heads == 2);
  CHECK(centers.block == 4);
  CHECK_FALSE(centers.interleaved);
  CHECK(files::Safetensors::read(axelram.at("m")).metadata_at("samples") == "2");
  REQUIRE(axelram(kCalibrate + "-o s --force --centers d --candidates 1"));
  CHECK(files::read_position_centers(axelram.at("d"), 32).block == 32);

  const std::string run = kTinyRun + "--no-noise --json j --force --cache ";
  const std::string cache = "keys=axelram:config=macro.yaml,centers=m;values=fp16";
  const auto kl = [&](const std::string& one) {
    REQUIRE(axelram(run + quoted(one)));
    CHECK(axelram.json("j")["cache"] == one);
    return axelram.json("j")["kl"].get<double>();
  };
  CHECK(kl(cache) != kl("keys=axelram:config=macro.yaml;values=fp16"));
  axelram.rejected(run + "'keys=fp16;values=axelram:config=macro.yaml,centers=m'",
                   "centers is 'm', but values have none; leave it out");

  axelram.put("both.yaml", "macro: {head_dim: 32}\nrotation: {center: c}\n");
  axelram.rejected(run + "'keys=axelram:config=both.yaml,centers=m;values=fp16'",
                   "both.yaml: rotation has a center, to which centers=m would add");
  axelram.rejected(run + "axelram:config=macro.yaml,centers=s", "s: ");
  axelram.rejected(kCalibrate + "-o new --block 4", "--block requires --centers");
  axelram.rejected(kCalibrate + "-o new --centers n --block 0",
                   "--block: '0'; give a whole number");
  axelram.rejected(kCalibrate + "-o new --centers ./new", "two outputs");
  axelram.rejected(kTinyRun + "--json m --force --cache " + quoted(cache), "is also an input");
}
