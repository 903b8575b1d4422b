// Exponents of BALANCE in commands (bit-contract.md#exponents), on a model that has one head whose
// keys and queries have their energy in different channels.
#include <cmath>
#include <initializer_list>
#include <utility>

#include "axelram/files/exponents.hpp"
#include "axelram/files/feedback.hpp"
#include "axelram/files/result.hpp"
#include "axelram/half.hpp"
#include "cli/program.hpp"

using namespace axelram;
using namespace test;

namespace {

constexpr std::size_t kHeadDim = 32, kPairs = kHeadDim / 2;
constexpr std::size_t kPlace = 1;  // of layer 0, head 1 among the four heads
const std::string kModelText = " " + kTinyLlama + "/expected.safetensors ";
const std::string kCalibrateModel =
    "calibrate model" + kModelText + "--samples 2 --window 24 --candidates 4 -o ";

/// The tiny model, whose keys of layer 0, head 1 are multiplied by powers of two and whose queries
/// are divided by them, in the folder "model". Configurations of that head without exponents and
/// with those of the file b; `more`: their other sections.
struct UnbalancedDir : TempDir {
  explicit UnbalancedDir(const std::string& more = "") {
    files::Balance factors{2, 2, kPairs, std::vector<float>(4 * kPairs, 1)};
    for (std::size_t p = 0; p < kPairs; ++p)
      factors.lambdas[kPlace * kPairs + p] = std::ldexp(1.0F, static_cast<int>(p * 5 % 9) - 4);
    files::write_balance(at("factors"), factors, {}, false);
    REQUIRE((*this)("fold " + kTinyLlama + " --balance factors -o model"));
    const std::string macro = "macro: {head_dim: 32, max_keys: 64}\n" + more;
    put("plain.yaml", macro + "rotation: {head: 1}\n");
    put("balanced.yaml", macro + "rotation: {balance: b, head: 1}\n");
  }
};

/// Root mean square, in nats, of what scores differ from inner products, less its mean over the
/// keys of a query, which softmax ignores.
double noise_of(const files::Result& result, const files::Trace& trace) {
  const std::size_t d = trace.keys.size() / result.tokens;
  double squares = 0;
  for (std::size_t q = 0; q < result.queries; ++q) {
    double sum = 0, of_query = 0;
    for (std::size_t t = 0; t < result.tokens; ++t) {
      double product = 0;
      for (std::size_t i = 0; i < d; ++i)
        product += half_to_double(trace.queries[q * d + i]) * half_to_double(trace.keys[t * d + i]);
      const double error =
          double{result.scores[q * result.tokens + t]} * result.score_scale - product;
      sum += error;
      of_query += error * error;
    }
    squares += of_query - sum * sum / static_cast<double>(result.tokens);
  }
  return std::sqrt(squares / static_cast<double>(result.queries * result.tokens * d));
}

}  // namespace

TEST_CASE("calibrate --balance: exponents of the heads that need them, and why") {
  const UnbalancedDir axelram;
  const std::string more = "--center c --feedback f --json j --balance b";
  const std::string printed = axelram.output(kCalibrateModel + "s " + more);
  CHECK(contains(printed, "\nfeedback       f\nbalance        b\n"));
  CHECK(contains(printed, "balance        of heads whose gain is 0.25 at most"));
  CHECK(contains(printed, "by queries deflated; noise of scores in nats"));
  const Json json = axelram.json("j");
  CHECK(json["balance"] == "deflated");
  REQUIRE(json["heads"].size() == 4);
  const files::Safetensors file = files::Safetensors::read(axelram.at("b"));
  CHECK(file.metadata_at("queries") == "deflated");
  const Json gains = Json::parse(file.metadata_at("gains"));
  REQUIRE(gains.size() == 4);
  const auto rows = files::read_exponents(axelram.at("b"), Parameters{.head_dim = 32});
  CHECK(rows.layers == 2);
  CHECK(rows.heads == 2);
  for (std::size_t pair = 0; pair < 4; ++pair) {
    CASE(pair);
    const Json& head = json["heads"][pair];
    const bool chosen = pair == kPlace;
    CHECK(head["balanced"] == chosen);
    CHECK(head["gain"] == gains[pair]);
    CHECK((head["gain"].get<double>() < 0.01) == chosen);
    const double noise = head["predicted_noise"].get<double>();
    CHECK(noise < 1);
    if (chosen)
      CHECK(head["predicted_plain_noise"].get<double>() > 5);
    else
      CHECK(head["predicted_plain_noise"].get<double>() == noise);
    const std::string gain = std::to_string(head["gain"].get<double>()).substr(0, 5);
    CHECK(contains(
        printed, std::to_string(pair / 2) + "         " + std::to_string(pair % 2) + "  " + gain));
    // Both channels of a pair have one exponent, near the logarithm of the factor.
    const std::vector<std::int8_t> exponents = rows.row(pair / 2, pair % 2);
    for (std::size_t p = 0; p < kPairs; ++p) {
      CASE(pair, p);
      const int made = chosen ? 4 - static_cast<int>(p * 5 % 9) : 0;
      CHECK(exponents[p] == exponents[p + kPairs]);
      CHECK(std::abs(exponents[p] - made) <= (chosen ? 1 : 0));
    }
  }
  // Signs, center and feedback are those of balanced keys and queries, and say so.
  const std::string digest = files::exponents_digest(rows);
  for (const char* const name : {"s", "c", "f"})
    CHECK_AT(name,
             files::Safetensors::read(axelram.at(name)).metadata_at("balance_sha256") == digest);
  // Threads change nothing.
  REQUIRE(axelram(kCalibrateModel + "s1 --center c1 --feedback f1 --balance b1 --threads 1"));
  for (const std::string name : {"s", "c", "f", "b"}) {
    CASE(name);
    CHECK_SAME(axelram.content(name), axelram.content(name + "1"));
  }
  // A configuration that names the file has the same signs and center.
  REQUIRE(axelram(kCalibrateModel + "s2 --center c2 --config balanced.yaml"));
  CHECK_SAME(axelram.content("s2"), axelram.content("s"));
  CHECK_SAME(axelram.content("c2"), axelram.content("c"));
}

