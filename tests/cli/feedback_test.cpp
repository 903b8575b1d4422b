#include "axelram/files/feedback.hpp"

#include "axelram/files/balance.hpp"
#include "axelram/files/result.hpp"
#include "cli/program.hpp"

using namespace axelram;
using namespace test;

namespace {

const std::string kCalibrate =
    "calibrate " + kTinyInputs + "--samples 2 --window 24 --candidates 4 ";

/// The keys and queries of layer 1, head 0 of the model, and configurations for them.
void put_inputs(const TempDir& axelram) {
  REQUIRE(axelram("capture " + kTinyInputs + "--layer 1 --head 0 -o t"));
  for (const std::string kind : {"mse", "trellis"})
    for (const std::string exact : {"", "exact: {first: 2, last: 4}\n"})
      axelram.put(kind + (exact.empty() ? "" : "-exact") + ".yaml",
                  "macro: {head_dim: 32, max_keys: 64}\nrotation: {layer: 1}\nquantizer: {kind: " +
                      kind + ", scale: unbiased}\n" + exact);
}

}  // namespace

TEST_CASE("calibrate writes feedback and balance, and tells what it saw of the queries") {
  const TempDir axelram;
  const std::string printed =
      axelram.output(kCalibrate + "-o s --feedback f --balance b --center c --json j");
  CHECK(contains(printed, "feedback       f\nbalance        b\n"));
  CHECK(contains(printed, "\nheads "));
  const files::QueryMoments moments = files::read_query_moments(axelram.at("f"), 32);
  CHECK(moments.layers == 2);
  CHECK(moments.heads == 2);
  CHECK(files::Safetensors::read(axelram.at("f")).metadata_at("rank") == "1");
  CHECK(files::read_balance(axelram.at("b")).lambdas.size() == 2 * 2 * 16);
  const Json json = axelram.json("j");
  CHECK(json["feedback"] == "1");
  REQUIRE(json["heads"].size() == 4);
  for (std::size_t pair = 0; pair < 4; ++pair) {
    CASE(pair);
    const Json& head = json["heads"][pair];
    CHECK(head["layer"] == pair / 2);
    CHECK(head["head"] == pair % 2);
    CHECK(head["alpha"].get<float>() == moments.alphas[pair]);
    for (const char* const share :
         {"mean_key_energy", "balance_won", "first_weight", "newest_weight"}) {
      CASE(share);
      CHECK(head[share].get<double>() > 0);
      CHECK(head[share].get<double>() <= 1);
    }
    CHECK(head["score_error"].get<double>() > 0);
    CHECK(head["divergence"].get<double>() > 0);
  }

  REQUIRE(axelram(kCalibrate + "-o s0 --feedback f0 --rank 0 --json j0"));
  CHECK_SAME(files::read_query_moments(axelram.at("f0"), 32).alphas, std::vector<float>(4));
  REQUIRE(
      axelram(kCalibrate + "-o s2 --feedback f2 --rank full --center c2 --json j2 --threads 1"));
  CHECK(files::read_query_moments(axelram.at("f2"), 32).moments.size() == 4 * 32 * 32);
  CHECK_SAME(axelram.content("s"), axelram.content("s2"));
  CHECK_SAME(axelram.content("c"), axelram.content("c2"));
  // Errors of scores shrink with feedback, the more the more is known.
  const auto error = [&](const char* file) {
    double sum = 0;
    const Json run = axelram.json(file);
    for (const Json& head : run["heads"]) sum += head["score_error"].get<double>();
    return sum;
  };
  REQUIRE(axelram(kCalibrate + "-o s3 --feedback f3 --rank 0 --center c3 --json j3"));
  CHECK(error("j") < error("j3"));
  CHECK(error("j2") < error("j"));
  // Queries of later positions leave alone what rotary embedding does not turn: energies of pairs.
  const auto full_rank = [&](const std::string& more) {
    REQUIRE(axelram(kCalibrate + "-o s5 --force --rank full --feedback f5 " + more));
    return files::read_query_moments(axelram.at("f5"), 32).moments;
  };
  const auto here = full_rank(""), later = full_rank("--context 64");
  CHECK(!std::ranges::equal(here, later));
  for (std::size_t head = 0; head < 4; ++head)
    for (std::size_t pair = 0; pair < 16; ++pair) {
      CASE(head, pair);
      const auto energy = [&](const std::vector<float>& of) {
        const auto diagonal = [&](std::size_t i) { return of[(head * 32 + i) * 32 + i]; };
        return diagonal(pair) + diagonal(pair + 16);
      };
      CHECK(energy(later) == doctest::Approx(energy(here)).epsilon(1e-5));
    }
  CHECK(contains(axelram.content("f5"), "\"context\":\"64\""));
  axelram.rejected(kCalibrate + "-o new --context 64", "--context requires --feedback");
  axelram.rejected(kCalibrate + "-o new --feedback new2 --context 9",
                   "--context 9: windows have 24 tokens, and the model takes ");
  axelram.rejected(kCalibrate + "-o new --feedback new2 --context 99999",
                   "; give a number between them");
  // Without queries nothing is said of heads.
  REQUIRE(axelram(kCalibrate + "-o s4 --json j4"));
  CHECK(axelram.json("j4")["heads"].empty());
  CHECK(axelram.json("j4")["feedback"].is_null());
}

