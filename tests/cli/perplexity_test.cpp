#include <algorithm>
#include <cmath>
#include <filesystem>

#include "axelram/files/safetensors.hpp"
#include "axelram/half.hpp"
#include "cli/perplexity_run.hpp"
#include "needs.hpp"

using namespace axelram;
using namespace test;

namespace {

const std::string kSmall =
    "--cache 'keys=axelram:config=" + kSource + "/configs/d32-b3.yaml;values=fp16' ";

/// A text of ids below 96, at `path`.
void put_ids(const std::string& path, std::size_t count) {
  std::vector<std::int32_t> ids;
  for (std::size_t i = 0; i < count; ++i)
    ids.push_back(static_cast<std::int32_t>((i * i * 5 + i * 11 + 3) % 96));
  files::write_safetensors(path, {files::view("tokens", files::DataType::i32, {count}, ids)}, {},
                           true);
}

/// The tiny model as one of Mistral's, with an attention span, in the folder `path`.
void put_sliding(const std::string& path, std::size_t span) {
  auto config = Json::parse(content(kTinyLlama + "/config.json"));
  config["model_type"] = "mistral";
  config["sliding_window"] = span;
  config["max_position_embeddings"] = 256;
  std::filesystem::create_directories(path);
  put(path + "/config.json", config.dump());
  put(path + "/model.safetensors", content(kTinyLlama + "/model.safetensors"));
}

}  // namespace

TEST_CASE("perplexity: JSON, likelihoods and plot of one run") {
  const TempDir axelram;
  axelram.put_text();
  const std::string printed =
      axelram.output(kTextRun +
                     "--cache int4 --window 64 --stride 40 --tokens 500 --json p.json "
                     "--nll p.safetensors --kl k.safetensors --ranks r --plot p.svg");
  const auto json = axelram.json("p.json");
  const std::vector<double> nll = nll_of(axelram, "p.safetensors");
  REQUIRE(nll.size() == 499);
  CHECK(json["tokens"] == 499);
  double sum = 0;
  for (const double value : nll) sum += value;
  const double mean = sum / 499;
  CHECK(json["nll"].get<double>() == doctest::Approx(mean).epsilon(1e-12));
  CHECK(json["perplexity"].get<double>() == doctest::Approx(std::exp(mean)).epsilon(1e-12));
  CHECK(json["bits_per_byte"].get<double>() == doctest::Approx(mean / std::log(2.0)));
  CHECK(json["delta"].get<double>() ==
        doctest::Approx(std::exp(mean) - json["baseline"]["perplexity"].get<double>()));
  CHECK(json["kl"].get<double>() > 0);
  const auto kl = files::Safetensors::read(axelram.at("k.safetensors")).at("kl").values<double>();
  REQUIRE(kl.size() == 499);
  double kl_sum = 0;
  for (const double value : kl) kl_sum += value;
  CHECK(json["kl"].get<double>() == doctest::Approx(kl_sum / 499).epsilon(1e-12));
  const auto ranks = files::Safetensors::read(axelram.at("r")).at("ranks").values<std::int32_t>();
  REQUIRE(ranks.size() == 499);
  const auto below = [&](int limit) {
    return static_cast<double>(std::ranges::count_if(ranks, [&](int r) { return r < limit; })) /
           499;
  };
  CHECK(json["top1"].get<double>() == doctest::Approx(below(1)).epsilon(1e-12));
  CHECK(json["top5"].get<double>() == doctest::Approx(below(5)).epsilon(1e-12));
  CHECK(below(256) == 1);
  // 4 layers, 2 KV heads, keys and values: 64 bytes of INT4 and one FP16 scale a row.
  CHECK(json["cache_bytes_per_token"] == 4 * 2 * 2 * (64 + 2));
  CHECK(json["baseline"]["cache_bytes_per_token"] == 4 * 2 * 2 * 256);
  CHECK(json["cache"] == "int4");
  CHECK(contains(axelram.content("p.svg"), "</svg>"));
  CHECK(contains(printed, "499 predictions"));
}

