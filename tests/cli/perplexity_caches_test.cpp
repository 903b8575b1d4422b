#include <cmath>

#include "axelram/files/safetensors.hpp"
#include "cli/perplexity_run.hpp"

using namespace axelram;
using test::kByteLlama;
using test::kTextRun;
using test::nll_of;
using test::ProcessResult;

TEST_CASE("perplexity: several caches in one run") {
  const test::TempDir axelram;
  axelram.put_text();
  const std::string more = "--window 64 --stride 40 --tokens 300 ";
  const std::string faults = "--cache int4:ber=0.01 ",
                    macro = "--cache axelram:config=paper-d128-b3 ";
  const ProcessResult both =
      axelram(kTextRun + faults + macro + more + "--seeds 3,4 --json both.json");
  CAPTURE(both.err);
  REQUIRE(both.code == 0);
  CHECK(test::contains(both.out, "2 caches, means of 2 seeds"));
  const auto all = axelram.json("both.json")["caches"];
  REQUIRE(all.size() == 2);
  REQUIRE(axelram(kTextRun + faults + more + "--seeds 3,4 --json one.json").code == 0);
  REQUIRE(axelram(kTextRun + macro + more + "--seeds 4 --json two.json --no-noise").code == 0);
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
    const ProcessResult refused = axelram(kTextRun + faults + macro + more + file);
    CHECK(refused.code == 2);
    CHECK(test::contains(refused.err, "name one --cache with them"));
  }
}

TEST_CASE("perplexity: windows that are texts of their own") {
  const test::TempDir axelram;
  axelram.put_text();
  const std::string bytes = test::content(axelram.at("text.txt")).substr(0, 320);
  std::vector<std::int32_t> ids;
  for (const char byte : bytes) ids.push_back(static_cast<unsigned char>(byte));
  files::write_safetensors(axelram.at("rows.safetensors"),
                           {files::view("tokens", files::DataType::i32, {5, 64}, ids)}, {}, true);
  const std::string more = "--cache int4 --no-noise ";
  REQUIRE(
      axelram(kTextRun + more + "--separate --window 64 --tokens 350 --nll a --json a.json").code ==
      0);
  REQUIRE(axelram("perplexity " + kByteLlama + " rows.safetensors " + more + "--nll b").code == 0);
  CHECK(nll_of(axelram, "a").size() == 5 * 63);
  CHECK(nll_of(axelram, "a") == nll_of(axelram, "b"));
  const auto json = axelram.json("a.json");
  CHECK(json["stride"] == 64);
  CHECK(json["bits_per_byte"].get<double>() ==
        doctest::Approx(json["nll"].get<double>() / std::log(2.0)));
}