TEST_CASE("calibrate --balance-queries: whole queries have other gains") {
  const UnbalancedDir axelram;
  REQUIRE(axelram(kCalibrateModel + "s --balance b --json j"));
  const std::string printed =
      axelram.output(kCalibrateModel + "s2 --balance w --balance-queries whole --json k");
  CHECK(contains(printed, "by queries whole; noise of scores in nats"));
  CHECK(axelram.json("k")["balance"] == "whole");
  CHECK(files::Safetensors::read(axelram.at("w")).metadata_at("queries") == "whole");
  const Json deflated = axelram.json("j")["heads"], whole = axelram.json("k")["heads"];
  for (std::size_t pair = 0; pair < 4; ++pair) {
    CASE(pair);
    CHECK(whole[pair]["gain"] != deflated[pair]["gain"]);
    CHECK(whole[pair]["balanced"] == (pair == kPlace));
  }
  REQUIRE(axelram(kCalibrateModel + "s3 --balance d --balance-queries deflated"));
  CHECK_SAME(axelram.content("d"), axelram.content("b"));
}

TEST_CASE("calibrate --balance-gain: heads up to the gain are balanced, with 1 all of them") {
  const UnbalancedDir axelram;
  for (const auto& [gain, balanced] : {std::pair{"0", 0U}, {"0.25", 1U}, {"1", 4U}}) {
    CASE(gain);
    const std::string printed = axelram.output(kCalibrateModel + "s --force --balance b --json j" +
                                               " --balance-gain " + gain);
    CHECK(contains(printed, "of heads whose gain is " + std::string(gain).substr(0, 1)));
    const Json json = axelram.json("j");
    CHECK(json["balance_gain"] == std::stod(gain));
    std::size_t count = 0;
    for (const Json& head : json["heads"]) count += head["balanced"] == true;
    CHECK(count == balanced);
    CHECK(std::stod(files::Safetensors::read(axelram.at("b")).metadata_at("most_gain")) ==
          std::stod(gain));
  }
}

TEST_CASE("calibrate --balance: a model that needs none has exponents of 0, which change nothing") {
  const TempDir axelram;
  const std::string calibrate =
      "calibrate " + kTinyInputs + "--samples 2 --window 24 --candidates 4 ";
  REQUIRE(axelram(calibrate + "-o s --center c --balance b --json j"));
  REQUIRE(axelram(calibrate + "-o s2 --center c2"));
  const auto rows = files::read_exponents(axelram.at("b"), Parameters{.head_dim = 32});
  CHECK_SAME(rows.values, std::vector<std::int8_t>(4 * kHeadDim));
  CHECK_SAME(axelram.content("s"), axelram.content("s2"));
  CHECK_SAME(axelram.content("c"), axelram.content("c2"));
  for (const Json& head : axelram.json("j")["heads"]) {
    CASE(head);
    CHECK(head["balanced"] == false);
    CHECK(head["predicted_noise"] == head["predicted_plain_noise"]);
  }
  CHECK(axelram(kTinyRun + "--no-noise --cache 'axelram:config=small.yaml,balance=b'"));
}