TEST_CASE("perplexity: the noise of delta is that of runs with two instruction sets" *
          needs_levels) {
  const TempDir axelram;
  axelram.put_text();
  const std::string run = kTextRun + "--tokens 300 --force --nll n --cache ";
  const std::string cache = "axelram:config=paper-d128-b3";
  const std::string printed = axelram.output(run + cache + " --json p.json");
  const auto json = axelram.json("p.json");
  CHECK(contains(printed, "no finding") == (json["finding"] == false));
  REQUIRE_FALSE(json["noise"].is_null());
  CHECK(contains(printed, "noise: 95 % of the changes of delta from "));

  std::vector<double> changes(299);  // of both windows
  for (const bool other : {false, true})
    for (const std::string& one : {cache, std::string("fp16")}) {
      CASE(other, one);
      const auto simd = json["noise"][other ? "compared_with" : "simd"].get<std::string>();
      REQUIRE(axelram(run + one, "AXELRAM_SIMD=" + simd));
      const std::vector<double> nll = nll_of(axelram, "n");
      const double sign = (one == cache) != other ? 1 : -1;
      for (std::size_t i = 0; i < changes.size(); ++i) changes[i] += sign * nll[i];
    }
  double squares = 0;
  for (std::size_t block = 0; block < changes.size(); block += 32) {
    double sum = 0;
    for (std::size_t i = block; i < std::min<std::size_t>(block + 32, 299); ++i) sum += changes[i];
    squares += sum * sum;
  }
  constexpr double kStudent = 2.228139;  // 97.5 %, ten degrees of freedom
  const double noise = kStudent * std::sqrt(squares / (299.0 * 299));
  CHECK(json["noise"]["nll"].get<double>() == doctest::Approx(noise).epsilon(1e-5));
  CHECK(json["delta_noise"].get<double>() ==
        doctest::Approx(noise * json["perplexity"].get<double>()).epsilon(1e-5));
}

TEST_CASE("perplexity: nearly every delta changes by less than its noise" * needs_levels) {
  const TempDir axelram;
  const std::string run = "perplexity " + kByteLlama + " " + kSource +
                          "/LICENSE --tokens 300 --cache axelram:config=paper-d128-b3 --seeds 1-12 "
                          "--force --json ";
  REQUIRE(axelram(run + "a.json"));
  const auto a = axelram.json("a.json");
  REQUIRE_FALSE(a["noise"].is_null());
  REQUIRE(
      axelram(run + "b.json", "AXELRAM_SIMD=" + a["noise"]["compared_with"].get<std::string>()));
  const auto b = axelram.json("b.json");
  int within = 0;
  for (std::size_t i = 0; i < 12; ++i) {
    const auto &one = a["per_seed"][i], &other = b["per_seed"][i];
    const double change = one["delta"].get<double>() - other["delta"].get<double>();
    within += std::abs(change) <= one["delta_noise"].get<double>() ? 1 : 0;
  }
  CHECK(within >= 9);  // 95 % each: fewer in one of 400 draws
}

TEST_CASE("perplexity: the FP16 cache is its own baseline, FP32 close to it") {
  const TempDir axelram;
  axelram.put_text();
  const std::string run = kTextRun + "--tokens 200 --window 100 --stride 50 --cache ";
  CHECK(axelram(run + "fp16 --json a.json"));
  CHECK(axelram(run + "f32 --json b.json"));
  const auto a = axelram.json("a.json"), b = axelram.json("b.json");
  CHECK(a["delta"] == 0);
  CHECK(a["kl"] == 0);
  CHECK(a["baseline"]["nll"] == a["nll"]);
  CHECK(b["nll"].get<double>() != a["nll"].get<double>());
  CHECK(std::abs(b["delta"].get<double>()) < 1e-2);
}

