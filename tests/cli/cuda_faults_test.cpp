
#include "program.hpp"

namespace {

using namespace test;

TEST_CASE("cuda: a campaign is that of golden, and every scored trial agrees") {
  const TempDir axelram;
  const std::string run =
      "faults small.yaml trace.safetensors --ber 1e-3,3e-2 "
      "--code none,hamming74,hamming84,golay24,hsiao_22_16 --erasure keep,zero,interpolate "
      "--trials 8 --score-trials 8 --threads 2 --json ";
  REQUIRE(axelram(run + "golden.json --engine golden"));
  REQUIRE(axelram(run + "fast.json"));
  const ProcessResult cuda = axelram.emulated(run + "cuda.json --engine cuda");
  CHECK(cuda.err.empty());
  REQUIRE(cuda);
  const Json golden = axelram.json("golden.json");
  Json points = axelram.json("cuda.json");
  Json fast = axelram.json("fast.json");
  REQUIRE(points.size() == golden.size());
  REQUIRE(fast.size() == golden.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    CASE(i);
    CHECK(points[i]["engine_differed"] == 0);
    CHECK(points[i]["engine"] == "cuda");
    points[i]["engine"] = "golden";
    CHECK(points[i] == golden[i]);
    CHECK(fast[i]["engine"] == "fast");
    fast[i]["engine"] = "golden";
    CHECK(fast[i] == golden[i]);
  }
}

TEST_CASE("cuda: a campaign with a trellis, or with exact tokens, is that of golden") {
  for (const std::string quantizer :
       {"{kind: trellis, states: 4}", "{kind: trellis, scale: unbiased}",
        "{kind: trellis, states: 16}", "{scale: unbiased}\nexact: {first: 2, last: 3}",
        "{kind: trellis, scale: unbiased}\nexact: {last: 64, bits: 12}"}) {
    CASE(quantizer);
    const TempDir axelram;
    axelram.put("macro.yaml", "macro: {head_dim: 32, index_bits: 4, max_keys: 64}\nquantizer: " +
                                  quantizer + "\n");
    const std::string run =
        "faults macro.yaml trace.safetensors --ber 1e-3,3e-2 --code none,hamming84,golay24 "
        "--erasure keep --trials 8 --score-trials 8 --json ";
    REQUIRE(axelram(run + "golden.json --engine golden"));
    const ProcessResult cuda = axelram.emulated(run + "cuda.json --engine cuda");
    CHECK(cuda.err.empty());
    REQUIRE(cuda);
    const Json golden = axelram.json("golden.json");
    Json points = axelram.json("cuda.json");
    REQUIRE(points.size() == golden.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      CASE(i);
      CHECK(points[i]["engine_differed"] == 0);
      points[i]["engine"] = "golden";
      CHECK(points[i] == golden[i]);
    }
  }
}

TEST_CASE("cuda: the program runs campaigns where there is a GPU, and says why not") {
  const TempDir axelram;
  const std::string run =
      "faults small.yaml trace.safetensors --ber 3e-2 --code hamming84 --trials 8 "
      "--score-trials 8 --json ";
  const ProcessResult done = axelram(run + "cuda.json --engine cuda");
  if (done.code == 0) {
    REQUIRE(axelram(run + "golden.json --engine golden"));
    Json cuda = axelram.json("cuda.json");
    REQUIRE(cuda.size() == 1);
    CHECK(cuda[0]["engine_differed"] == 0);
    CHECK(cuda[0]["engine"] == "cuda");
    cuda[0]["engine"] = "golden";
    CHECK(cuda == axelram.json("golden.json"));
  } else {
    CHECK(done.code == 3);
    CHECK(contains(done.err, "axelram: --engine cuda: "));
    CHECK(contains(done.err, "use another engine"));
    CHECK_FALSE(axelram.has("cuda.json"));
  }
}

}  // namespace