TEST_CASE("run: exponents of a configuration, every engine") {
  const std::string unbiased = "quantizer: {scale: unbiased}\n";
  const UnbalancedDir axelram(unbiased);
  REQUIRE(axelram(kCalibrateModel + "s --balance b --feedback f --center c"));
  REQUIRE(axelram("capture model" + kModelText + "--layer 0 --head 1 -o t"));
  REQUIRE(axelram("run plain.yaml t -o plain"));
  const files::Trace trace = files::read_trace(axelram.at("t"), Parameters{.head_dim = 32}, 64);
  const double without = noise_of(files::read_result(axelram.at("plain")), trace);
  axelram.put("centered.yaml", "macro: {head_dim: 32, max_keys: 64}\n" + unbiased +
                                   "rotation: {balance: b, center: c, signs: s, head: 1}\n");
  for (const auto& [config, encoder] : std::initializer_list<std::pair<std::string, std::string>>{
           {"balanced.yaml", ""},
           {"centered.yaml", ""},
           {"balanced.yaml", " --encoder feedback:f"}}) {
    CASE(config, encoder);
    for (const std::string engine : {"golden", "fast", "rtl", "cuda"}) {
      CASE(config, encoder, engine);
      const std::string run =
          "run " + config + " t" + encoder + " --force --engine " + engine + " -o " + engine;
      const ProcessResult done = engine == "cuda" ? axelram.emulated(run) : axelram(run);
      REQUIRE(done);
      CHECK_SAME(axelram.content(engine), axelram.content("golden"));
    }
    CHECK(noise_of(files::read_result(axelram.at("golden")), trace) < 0.1 * without);
  }
}

TEST_CASE("run: the worst heads of pretrained models, and what saves them") {
  const TempDir axelram;
  const std::string traces = kSource + "/traces/";
  const auto noise = [&](const std::string& model, const std::string& config, int d) {
    const std::string trace = traces + model + ".safetensors";
    REQUIRE(axelram("run " + config + " " + quoted(trace) + " -o out --force"));
    return noise_of(files::read_result(axelram.at("out")),
                    files::read_trace(trace, Parameters{.head_dim = d}, 256));
  };
  // The means of keys are in pairs that rotary embedding turns fast, where no center takes them.
  CHECK(noise("qwen2.5-coder-0.5b", "d64-b3", 64) > 50);
  CHECK(noise("qwen2.5-coder-0.5b", "d64-b3-balance", 64) < 1);
  // Here they are in pairs that it turns slowly.
  axelram.put("center.yaml", "quantizer: {scale: unbiased}\nrotation: {center: '" + traces +
                                 "qwen2.5-coder-1.5b.center.safetensors'}\n");
  CHECK(noise("qwen2.5-coder-1.5b", "paper-d128-b3", 128) > 15);
  CHECK(noise("qwen2.5-coder-1.5b", "center.yaml", 128) < 1.5);
}

TEST_CASE("run --cache: tiers of records take exponents from SPEC and from the configuration") {
  const UnbalancedDir axelram;
  REQUIRE(axelram(kCalibrateModel + "s --balance b"));
  REQUIRE(axelram("capture model" + kModelText + "--layer 0 --head 1 --by-token -o t"));
  const std::string run =
      "run --cache tiered:hot=4,warm=0,step=8,group=8,archive_store=axelram3,config=";
  REQUIRE(axelram(run + "plain.yaml t -o plain"));
  REQUIRE(axelram(run + "balanced.yaml t -o named"));
  REQUIRE(axelram(run + "plain.yaml,balance=b t -o given"));
  CHECK_SAME(axelram.content("given"), axelram.content("named"));
  CHECK_DIFFERENT(axelram.content("given"), axelram.content("plain"));
}

TEST_CASE("perplexity: balance=FILE rescues the head, in records, tiers and memories") {
  const UnbalancedDir axelram;
  REQUIRE(axelram(kCalibrateModel + "s --balance b"));
  const auto kl = [&](const std::string& model, const std::string& cache,
                      const std::string& more = "") {
    REQUIRE(axelram("perplexity " + model + kModelText + "--no-noise --json j --force --cache " +
                    quoted(cache) + more));
    CHECK(axelram.json("j")["cache"] == cache);
    return axelram.json("j")["kl"].get<double>();
  };
  const std::string keys = "keys=axelram:config=", values = ";values=fp16";
  const std::string plain = keys + "plain.yaml" + values;
  const std::string given = keys + "plain.yaml,balance=b" + values;
  const double healthy = kl(kTinyLlama, plain), rescued = kl("model", given);
  CHECK(kl("model", plain) > 5 * healthy);
  CHECK(rescued < 1.5 * healthy);
  CHECK(kl("model", keys + "balanced.yaml" + values) == rescued);
  CHECK(kl("model", given, " --threads 1") == rescued);
  for (const std::string engine : {"golden", "rtl"})
    CHECK_AT(engine,
             kl("model", given, " --engine " + engine) == doctest::Approx(rescued).epsilon(1e-6));
  const std::string tiers =
      "tiered:hot=4,warm=0,archive_store=axelram3,group=8,step=8,config=plain.yaml";
  for (const std::string& cache : {tiers, std::string("memory:sinks=4")}) {
    CASE(cache);
    CHECK(kl("model", cache + ",balance=b") < 0.5 * kl("model", cache));
  }
}