TEST_CASE("perplexity: the same bytes for any number of threads; statistics over seeds") {
  const TempDir axelram;
  const std::string run = kTinyRun + kSmall + "--seeds 1,4-6 ";
  CHECK(axelram(run + "--json one.json --threads 1"));
  CHECK(axelram(run + "--json two.json --plot plot.json --threads 3"));
  CHECK_SAME(axelram.content("one.json"), axelram.content("two.json"));
  const auto json = axelram.json("one.json");
  REQUIRE(json["per_seed"].size() == 4);
  CHECK(json["seeds"] == Json({1, 4, 5, 6}));
  double sum = 0, worst = 0, squares = 0;
  for (const auto& one : json["per_seed"]) sum += one["perplexity"].get<double>();
  for (const auto& one : json["per_seed"]) {
    worst = std::max(worst, one["perplexity"].get<double>());
    squares += std::pow(one["perplexity"].get<double>() - sum / 4, 2);
  }
  const auto& spread = json["statistics"]["perplexity"];
  CHECK(spread["mean"].get<double>() == doctest::Approx(sum / 4));
  CHECK(spread["worst"].get<double>() == worst);
  CHECK(spread["std"].get<double>() == doctest::Approx(std::sqrt(squares / 3)));
  // Student's t with three degrees of freedom.
  CHECK(spread["high"].get<double>() - sum / 4 ==
        doctest::Approx(3.182446 * std::sqrt(squares / 3) / 2).epsilon(1e-4));
  const auto plot = axelram.json("plot.json");
  CHECK(plot["x"] ==
        Json{{"label", "seed"}, {"scale", "category"}, {"categories", {"1", "4", "5", "6"}}});
  CHECK(plot["y"]["label"] == "perplexity");
  REQUIRE(plot["series"].size() == 1);
  REQUIRE(plot["series"][0]["points"].size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CASE(i);
    CHECK(plot["series"][0]["points"][i]["x"] == i);
    CHECK(plot["series"][0]["points"][i]["y"] == json["per_seed"][i]["perplexity"]);
    CHECK(plot["series"][0]["points"][i]["low"].is_null());
  }
  CHECK(plot["levels"][0]["y"] == json["baseline"]["perplexity"]);
  CHECK(plot["levels"][0]["style"] == "dashed");
  CHECK(plot["levels"][1]["y"] == spread["mean"]);
  CHECK(plot["bands"][0]["low"] == spread["low"]);
  CHECK(plot["bands"][0]["high"] == spread["high"]);
  CHECK(json["per_seed"][0]["nll"] != json["per_seed"][1]["nll"]);
  // A seed of --seeds is the seed of the specification.
  CHECK(axelram(kTinyRun + "--json four.json --cache 'keys=axelram:config=" + kSource +
                "/configs/d32-b3.yaml,seed=4;values=fp16'"));
  CHECK(axelram.json("four.json")["nll"] == json["per_seed"][1]["nll"]);
}

TEST_CASE("perplexity: table lookup, fast units and hardware agree to the last digit") {
  const TempDir axelram;
  std::vector<std::uint16_t> center(2 * 2 * 32);  // other for each layer and head
  for (std::size_t i = 0; i < center.size(); ++i)
    center[i] = double_to_half(0.25 * static_cast<double>(i % 7) - 0.02 * static_cast<double>(i));
  files::write_safetensors(axelram.at("center.safetensors"),
                           {files::view("center", files::DataType::f16, {2, 2, 32}, center)}, {},
                           false);
  axelram.put("centered.yaml",
              "macro: {head_dim: 32, index_bits: 3, max_keys: 256}\n"
              "rotation: {center: center.safetensors}\n");
  const auto likelihoods = [&](const std::string& model_and_text) {
    const std::string run =
        "perplexity " + model_and_text +
        " --cache 'keys=axelram:config=centered.yaml;values=axelram:config=centered.yaml' --force "
        "--engine ";
    for (const std::string engine : {"golden", "fast", "rtl"})
      REQUIRE_AT(engine, axelram(run + engine + " --nll " + engine + ".safetensors"));
    const std::string golden = axelram.content("golden.safetensors");
    CHECK_SAME(golden, axelram.content("fast.safetensors"));
    CHECK_SAME(golden, axelram.content("rtl.safetensors"));
    return golden;
  };
  likelihoods(kTinyInputs);

  // An attention span, in a text so long that its first keys are not even sent to the macro.
  put_ids(axelram.at("long.safetensors"), 150);
  const std::string run = "sliding long.safetensors --window 150 --stride 100";
  put_sliding(axelram.at("sliding"), 8);
  const std::string sliding = likelihoods(run);
  put_sliding(axelram.at("sliding"), 9);
  CHECK(sliding != likelihoods(run));
}

