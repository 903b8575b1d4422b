#include <cmath>

#include "axelram/files/safetensors.hpp"
#include "program.hpp"

using namespace axelram;
using namespace test;

namespace {

Json record(const TempDir& axelram, const std::string& folder) {
  return axelram.json(folder + "/stress.json");
}

}  // namespace

TEST_CASE("stress: a model with outliers and bias, and its record") {
  const TempDir axelram;
  const ProcessResult done = axelram("stress " + kByteLlama +
                                     " -o out --layers 0,2-3 --pairs 4 --scale 8-20 --gain 0.5 "
                                     "--bias 100 --bias-channels 2 --seed 9");
  REQUIRE(done);
  CHECK(done.err.empty());
  CHECK(contains(done.out, "layers         0,2-3\n"));
  CHECK(contains(done.out, "pairs          4 of each KV head, times 8-20\n"));
  CHECK(contains(done.out, "bias           100 on 2 channels\n"));
  CHECK(contains(done.out, "directory      out (factors in stress.json)\n"));
  CHECK_SAME(axelram.content("out/config.json"), content(kByteLlama + "/config.json"));

  const auto json = record(axelram, "out");
  CHECK(json["source"] == kByteLlama);
  CHECK(json["options"]["seed"] == 9);
  CHECK(json["options"]["scale"] == Json({8, 20}));
  CHECK(json["measured"].is_null());
  REQUIRE(json["layers"].size() == 3);
  CHECK(json["layers"][1]["layer"] == 2);

  // The file holds what the record says.
  const auto before = files::Safetensors::read(kByteLlama + "/model.safetensors");
  const auto after = files::Safetensors::read(axelram.at("out/model.safetensors"));
  const std::string prefix = "model.layers.2.self_attn.";
  const auto offset = after.at(prefix + "key_offset", files::DataType::f32, 1).values<float>();
  CHECK(before.find(prefix + "key_offset") == nullptr);
  for (std::size_t head = 0; head < 2; ++head) {
    CASE(head);
    const auto of = json["layers"][1]["heads"][head];
    CHECK(of["head"] == head);
    CHECK(of["pairs"].size() == 4);
    double square = 0;
    for (std::size_t c = 0; c < 128; ++c)
      square += std::pow(static_cast<double>(offset[head * 128 + c]), 2);
    CHECK(std::sqrt(square) == doctest::Approx(of["offset_norm"].get<double>()));
    CHECK(of["offset_norm"].get<double>() == doctest::Approx(100));
  }
  CHECK(after.at(prefix + "k_proj.weight").type == files::DataType::f32);
  CHECK(after.at(prefix + "v_proj.weight").type == files::DataType::f16);
  CHECK(after.at("model.layers.1.self_attn.k_proj.weight").type == files::DataType::f16);
}

TEST_CASE("stress: perplexity of floats stays, that of a quantized cache does not") {
  const TempDir axelram;
  std::string text;
  for (int i = 0; i < 12; ++i) text += "The quick brown fox jumps over the lazy dog, said he.\n";
  axelram.put("text.txt", text);
  REQUIRE(axelram("stress " + kByteLlama + " -o out --pairs 4 --bias 100"));
  const auto nats = [&](const std::string& model, const std::string& cache) {
    REQUIRE(axelram("perplexity " + model + " text.txt --tokens 300 --cache " + cache +
                    " --json p.json --force"));
    return axelram.json("p.json")["nll"].get<double>();
  };
  CHECK(nats("out", "f32") == doctest::Approx(nats(kByteLlama, "f32")).epsilon(1e-5));
  CHECK(nats("out", "int4") > nats(kByteLlama, "int4") + 0.05);
}

