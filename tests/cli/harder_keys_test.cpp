
#include "cli/program.hpp"

// What makes keys hard to quantize, and what helps: docs/findings.md.

using namespace test;

namespace {

const std::string kText = std::string(AXELRAM_SOURCE) + "/LICENSE";

Json perplexity(const TempDir& axelram, const std::string& model, const std::string& rotation,
                const std::string& seeds) {
  axelram.put("macro.yaml",
              "macro: {index_bits: 2, max_keys: 256}\nrotation: {" + rotation + "}\n");
  REQUIRE(
      axelram("perplexity " + model + " " + kText +
              " --cache 'keys=axelram:config=macro.yaml;values=fp16' --tokens 1024 --stride 255 "
              "--json p.json --force" +
              (seeds.empty() ? "" : " --seeds " + seeds)));
  return axelram.json("p.json");
}

double worst(const Json& json) { return json["statistics"]["delta"]["worst"].get<double>(); }

}  // namespace

TEST_CASE("harder keys: norms that differ from layer to layer cost nothing") {
  const TempDir axelram;
  const auto before = perplexity(axelram, kByteLlama, "", "1-3");
  REQUIRE(axelram("stress " + kByteLlama + " -o gain --layers 0 --gain 16"));
  const auto after = perplexity(axelram, "gain", "", "1-3");
  for (std::size_t i = 0; i < 3; ++i)
    CHECK_AT(i, before["per_seed"][i]["nll"] == after["per_seed"][i]["nll"]);
  // The ratio is far above the one that the paper warns of.
  REQUIRE(axelram("calibrate gain " + kText +
                  " -o s --bits 2 --samples 4 --candidates 1 "
                  "--json c.json"));
  const auto json = axelram.json("c.json");
  CHECK(json["norm_ratio"].get<double>() == doctest::Approx(18.3).epsilon(0.05));
  CHECK(json["advice"] == "calibrate");
}

TEST_CASE(
    "harder keys: a center removes the cost of a bias, selected signs less than a third of it") {
  const TempDir axelram;
  REQUIRE(axelram("stress " + kByteLlama + " -o bias --layers all --bias 100"));
  const auto calibrate = [&](const std::string& signs, const std::string& more) {
    REQUIRE(axelram("calibrate bias " + kText + " -o " + signs + " --bits 2 --samples 4 " + more));
  };
  calibrate("selected.safetensors", "");
  calibrate("both.safetensors", "--center center.safetensors");

  const double trained = worst(perplexity(axelram, kByteLlama, "", "1-3"));
  const double plain = worst(perplexity(axelram, "bias", "", "1-3"));
  const double centered = worst(perplexity(axelram, "bias", "center: center.safetensors", "1-3"));
  const double selected = worst(perplexity(axelram, "bias", "signs: selected.safetensors", ""));
  CASE(trained, plain, centered, selected);
  CHECK(plain > 20 * trained);
  CHECK(centered < 0.1 * plain);
  CHECK(selected > centered);
  // The worst of three random patterns, and one that Algorithm 1 chose from 200.
  CHECK(selected > 0.7 * plain);
}