TEST_CASE("perplexity: Gemma with heads of 256 on the macro as it is") {
  const TempDir axelram;
  const std::string model = kSource + "/tests/model/transformer/reference/gemma3-d256";
  const std::string run = "perplexity " + model + " " + model +
                          "/expected.safetensors --cache axelram:config=d256-b4 --engine ";
  for (const std::string engine : {"golden", "fast"})
    REQUIRE_AT(engine, axelram(run + engine + " --nll " + engine + ".safetensors --json " + engine +
                               ".json"));
  CHECK_SAME(axelram.content("golden.safetensors"), axelram.content("fast.safetensors"));
  const auto json = axelram.json("fast.json");
  CHECK(json["cache_bytes_per_token"] == 2 * 2 * (256 / 2 + 2));
  CHECK(json["kl"].get<double>() > 0);
  CHECK(json["kl"].get<double>() < 0.1);
}

TEST_CASE("perplexity: bit errors are counted, and seeds move them") {
  const TempDir axelram;
  const std::string run =
      kTinyRun + "--cache int4:code=hamming84,erasure=interpolate,ber=0.01 --json ";
  REQUIRE(axelram(run + "a.json --seeds 1-2"));
  const auto json = axelram.json("a.json");
  const auto& keys = json["per_seed"][0]["keys"];
  // 48 tokens, 2 layers, 2 KV heads, 32 words of 8 bits.
  CHECK(keys["words"] == 48 * 4 * 32);
  CHECK(keys["stored_bits"] == 48 * 4 * 32 * 8);
  CHECK(keys["injected"].get<double>() == doctest::Approx(49152 * 0.01).epsilon(0.25));
  CHECK(keys["corrected"].get<int>() > 0);
  CHECK(json["per_seed"][0]["keys"] != json["per_seed"][1]["keys"]);
  CHECK(json["per_seed"][0]["values"] != json["per_seed"][0]["keys"]);
  for (const char* figure : {"nll", "perplexity", "delta", "kl", "top1", "top5", "agreement"})
    CHECK_AT(figure, json[figure].get<double>() ==
                         doctest::Approx((json["per_seed"][0][figure].get<double>() +
                                          json["per_seed"][1][figure].get<double>()) /
                                         2));
  REQUIRE(axelram(kTinyRun +
                  "--cache int4:code=hamming84,erasure=interpolate,ber=0.01,fault_seed=2 --json "
                  "b.json"));
  CHECK(axelram.json("b.json")["per_seed"][0]["keys"] == json["per_seed"][1]["keys"]);
  CHECK(axelram.json("b.json")["nll"] == json["per_seed"][1]["nll"]);
}

TEST_CASE("perplexity: a baseline for keys that FP16 cannot hold") {
  const TempDir axelram;
  REQUIRE(axelram("stress " + kTinyLlama + " -o large --bias 1e6"));
  const std::string run =
      "perplexity large " + kTinyLlama + "/expected.safetensors --cache f32 --json ";
  failed(axelram(run + "a.json"), 2, "fp16 holds numbers up to 65504: give --baseline f32");
  REQUIRE(axelram(run + "b.json --baseline f32"));
  const auto json = axelram.json("b.json");
  CHECK(json["baseline"]["cache"] == "f32");
  CHECK(json["delta"] == 0);
  CHECK(json["statistics"]["delta"]["std"].is_null());
}