TEST_CASE("stress: the ratio of key norms by bias and by gain") {
  const TempDir axelram;
  std::string text;
  for (int i = 0; i < 40; ++i) text += "The quick brown fox jumps over the lazy dog, said he.\n";
  axelram.put("text.txt", text);
  const std::string run = "stress " + kByteLlama + " --norm-ratio 20 --text text.txt ";
  const std::string gain = axelram.output(run + "-o gain --threads 1");
  CHECK(contains(gain, ": 20 times, mean of 1024 tokens\n"));
  CHECK(record(axelram, "gain")["options"]["gain"].get<double>() > 2);
  CHECK(record(axelram, "gain")["options"]["bias"] == 0);
  REQUIRE(axelram(run + "-o bias --bias auto --pairs 2"));
  const auto json = record(axelram, "bias");
  CHECK(json["options"]["bias"].get<double>() > 10);
  CHECK(json["options"]["gain"] == 1);
  CHECK(json["measured"]["ratio"].get<double>() == doctest::Approx(20));
  CHECK(json["measured"]["key_norms_before"].size() == 4);

  // Measured again, with other text around it, the ratio is there before anything is changed.
  REQUIRE(axelram("stress bias --norm-ratio 40 --text text.txt -o again --bias auto"));
  const auto norms = record(axelram, "again")["measured"]["key_norms_before"];
  const double others =
      (norms[1].get<double>() + norms[2].get<double>() + norms[3].get<double>()) / 3;
  CHECK(norms[0].get<double>() == doctest::Approx(20 * others).epsilon(0.001));
}

TEST_CASE("stress: the same bytes again, and force where it was before") {
  const TempDir axelram;
  const std::string run = "stress " + kTinyLlama + " --layers all --pairs 16 --bias 5 ";
  REQUIRE(axelram(run + "-o one"));
  REQUIRE(axelram(run + "-o two"));
  const std::string first = axelram.content("one/model.safetensors");
  CHECK_SAME(first, axelram.content("two/model.safetensors"));
  failed(axelram(run + "-o one --seed 2"), 2, "one: exists already; give --force");
  CHECK_SAME(axelram.content("one/model.safetensors"), first);
  CHECK(axelram(run + "-o one --seed 2 --force"));
  CHECK(axelram.content("one/model.safetensors") != first);
  CHECK(axelram.entries() == 4);  // no temporary folder
}

TEST_CASE("stress: bad input is named and nothing is written") {
  const TempDir axelram;
  axelram.put("stories.bin", "x");
  std::filesystem::copy(kTinyLlama, axelram.at("model"));
  const auto rejected = [&](const std::string& arguments, const std::string& part) {
    CASE(arguments);
    failed(axelram("stress " + arguments), 2, part);
  };
  rejected(kTinyGguf + " -o out --bias 1", "convert it first: axelram convert");
  rejected("model -o out --bias 1 --layers 2", "layer 2: the model has layers 0 .. 1");
  rejected("model -o out --bias 1 --layers 1,1", "give different layers such as 0,2,5-7, or all");
  rejected("model -o out --pairs 17", "17 pairs: a head of 32 channels has 16");
  rejected("model -o out --pairs 1 --scale 0", "give a factor, 1e-6 .. 1e6");
  rejected("model -o out --pairs 1 --scale 9-8", "two as LOW-HIGH");
  rejected("model -o out --gain 0", "give a number, 1e-6 .. 1e6");
  rejected("model -o out --bias much", "give a norm, 0 .. 1e6, or auto");
  rejected("model -o out --bias 1 --bias-channels 33", "33 bias channels: a head has 32");
  rejected("model -o out", "nothing is to change");
  rejected("model -o out --bias-channels 2 --gain 2", "requires --bias");
  rejected("model -o out --bias auto", "auto requires --norm-ratio");
  rejected("model -o out --norm-ratio 2", "--text");
  rejected("model -o out --norm-ratio 2 --gain 3 --text model/expected.safetensors",
           "--norm-ratio chooses it");
  rejected("model -o out --norm-ratio 2 --layers all --text model/expected.safetensors",
           "leave one to compare with");
  rejected("none -o out --bias 1", "none: no such folder; stress rewrites Hugging Face folders");
  rejected("stories.bin -o out --bias 1", "stories.bin: is a file; stress rewrites Hugging Face");
  rejected("model -o model --bias 1 --force", "lies in an input");
  rejected("model -o model/out --bias 1", "lies in an input");
  rejected("model -o . --bias 1 --force", "holds or lies in an input");
  rejected("model -o none/out --bias 1", "does not exist; create it first");
  rejected("model -o small.yaml --bias 1 --force", "is no folder");
  CHECK(axelram.entries() == 4);
}

TEST_CASE("stress: the help has an example that runs") {
  const TempDir axelram;
  std::filesystem::create_directory_symlink(AXELRAM_SOURCE "/models", axelram.at("models"));
  std::filesystem::create_directory(axelram.at("out"));
  CHECK(
      axelram("stress models/byte-llama-d128 -o out/stressed --layers 0 --pairs 4 --scale 8-20 "
              "--bias 100"));
}
