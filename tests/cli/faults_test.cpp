#include <algorithm>
#include <cmath>
#include <filesystem>

#include "axelram/run/gaussian_trace.hpp"
#include "needs.hpp"
#include "program.hpp"

namespace {

using namespace test;

const std::string kCampaign = "faults small.yaml trace.safetensors ";

TEST_CASE("faults: a campaign with its table, JSON and plot") {
  const TempDir axelram;
  const ProcessResult done =
      axelram(kCampaign +
              "--ber 1e-3,1e-2 --code none,hamming84 --erasure keep,interpolate --trials 20 "
              "--score-trials 5 --json f.json --plot f.svg --dump cases --details");
  CHECK(done);
  CHECK(done.err.empty());  // no terminal, no progress
  for (const char* part : {"miscorrected", "word_failure", "score_rms_median", "closed form",
                           "family-wise level 0.001): holds", "dumped: cases/hamming84-0.01-"})
    CHECK_AT(part, contains(done.out, part));

  const Json list = axelram.json("f.json");
  REQUIRE(list.size() == 6);
  for (const Json& point : list) {
    CASE(point);
    for (const char* key :
         {"code", "erasure", "p", "codewords", "injected", "corrected", "parity_only", "detected",
          "miscorrected", "expected", "low", "high", "holds", "seed", "model", "statistics"})
      CHECK_AT(key, point.contains(key));
    CHECK(point["holds"] == true);
    const std::uint64_t words =
        point["clean"].get<std::uint64_t>() + point["corrected"].get<std::uint64_t>() +
        point["parity_only"].get<std::uint64_t>() + point["detected"].get<std::uint64_t>() +
        point["miscorrected"].get<std::uint64_t>();
    CHECK(words == point["codewords"]);
  }
  CHECK(list[0]["code"] == "none");
  CHECK(list[5]["erasure"] == "interpolate");
  CHECK(list[5]["p"] == 0.01);
  CHECK(list[5]["codewords"] == 20 * 40 * 28);
  const Json& statistic = list[5]["statistics"][0];
  for (const char* key :
       {"name", "events", "of", "rate", "low", "high", "expected", "p_value", "method", "holds"})
    CHECK_AT(key, statistic.contains(key));
  const std::string drawn = axelram.content("f.svg");
  CHECK(contains(drawn, "<svg"));
  CHECK_FALSE(contains(drawn, "nan"));

  const std::string replay =
      axelram.output(kCampaign + "--replay cases/hamming84-0.01-score-keep.safetensors");
  for (const char* part : {"flipped bits", "status", "index ", "largest: query",
                           "draws the same "
                           "faults: holds",
                           "as dumped: holds"})
    CHECK_AT(part, contains(replay, part));

  std::string altered = axelram.content("cases/hamming84-0.01-score-keep.safetensors");
  altered.back() = static_cast<char>(altered.back() ^ 1);
  axelram.put("altered", altered);
  const ProcessResult other = axelram(kCampaign + "--replay altered");
  CHECK(other.code == 1);
  CHECK(contains(other.out, "as dumped: DOES NOT HOLD"));
}

TEST_CASE("faults: a campaign with exact tokens says what it measures") {
  const TempDir axelram;
  axelram.put("exact.yaml",
              "macro: {head_dim: 32, index_bits: 3, max_keys: 64}\nquantizer: {scale: unbiased}\n"
              "exact: {first: 1, last: 39}\n");
  const std::string more = " trace.safetensors --ber 1e-2 --code hamming84 --trials 20 --json ";
  for (const std::string engine : {"golden", "fast"}) {
    CASE(engine);
    const std::string printed =
        axelram.output("faults exact.yaml" + more + engine + " --engine " + engine);
    CHECK(contains(printed,
                   "exact tokens: scores of the first 1 and of the newest 39 keys are those of "
                   "copies, which no fault hits"));
  }
  const ProcessResult plain = axelram("faults small.yaml" + more + "plain");
  CHECK_FALSE(contains(plain.out, "exact tokens"));
  // All 40 keys are exact: records go wrong, and no score.
  const auto one = axelram.json("fast")[0], other = axelram.json("plain")[0];
  CHECK(one["injected"] == other["injected"]);
  CHECK(one["detected"] == other["detected"]);
  CHECK(one["injected"].get<int>() > 0);
  for (const auto& [point, right] : {std::pair{one, true}, std::pair{other, false}})
    for (const auto& statistic : point["statistics"]) {
      CASE(point, right, statistic);
      if (statistic["name"] == "score_max") CHECK((statistic["rate"] == 0) == right);
    }
}

TEST_CASE("faults: a plot as data") {
  const TempDir axelram;
  REQUIRE(axelram(kCampaign +
                  "--ber 0,1e-3,1e-2 --code none,hamming84 --erasure keep,zero --trials 20 "
                  "--score-trials 0 --json f.json --plot plot.json"));
  const Json list = axelram.json("f.json"), plot = axelram.json("plot.json");
  CHECK(plot["x"] == Json{{"label", "bit error rate"}, {"scale", "log"}});
  CHECK(plot["y"] == Json{{"label", "word failure rate"}, {"scale", "log"}});
  CHECK(contains(plot["title"], "Word failures"));
  REQUIRE(plot["series"].size() == 2);
  for (const Json& series : plot["series"]) {
    CASE(series);
    REQUIRE(series["line"].size() == 61);
    CHECK(series["line"][0][0] == 5e-4);
    CHECK(series["line"][60][0].get<double>() == doctest::Approx(0.02));
    REQUIRE(series["points"].size() == 2);  // none at rate 0, one for both policies
    for (const Json& point : series["points"]) {
      CASE(point, series["name"]);
      const auto measured = std::find_if(list.begin(), list.end(), [&](const Json& one) {
        return one["code"] == series["name"] && one["p"] == point["x"];
      });
      REQUIRE_DIFFERENT(measured, list.end());
      CHECK(point["low"] == (*measured)["low"]);
      CHECK(point["high"] == (*measured)["high"]);
      for (const Json& s : (*measured)["statistics"]) {
        CASE(s);
        if (s["name"] == "word_failure") CHECK(point["y"] == s["rate"]);
      }
    }
  }
  CHECK(plot["series"][0]["name"] == "none");
  // The line of a byte without a code: 1 - (1 - p)^8.
  for (const Json& place : plot["series"][0]["line"])
    CHECK_AT(place, place[1].get<double>() ==
                        doctest::Approx(1 - std::pow(1 - place[0].get<double>(), 8)).epsilon(1e-9));
}

TEST_CASE("faults: a plot that cannot be drawn is reported before the work") {
  const TempDir axelram;
  const std::string run = kCampaign + "--ber 0.05 --trials 100000000 --plot ";
  failed(axelram(run + "plot.txt", "timeout 30"), 2,
         "plot.txt: a plot ends in .svg, .png, .pdf or .json");
  // A python3 that has no matplotlib, as the first one on the PATH.
  axelram.put_tool("python3", kNoMatplotlib);
  failed(axelram(run + "plot.svg", kOwnTools + " timeout 30"), 3,
         "plots need matplotlib; run x, or give a file that ends in .json");
}

const std::string kCoded = kCampaign +
                           "--ber 0.01 --code hamming84,golay24 --erasure keep,interpolate "
                           "--trials 150 --json ";

TEST_CASE("faults: the same bytes for any number of threads") {
  const TempDir axelram;
  const std::string& run = kCoded;
  CHECK(axelram(run + "one.json --threads 1"));
  CHECK(axelram(run + "two.json --threads 2"));
  const std::string bytes = axelram.content("one.json");
  CHECK(bytes.size() > 1000);
  CHECK_SAME(axelram.content("two.json"), bytes);
}

TEST_CASE("faults: the same bytes for any number of ranks" * needs_mpi) {
  const TempDir axelram;
  const std::string& run = kCoded;
  REQUIRE(axelram(run + "one.json --threads 1"));
  const std::string bytes = axelram.content("one.json");
  for (const std::string ranks : {"1", "2", "3"}) {
    const std::string mpi = "mpirun --allow-run-as-root --oversubscribe -n " + ranks;
    // MPI's libraries keep what they allocate.
    CASE(ranks);
    const std::string printed =
        axelram.output(run + ranks + ".json --threads 1", "ASAN_OPTIONS=detect_leaks=0 " + mpi);
    CHECK_SAME(axelram.content(ranks + ".json"), bytes);
    CHECK(printed.find("configuration") == printed.rfind("configuration"));
  }
  // Bad input is told once.
  const ProcessResult bad = axelram("faults none.yaml trace.safetensors --ber 0.1",
                                    "mpirun --allow-run-as-root --oversubscribe -n 2");
  CHECK(bad.err.find("axelram: none.yaml") == bad.err.rfind("axelram: none.yaml"));
  CHECK(contains(bad.err, "none.yaml: no such file"));
}

TEST_CASE("faults: the configuration's code and policy are the default") {
  const TempDir axelram;
  axelram.put("coded.yaml",
              "macro: {head_dim: 32, max_keys: 64}\necc: {code: golay24, erasure: zero}\n");
  CHECK(axelram("faults coded.yaml trace.safetensors --ber 0.01 --trials 3 --json f.json"));
  const Json list = axelram.json("f.json");
  REQUIRE(list.size() == 1);
  CHECK(list[0]["code"] == "golay24");
  CHECK(list[0]["erasure"] == "zero");
}

TEST_CASE("faults: bursts, stuck cells and single flips") {
  const TempDir axelram;
  const std::string more = " --code hamming84 --json f.json --force";
  CHECK(
      axelram(kCampaign + "--burst 1:0.6,2:0.4 --upset-rate 0.5 --interleave --plot f.svg" + more));
  CHECK(axelram.json("f.json")[0]["model"]["widths"] == "1:0.6,2:0.4");
  CHECK(axelram(kCampaign + "--stuck 0.01" + more));
  CHECK(axelram(kCampaign + "--single-flips" + more));
  const Json flips = axelram.json("f.json")[0];
  CHECK(flips["trials"] == 28 * 8);
  CHECK(flips["corrected"] == 40 * 28 * 7);
  CHECK(flips["p"].is_null());
}

TEST_CASE("faults: a folder that cannot be written loses no campaign") {
  const TempDir axelram;
  // Told before the work, which would take hours.
  failed(axelram(kCampaign + "--ber 0.05 --trials 100000000 --dump small.yaml/cases", "timeout 30"),
         2, "small.yaml/cases: Not a directory");
  // What goes wrong only afterwards leaves JSON and plot.
  std::filesystem::create_directories(
      axelram.at("cases/hamming84-0.05-miscorrection.safetensors/x"));
  const ProcessResult late =
      axelram(kCampaign +
              "--ber 0.05 --code hamming84 --trials 5 --dump cases --force --json f.json --plot "
              "f.svg");
  CHECK(late.code != 0);
  CHECK(axelram.json("f.json").size() == 1);
  CHECK(axelram.has("f.svg"));
}

TEST_CASE("faults: a bar on a terminal" * needs_script) {
  const TempDir axelram;
  axelram.put("terminal", "exec script -qec \"$*\" /dev/null\n");
  const std::string printed =
      axelram.output(kCampaign + "--ber 0.01 --code hamming84 --trials 128", "sh ./terminal");
  const std::string half = std::string(15, '#') + std::string(15, '.');
  CHECK(contains(printed, "faults hamming84 at 0.01 [" + half + "] 64 of 128 trials"));
  CHECK(contains(printed, "[" + std::string(30, '#') + "] 128 of 128 trials"));
}

TEST_CASE("faults: nothing to score, few scores and few trials") {
  const TempDir axelram;
  CHECK(axelram(kCampaign + "--ber 0.05 --code hamming84 --score-trials 1 --json f.json"));
  const Json list = axelram.json("f.json");
  for (const Json& s : list[0]["statistics"])
    CHECK_AT(s, s["low"].is_null() == (s["name"].get<std::string>().substr(0, 5) == "score"));
  axelram::files::Trace silent = TempDir::trace();
  silent.queries.clear();
  axelram::files::write_trace(axelram.at("silent.safetensors"), silent, false);
  const std::string printed =
      axelram.output("faults small.yaml silent.safetensors --ber 0.05 --json s.json --dump cases");
  CHECK(axelram.json("s.json")[0]["scored_trials"] == 0);
  CHECK_FALSE(contains(printed, "score-"));
}

TEST_CASE("faults: indices of a trellis are never repaired") {
  const TempDir axelram;
  axelram.put("trellis.yaml", "macro: {head_dim: 32, max_keys: 64}\nquantizer: {kind: trellis}\n");
  const std::string run =
      "faults trellis.yaml trace.safetensors --ber 1e-2 --code hamming84 --trials 8";
  CHECK(axelram(run));
  failed(axelram(run + " --erasure keep,zero"), 2,
         "--erasure zero: several levels depend on an index of a trellis");
}

TEST_CASE("faults: what is done with erasures may be told where one code has them") {
  const TempDir axelram;
  axelram.put("repaired.yaml",
              "macro: {head_dim: 32, max_keys: 64}\necc: {code: hamming84, erasure: zero}\n");
  for (const std::string arguments :
       {"small.yaml trace.safetensors --code none,hamming74,hamming84 --erasure keep,zero",
        "small.yaml trace.safetensors --code none,hamming74 --erasure keep",
        "repaired.yaml trace.safetensors --code none", "repaired.yaml trace.safetensors"})
    CHECK_AT(arguments, axelram("faults --ber 0.05 --trials 8 " + arguments));
}

TEST_CASE("faults: bad usage and bad input are told in one line") {
  const TempDir axelram;
  axelram::Parameters wide;
  axelram::files::write_trace(axelram.at("wide.safetensors"),
                              axelram::run::gaussian_trace(wide, 2, 2, 1), false);
  axelram::Parameters small{.head_dim = 32};
  axelram::files::write_trace(axelram.at("one.safetensors"),
                              axelram::run::gaussian_trace(small, 1, 1, 1), false);
  axelram.put("deep.yaml", "macro: {head_dim: 32}\nrotation: {layer: 70000}\n");
  CHECK(axelram(kCampaign + "--ber 0.05 --trials 2 --dump cases"));
  const std::vector<std::pair<std::string, std::string>> cases = {
      {kCampaign, "none named; give one of --ber, --burst, --stuck and --single-flips"},
      {kCampaign + "--ber 0.1 --stuck 0.1", "several named"},
      {kCampaign + "--ber 1e-4,", "--ber: '' in '1e-4,'; give probabilities"},
      {kCampaign + "--ber 1e-4,x", "--ber: 'x'"},
      {kCampaign + "--ber 1.5", "--ber: '1.5'"},
      {kCampaign + "--ber -0.1", "--ber: '-0.1'"},
      {kCampaign + "--ber nan", "--ber: 'nan'"},
      {kCampaign + "--ber 0.1,0.1", "twice"},
      {kCampaign + "--ber 1e-3,0.01,0.001", "'0.001' twice in"},
      {kCampaign + "--ber 1e-2,1e-10",
       "--ber: '1e-10' in '1e-2,1e-10'; the generator draws in steps"},
      {kCampaign + "--stuck 2.3e-10", "--stuck: '2.3e-10'"},
      {kCampaign + "--burst 1:1e308,2:1e308 --upset-rate 0.1", "weights above 0 and up to 1e9"},
      {kCampaign + "--ber 0.1 --code hamming75", "--code: 'hamming75'"},
      {kCampaign + "--ber 0.1 --code hsiao_100_90", "K must lie in 1..64"},
      {kCampaign + "--ber 0.1 --erasure forget", "give keep, zero or interpolate"},
      {kCampaign + "--ber 0.1 --erasure zero",
       "--erasure zero: no code here detects errors (none); give --code hamming84 or another"},
      {kCampaign + "--ber 0.1 --code hamming74 --erasure keep,interpolate",
       "--erasure interpolate: no code here detects errors (hamming74); give --code hamming84"},
      {kCampaign + "--ber 0.1 --code none,hamming74 --erasure zero",
       "--erasure zero: no code here detects errors (none or hamming74); give"},
      {kCampaign + "--burst 1:1", "requires --upset-rate"},
      {kCampaign + "--burst 40:1 --upset-rate 0.1", "--burst: '40:1'"},
      {kCampaign + "--ber 0.1 --trials 0", "--trials: '0'"},
      {kCampaign + "--ber 0.1 --trials 5 --codewords 5", "--codewords"},
      {"faults small.yaml one.safetensors --ber 0.1 --code golay24 --codewords 1000000000000",
       "of golay24; this trace gives at most 42949672960, in 2^32 trials"},
      {kCampaign + "--ber 0.1 --json small.yaml", "small.yaml: is also an input"},
      {kCampaign + "--ber 0.1 --replay x", "name none"},
      {kCampaign + "--replay none", "none: no such file"},
      {kCampaign + "--replay trace.safetensors", "trace.safetensors"},
      {"faults small.yaml wide.safetensors --ber 0.1", "tensor keys: shape is [2, 128]"},
      {"faults deep.yaml trace.safetensors --ber 0.1", "rotation.layer is 70000"},
      {kCampaign + "--ber 0.05 --trials 2 --dump cases", "cases: is not empty"},
  };
  for (const auto& [arguments, part] : cases) {
    CASE(arguments);
    axelram.rejected(arguments, part);
  }
}

}  // namespace