TEST_CASE("perplexity: equals transformers on the bundled model" * needs_data) {
  const std::string data = test::data();
  const TempDir axelram;
  const std::string run = "perplexity " + kByteLlama + " " + data +
                          "/text/shakespeare.txt --skip 1003854 --tokens 4096 --cache f32 ";
  // By tests/model/transformer/reference/oracle.py, window by window.
  CHECK(axelram(run + "--stride 128 --json a.json"));
  CHECK(axelram(run + "--stride 255 --json b.json"));
  CHECK(std::abs(axelram.json("a.json")["nll"].get<double>() - 1.25745723) < 2e-6);
  CHECK(std::abs(axelram.json("b.json")["nll"].get<double>() - 1.29262240) < 2e-6);
}

TEST_CASE("perplexity: bad input is told in one line") {
  const TempDir axelram;
  axelram.put_text();
  axelram.put("there.json", "{}");
  axelram.put("identity.yaml", "macro: {head_dim: 32, max_keys: 64}\nrotation: {identity: true}\n");
  axelram.put(
      "exact.yaml",
      "macro: {head_dim: 32, max_keys: 64}\nquantizer: {scale: unbiased}\nexact: {last: 1}\n");
  const auto fails = [&](const std::string& arguments, int code, const std::string& what) {
    const ProcessResult done = axelram(arguments);
    CASE(arguments);
    CHECK(done.code == code);
    CHECK(contains(done.err, what));
    CHECK(std::count(done.err.begin(), done.err.end(), '\n') == 1);
  };
  fails(kTextRun + "--cache fp16 --window 64 --stride 64", 2, "less than the window");
  fails(kTextRun + "--cache fp8", 2, "fp8");
  fails(kTextRun + "--cache ''", 2, "cache");
  fails(kTinyRun + "--cache 'int4:code=\nx'", 2, "hamming74");
  fails("perplexity " + kTinyLlama + " text.txt --cache fp16 --tokenizer byte", 2, "ids below 96");
  fails(kTextRun + "--cache fp16 --tokens 100000", 2, "fewer than the 100000 asked for");
  fails(kTextRun + "--cache fp16 --window 4096 --stride 1 --skip 700", 2, "skip");
  fails(kTextRun + "--cache fp16 --seeds 1,2", 2, "cache 'fp16' has nothing random to seed");
  fails(kTextRun + "--cache fp16 --seeds 2,2", 2, "different seeds");
  fails(kTinyRun + "--cache axelram:config=identity.yaml --seeds 1", 2, "random");
  fails(kTextRun + "--window 64 --stride 32 --cache axelram:config=small.yaml", 2, "head_dim");
  fails(kTextRun + "--cache axelram:config=none.yaml", 2, "none.yaml: no such file");
  fails(kTextRun + "--cache int4:ber=0.1 --seeds 1,2 --nll n.safetensors", 2, "one seed");
  fails(kTextRun + "--cache fp16 --json there.json", 2, "there.json");
  fails(kTextRun + "--cache fp16 --json text.txt --force", 2, "text.txt");
  fails(kTextRun + "--cache fp16 --engine reference", 2, "the scalar reference is golden");
  fails(kTextRun + "--cache fp16 --engine fast --device cuda", 2, "requires --engine cuda");
  fails(kTextRun + "--cache fp16 --engine cuda --device cpu", 2, "another engine than cuda");
  fails(kTinyRun + "--cache fp16 --engine rtl", 2, "not an axelram cache");
  fails(kTinyRun + "--cache axelram:config=small.yaml,ber=0.1 --engine rtl", 2, "bit error rate");
  fails(kTinyRun + "--cache axelram:config=exact.yaml,encoder=feedback:f --engine rtl", 2,
        "--engine rtl has no encoder beside exact tokens, since a record has no copy; use --engine "
        "fast");  // before the file is read
  fails(kTinyRun + "--cache fp16 --tokens 10", 2, "sequences of their own");
  fails("perplexity nowhere text.txt --cache fp16", 2, "nowhere");
  fails("perplexity " + kTinyLlama + " text.txt --cache fp16", 2, "tokenizer");
  CHECK(axelram.content("there.json") == "{}");
}
