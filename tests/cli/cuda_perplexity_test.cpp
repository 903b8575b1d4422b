
#include "axelram/kernels/device.hpp"
#include "program.hpp"

namespace {

using namespace test;

const std::string kRecords = "--cache axelram:config=" AXELRAM_SOURCE "/configs/d32-b3.yaml ";

/// Sums are rounded differently, and a key beside a boundary may take the other index.
void check_near(const Json& device, const Json& host) {
  const auto near = [](const Json& a, const Json& b, double relative) {
    CHECK(a["perplexity"].get<double>() ==
          doctest::Approx(b["perplexity"].get<double>()).epsilon(relative));
  };
  near(device, host, 5e-3);
  near(device["baseline"], host["baseline"], 1e-3);
}

}  // namespace

TEST_CASE("perplexity on a device: the figures of the CPU, the device named") {
  const TempDir axelram;
  REQUIRE(axelram(kTinyRun + kRecords + "--json cpu.json"));
  const ProcessResult cuda = axelram.emulated(
      kTinyRun + kRecords + "--device cuda --json cuda.json --nll nll.safetensors");
  REQUIRE(axelram.emulated(kTinyRun + kRecords + "--engine cuda --json same.json"));
  CHECK_SAME(axelram.content("same.json"), axelram.content("cuda.json"));
  CHECK(cuda.err == "");
  REQUIRE(cuda);
  CHECK(axelram.has("nll.safetensors"));
  const Json a = axelram.json("cpu.json");
  const Json b = axelram.json("cuda.json");
  CHECK(a["device"] == "cpu");
  CHECK(a["device_name"].is_null());
  CHECK(b["device"] == "cuda");
  CHECK(b["device_name"] == axelram::kernels::device_info().name);
  CHECK(b["engine"] == "cuda");
  CHECK(contains(cuda.out, "engine cuda, " + axelram::kernels::device_info().name));
  for (const char* const key : {"tokens", "cache_bytes_per_token", "cache", "window", "stride"})
    CHECK_AT(key, a[key] == b[key]);
  CHECK(a["per_seed"][0]["keys"] == b["per_seed"][0]["keys"]);
  check_near(b, a);
}

TEST_CASE("perplexity on a device: exact tokens") {
  const TempDir axelram;
  axelram.put("exact.yaml",
              "macro: {head_dim: 32}\nquantizer: {scale: unbiased}\nexact: {first: 1, last: 4}\n");
  const std::string run = kTinyRun + "--cache axelram:config=exact.yaml --json ";
  REQUIRE(axelram(run + "cpu.json"));
  REQUIRE(axelram.emulated(run + "cuda.json --engine cuda"));
  const Json device = axelram.json("cuda.json"), host = axelram.json("cpu.json");
  CHECK(device["cache_bytes_per_token"] == host["cache_bytes_per_token"]);
  check_near(device, host);
}

TEST_CASE("perplexity on a device: what it does not take") {
  const TempDir axelram;
  const auto rejected = [&](const std::string& arguments, const std::string& why) {
    failed(axelram.emulated(kTinyRun + arguments), 2, why);
  };
  rejected("--cache int4 --device cuda", "no kernel reads the cache int4");
  axelram.put("d32.yaml", "macro: {head_dim: 32}\n");
  rejected("--cache axelram:config=d32.yaml,centers=none --device cuda",
           "--engine cuda has no centers; use --engine fast");
  rejected("--cache fp16 --baseline f32 --device cuda", "no kernel reads the cache f32");
  const std::string gemma = AXELRAM_SOURCE "/tests/model/transformer/reference/gemma3-d256";
  const auto sliding = axelram.emulated("perplexity " + gemma + " " + gemma +
                                        "/expected.safetensors --cache fp16 --engine cuda");
  CHECK(sliding.code == 2);
  CHECK(
      contains(sliding.err, "layer 0 has an attention span of 5 tokens; windows of 24 exceed it"));
  rejected("--cache fp16 --device tpu", "--device: tpu not in {cpu,cuda}");
  rejected(kRecords + "--engine rtl --device cuda", "requires --engine cuda");
}

TEST_CASE("perplexity on a device: the program runs it where there is a GPU, and says why not") {
  const TempDir axelram;
  const ProcessResult cuda = axelram(kTinyRun + kRecords + "--device cuda");
  if (cuda.code == 0) {
    REQUIRE(axelram(kTinyRun + kRecords + "--json cpu.json"));
    REQUIRE(axelram(kTinyRun + kRecords + "--device cuda --json cuda.json"));
    check_near(axelram.json("cuda.json"), axelram.json("cpu.json"));
    return;
  }
  CHECK(cuda.code == 3);
  CHECK(contains(cuda.err, "axelram: --engine cuda: "));
  CHECK(contains(cuda.err, "use another engine"));
}
