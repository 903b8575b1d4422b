#include <cmath>

#include "axelram/files/safetensors.hpp"
#include "cli/perplexity_run.hpp"

using namespace axelram;
using namespace test;

TEST_CASE("perplexity: several caches in one run") {
  const TempDir axelram;
  axelram.put_text();
  const std::string more = "--window 64 --stride 40 --tokens 300 ";
  const std::string faults = "--cache int4:ber=0.01 ",
                    macro = "--cache axelram:config=paper-d128-b3 ";
  const std::string both =
      axelram.output(kTextRun + faults + macro + more + "--seeds 3,4 --json both.json");
  CHECK(contains(both, "2 caches, means of 2 seeds"));
  const auto all = axelram.json("both.json")["caches"];
  REQUIRE(all.size() == 2);
  REQUIRE(axelram(kTextRun + faults + more + "--seeds 3,4 --json one.json"));
  REQUIRE(axelram(kTextRun + macro + more + "--seeds 4 --json two.json --no-noise"));
  CHECK(all[0] == axelram.json("one.json"));
  const auto two = axelram.json("two.json");
  CHECK(two["noise"].is_null());
  CHECK(all[1]["per_seed"][1]["nll"] == two["per_seed"][0]["nll"]);
  CHECK(all[1]["cache_bytes_per_token"] == two["cache_bytes_per_token"]);
  CHECK(all[1]["cache_bytes_per_token"] != all[0]["cache_bytes_per_token"]);
  // The means over windows, weighted by their predictions, are the whole.
  double kl = 0, tokens = 0;
  for (const auto& window : two["per_seed"][0]["windows"]) {
    kl += window["kl"].get<double>() * window["tokens"].get<double>();
    tokens += window["tokens"].get<double>();
  }
  CHECK(tokens == 299);
  CHECK(kl / tokens == doctest::Approx(two["kl"].get<double>()).epsilon(1e-12));
  for (const std::string file : {"--nll x.safetensors", "--plot x.svg"}) {
    CASE(file);
    failed(axelram(kTextRun + faults + macro + more + file), 2, "name one --cache with them");
  }
}

TEST_CASE("perplexity: exact tokens, with the bytes of a sequence") {
  const TempDir axelram;
  const std::string macro =
      "macro: {head_dim: 32, index_bits: 3}\nnumerics: {query_bits: 16}\n"
      "quantizer: {scale: unbiased}\n";
  axelram.put("records.yaml", macro);
  axelram.put("few.yaml", macro + "exact: {first: 1, last: 2, bits: 12}\n");
  axelram.put("all.yaml", macro + "exact: {first: 4, last: 20}\n");
  const std::string run =
      "--cache axelram:config=records.yaml --cache 'keys=axelram:config=few.yaml;values=fp16' "
      "--cache axelram:config=all.yaml --json ";
  for (const std::string engine : {"golden", "fast"}) {
    CASE(engine);
    const std::string printed =
        axelram.output(kTinyRun + run + engine + ".json --engine " + engine);
    CHECK(contains(printed, "bytes/token  bytes/sequence\n"));
  }
  const auto all = axelram.json("fast.json")["caches"],
             golden = axelram.json("golden.json")["caches"];
  // 2 layers, 2 KV heads of 32, texts of 24 tokens.
  const double bytes[] = {0, 4 * 3 * (32 * 12 / 8 + 2), 4 * 24 * (32 * 2 + 2 + 32 * 2)};
  for (std::size_t c = 0; c < 3; ++c) {
    CASE(c);
    CHECK(all[c]["cache_bytes_per_sequence"] == bytes[c]);
    CHECK(all[c]["cache_bytes_per_token"] == 4 * (14 + (c == 1 ? 64 : 14)));
    CHECK(all[c]["baseline"]["cache_bytes_per_sequence"] == 0);
    CHECK(all[c]["nll"] == golden[c]["nll"]);
  }
  const auto kl = [&](std::size_t c) { return all[c]["kl"].get<double>(); };
  CHECK(kl(1) < kl(0));
  CHECK(kl(2) > 0);
  CHECK(kl(2) < 1e-3 * kl(0));  // every token is exact: keys and values are FP16 but for roundings

  const ProcessResult one = axelram(kTinyRun + "--cache axelram:config=few.yaml");
  CHECK(contains(one.out, "bytes/token  bytes/sequence\n"));
  const std::string none = axelram.output(kTinyRun + "--cache axelram:config=records.yaml");
  CHECK_FALSE(contains(none, "bytes/sequence"));
}

TEST_CASE("perplexity: windows that are texts of their own") {
  const TempDir axelram;
  axelram.put_text();
  const std::string bytes = axelram.content("text.txt").substr(0, 320);
  std::vector<std::int32_t> ids;
  for (const char byte : bytes) ids.push_back(static_cast<unsigned char>(byte));
  files::write_safetensors(axelram.at("rows.safetensors"),
                           {files::view("tokens", files::DataType::i32, {5, 64}, ids)}, {}, true);
  const std::string more = "--cache int4 --no-noise ";
  REQUIRE(axelram(kTextRun + more + "--separate --window 64 --tokens 350 --nll a --json a.json"));
  REQUIRE(axelram("perplexity " + kByteLlama + " rows.safetensors " + more + "--nll b"));
  CHECK(nll_of(axelram, "a").size() == 5 * 63);
  CHECK_SAME(nll_of(axelram, "a"), nll_of(axelram, "b"));
  const auto json = axelram.json("a.json");
  CHECK(json["stride"] == 64);
  CHECK(json["bits_per_byte"].get<double>() ==
        doctest::Approx(json["nll"].get<double>() / std::log(2.0)));
}