TEST_CASE("what balance does not take is told in one line") {
  const UnbalancedDir axelram;
  REQUIRE(axelram(kCalibrateModel + "s --balance b --center c --feedback f"));
  REQUIRE(axelram("capture model" + kModelText + "--layer 0 --head 1 -o t"));
  const std::string calibrate = kCalibrateModel + "new ";
  axelram.rejected(calibrate + "--balance-queries whole", "--balance-queries requires --balance");
  axelram.rejected(calibrate + "--balance-gain 1", "--balance-gain requires --balance");
  axelram.rejected(calibrate + "--balance b2 --balance-gain 1.5", "--balance-gain: '1.5'");
  axelram.rejected(calibrate + "--balance b2 --balance-queries half",
                   "--balance-queries: 'half'; give deflated or whole");
  axelram.rejected(calibrate + "--balance b", "b: exists already; give --force");
  axelram.rejected(calibrate + "--balance ./new", "named for two outputs");
  axelram.rejected(calibrate + "--balance b --config balanced.yaml --force",
                   "b: is also an input; write to another file");
  std::string tiers = kCalibrateModel + "new";
  tiers.replace(tiers.find("-o new"), 6, "--tiers new --balance b2");
  axelram.rejected(tiers, "requires --output");
  axelram.rejected("run balanced.yaml t -o b --force", "b: is also an input");
  for (const std::string input : {"factors", "model/config.json", "model/model.safetensors"}) {
    CASE(input);
    axelram.rejected("fold model --balance factors -o new --force --json " + input,
                     input + ": is also an input");
  }
  axelram.put("far.yaml", "macro: {head_dim: 32}\nrotation: {balance: b, layer: 2}\n");
  axelram.rejected("run far.yaml t -o new",
                   "far.yaml:2: balance: b: tensor balance: holds 2 layers; "
                   "layer 2 of the configuration (from 0) is not among them");

  const std::string run = "perplexity model" + kModelText + "--no-noise --cache ";
  const std::string keys = "keys=axelram:config=";
  axelram.rejected(run + quoted(keys + "balanced.yaml,balance=b;values=fp16"),
                   "balanced.yaml: rotation has a balance, b, in place of which balance=b would "
                   "stand; leave one of them out");
  axelram.rejected(run + quoted("keys=fp16;values=axelram:config=plain.yaml,balance=b"),
                   "balance is 'b', but values have none; leave it out");
  axelram.rejected(run + "int4:balance=b", "int4 has no key 'balance'");
  axelram.rejected(run + "tiered:balance=b", "no store is axelram");
  axelram.rejected(run + "memory:sinks=4,store=fp16,balance=b", "balance is of records");
  axelram.rejected(run + quoted(keys + "plain.yaml,balance=s;values=fp16"),
                   "s: no tensor 'balance'");
  axelram.rejected("perplexity model" + kModelText +
                       "--json b --force --cache 'axelram:config=plain.yaml,balance=b'",
                   "b: is also an input");
  // Centers and moments of keys and queries that are balanced are of no use to others.
  axelram.put("center.yaml", "macro: {head_dim: 32}\nrotation: {center: c}\n");
  axelram.rejected(run + quoted(keys + "center.yaml;values=fp16"),
                   "c: made for keys and queries that are balanced");
  axelram.put("unbiased.yaml", "macro: {head_dim: 32}\nquantizer: {scale: unbiased}\n");
  axelram.rejected(run + quoted(keys + "unbiased.yaml,encoder=feedback:f;values=fp16"),
                   "f: made for keys and queries that are balanced");
  for (const std::string command :
       {"run center.yaml t -o new", "generate center.yaml -o new", "report center.yaml",
        "verify center.yaml", "faults center.yaml t --ber 1e-3"}) {
    CASE(command);
    axelram.rejected(command, "c: made for keys and queries that are balanced");
  }
  axelram.rejected("run unbiased.yaml t -o new --encoder feedback:f",
                   "f: made for keys and queries that are balanced");
  axelram.rejected(kCalibrateModel + "new --config center.yaml",
                   "c: made for keys and queries that are balanced");
}