TEST_CASE("run --encoder: every engine writes the same bytes") {
  const TempDir axelram;
  put_inputs(axelram);
  for (const std::string rank : {"0", "1", "full"}) {
    CASE(rank);
    REQUIRE(axelram(kCalibrate + "-o s" + rank + " --feedback f" + rank + " --rank " + rank));
    for (const std::string config : {"mse", "trellis", "mse-exact", "trellis-exact"}) {
      CASE(rank, config);
      const std::string run =
          "run " + config + ".yaml t --encoder feedback:f" + rank + " --force --json j -o ";
      REQUIRE(axelram(run + "golden --engine golden"));
      REQUIRE(axelram(run + "fast"));
      CHECK_SAME(axelram.content("golden"), axelram.content("fast"));
      REQUIRE(axelram(run + "rtl --engine rtl"));
      CHECK_SAME(axelram.content("golden"), axelram.content("rtl"));
      const Json json = axelram.json("j");
      const std::size_t first = contains(config, "exact") ? 2 : 0;
      CHECK(json["keys"] == 48);
      CHECK(json["records"] == 48 - first);
      CHECK(json["cycles"]["measured"] == json["cycles"]["predicted"]);
      REQUIRE(axelram.emulated(run + "cuda --engine cuda"));
      CHECK_SAME(axelram.content("golden"), axelram.content("cuda"));

      REQUIRE(axelram("run " + config + ".yaml t --force -o plain"));
      const files::Result fed = files::read_result(axelram.at("golden")),
                          plain = files::read_result(axelram.at("plain"));
      // With rank 0 the encoder is the hardware's; only the newest tokens have no copies.
      CHECK((fed.records == plain.records) == (rank == "0"));
      CHECK(fed.copies == (first != 0 ? 2 : 0));
      CHECK(plain.copies == (first != 0 ? 6 : 0));
      if (rank == "0" && first == 0) CHECK_SAME(fed.scores, plain.scores);
      for (std::size_t t = first; t < 48; ++t) {
        CASE(t);
        CHECK(fed.correlations[t] == 0);
        for (std::size_t j = 0; j < fed.boundaries.size(); ++j)
          CHECK_AT(j, fed.thresholds[t * fed.boundaries.size() + j] == 0);
      }
    }
  }
}

TEST_CASE("perplexity takes the encoder in its cache specification") {
  const TempDir axelram;
  put_inputs(axelram);
  REQUIRE(axelram(kCalibrate + "-o s --feedback f"));
  const std::string run = kTinyRun + "--no-noise --json j --force --cache ";
  const auto kl = [&](const std::string& cache, const std::string& more = "") {
    REQUIRE(axelram(run + quoted(cache) + more));
    CHECK(axelram.json("j")["cache"] == cache);
    return axelram.json("j")["kl"].get<double>();
  };
  const std::string plain = "axelram:config=mse.yaml", fed = plain + ",encoder=feedback:f";
  CHECK(kl(fed) != kl(plain));
  CHECK(kl(fed, " --engine golden") == doctest::Approx(kl(fed)).epsilon(1e-6));
  axelram.rejected(run + quoted("keys=fp16;values=" + fed),
                   "encoder is 'feedback:f', but values have none; leave it out");
}

TEST_CASE("what an encoder does not take is told in one line") {
  const TempDir axelram;
  put_inputs(axelram);
  REQUIRE(axelram(kCalibrate + "-o s --feedback f"));
  axelram.put("norm.yaml", "macro: {head_dim: 32}\n");
  axelram.put("far.yaml",
              "macro: {head_dim: 32}\nquantizer: {scale: unbiased}\nrotation: {layer: 2}\n");
  axelram.rejected("run mse.yaml t -o new --encoder nearest",
                   "--encoder: 'nearest'; give feedback:FILE");
  axelram.rejected("run mse.yaml t -o new --encoder feedback:", "give feedback:FILE");
  axelram.rejected("run mse.yaml t -o new --encoder feedback:absent", "absent");
  axelram.rejected("run mse.yaml t -o f --force --encoder feedback:f", "is also an input");
  axelram.rejected("run norm.yaml t -o new --encoder feedback:f",
                   "quantizer.scale is norm; an encoder with feedback needs unbiased");
  axelram.rejected("run far.yaml t -o new --encoder feedback:f",
                   "f: holds 2 layers of 2 heads; layer 2, head 0 of the configuration");
  axelram.rejected(kCalibrate + "-o new --feedback new2 --config norm.yaml",
                   "norm.yaml: quantizer.scale is norm; an encoder with feedback needs unbiased");
  axelram.rejected(kCalibrate + "-o new --rank full", "--rank requires --feedback");
  axelram.rejected(kCalibrate + "-o new --feedback new2 --rank 2",
                   "--rank: '2'; give 0, 1 or full");
  axelram.rejected(kCalibrate + "-o new --feedback f", "f: exists already");
  axelram.rejected(kCalibrate + "-o new --feedback ./new", "two outputs");
  axelram.rejected(kTinyRun +
                       "--json f --force --cache "
                       "'axelram:config=mse.yaml,encoder=feedback:f'",
                   "is also an input");
}

TEST_CASE("fold writes the balanced model, and calibrate finds no more to balance there") {
  const TempDir axelram;
  REQUIRE(axelram(kCalibrate + "-o s --balance b --json j"));
  const std::string printed =
      axelram.output("fold " + kTinyLlama + " --balance b -o folded --json fold.json");
  CHECK(contains(printed, "directory      folded\n"));
  const Json json = axelram.json("fold.json");
  CHECK(json["changed"] == 4);
  CHECK(json["logit_change"].get<double>() < 1e-5);
  CHECK(axelram.json("folded/fold.json")["axelram_fold"] == 1);
  std::string again = kCalibrate + "-o s2 --balance b2 --json j2";
  again.replace(again.find(kTinyLlama), kTinyLlama.size(), "folded");
  REQUIRE(axelram(again));
  for (const float lambda : files::read_balance(axelram.at("b2")).lambdas)
    CHECK_AT(lambda, lambda == doctest::Approx(1).epsilon(1e-2));
  const Json before = axelram.json("j")["heads"], after = axelram.json("j2")["heads"];
  for (std::size_t pair = 0; pair < 4; ++pair) {
    CASE(pair);
    CHECK(before[pair]["balance_won"].get<double>() < 0.999);
    CHECK(after[pair]["balance_won"].get<double>() > 0.999);
  }
  // A folder of its own is replaced with --force, no other.
  CHECK(axelram("fold " + kTinyLlama + " --balance b -o folded").code == 2);
  CHECK(axelram("fold " + kTinyLlama + " --balance b -o folded --force"));
  REQUIRE(axelram("stress " + kTinyLlama + " -o stressed --pairs 2"));
  failed(axelram("fold " + kTinyLlama + " --balance b -o stressed --force"), 2,
         "which fold did not write");
  CHECK(axelram("fold " + kTinyLlama + " --balance s -o new").code == 2);
  CHECK(axelram("fold " + kTinyGguf + " --balance b -o new").code == 2);
  CHECK(axelram("fold " + kTinyLlama + " --balance b -o b").code == 2);
  CHECK(!axelram.has("new"));
}

TEST_CASE("perplexity --scores: the figures that calibrate prints for the same macro and text") {
  const TempDir axelram;
  axelram.put("unbiased.yaml", "macro: {head_dim: 32}\nquantizer: {scale: unbiased}\n");
  REQUIRE(axelram(kCalibrate + "-o s --center c --feedback f --config unbiased.yaml --json j"));
  axelram.put(
      "chosen.yaml",
      "macro: {head_dim: 32}\nquantizer: {scale: unbiased}\nrotation: {signs: s, center: c}\n");
  const std::string run = kTinyRun + "--no-noise --scores --json k --force --cache ";
  const std::string cache = "axelram:config=chosen.yaml,encoder=feedback:f";
  for (const std::string more : {"", " --engine golden", " --threads 1"}) {
    CASE(more);
    const std::string printed =
        axelram.output(run + quoted("keys=" + cache + ";values=fp16") + more);
    CHECK(contains(printed, "\nscores of keys=" + cache));
    const Json calibrated = axelram.json("j")["heads"], measured = axelram.json("k")["heads"];
    REQUIRE(measured.size() == 4);
    for (std::size_t pair = 0; pair < 4; ++pair)
      for (const char* const figure :
           {"layer", "head", "score_slope", "score_error", "weighted_score_error", "divergence"}) {
        CASE(pair, figure);
        CHECK(measured[pair][figure].get<double>() ==
              doctest::Approx(calibrated[pair][figure].get<double>()).epsilon(1e-9));
      }
  }
  // Two caches, a table each; FP16 keys have no errors to speak of.
  const std::string two = axelram.output(run + "fp16 --cache int4");
  CHECK(contains(two, "\nscores of fp16,"));
  CHECK(contains(two, "\nscores of int4,"));
  const Json caches = axelram.json("k")["caches"];
  for (std::size_t pair = 0; pair < 4; ++pair) {
    CASE(pair);
    CHECK(caches[0]["heads"][pair]["score_error"].get<double>() <
          0.1 * caches[1]["heads"][pair]["score_error"].get<double>());
    CHECK(caches[0]["heads"][pair]["score_slope"].get<double>() ==
          doctest::Approx(1).epsilon(1e-3));
  }
  failed(axelram(run + "fp16 --engine rtl"), 2,
         "--scores: --engine rtl has none; use --engine golden or fast");
  REQUIRE(axelram(kTinyRun + "--no-noise --json l --cache fp16"));
  CHECK(axelram.json("l")["heads"].is_null());
}
