#include "perplexity_noise.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "axelram/simd.hpp"
#include "check.hpp"

using namespace axelram;
using namespace axelram::commands;

namespace {

PerplexityResult result_of(std::vector<double> nll, double baseline) {
  PerplexityResult result;
  result.baseline.nll = {baseline};
  result.baseline_cache = "fp16";
  for (const double value : nll) {
    PerplexityRun run;
    run.seed = result.runs.size() + 1;
    run.scores.nll = {value};
    result.runs.push_back(run);
  }
  return result;
}

TEST_CASE("noise: blocks of predictions are independent draws, scaled to all of them") {
  // Four blocks, each with the sum 32: mean square of a sum 1024, 128 of 512 predictions.
  const std::vector<std::vector<double>> ones(1, std::vector<double>(4 * kNoiseBlock, 1.0));
  const double t = 2.776445;  // Student's, 97.5 %, four degrees of freedom
  CHECK(noise_of_mean(ones, 512) ==
        doctest::Approx(t * std::sqrt(16 * 1024.0) / 512).epsilon(1e-6));
  // A block ends with its run.
  const std::vector<std::vector<double>> runs(4, std::vector<double>(kNoiseBlock, 1.0));
  CHECK(noise_of_mean(runs, 512) == noise_of_mean(ones, 512));
  const std::vector<std::vector<double>> halves(8, std::vector<double>(kNoiseBlock / 2, 1.0));
  const double t8 = 2.306004;  // eight degrees of freedom
  CHECK(noise_of_mean(halves, 512) ==
        doctest::Approx(t8 * std::sqrt(8 * 256.0 / (128 * 512))).epsilon(1e-6));
  CHECK(noise_of_mean(std::vector<std::vector<double>>(1, std::vector<double>(255, 0.0)), 4095) ==
        0);
  CHECK(noise_of_mean({}, 10) == 0);
}

TEST_CASE("noise: covers the change of the mean in 95 % of all cases") {
  std::mt19937 random(1);
  std::normal_distribution<double> normal(0, 0.01);
  int covered = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> changes(2048);
    double sum = 0;
    for (double& change : changes) sum += change = normal(random);
    const std::vector<std::vector<double>> first = {{changes.begin(), changes.begin() + 255}};
    const double noise = noise_of_mean(first, changes.size());
    covered += std::abs(sum / static_cast<double>(changes.size())) <= noise ? 1 : 0;
  }
  CHECK(covered > kTrials * 0.93);
  CHECK(covered < kTrials * 0.985);
}

TEST_CASE("noise: a delta that is not larger is no finding") {
  PerplexityResult result = result_of({1.2, 1.01, 1.0}, 1.0);
  result.noise = DeltaNoise{"avx2", "portable", 255, 0.02};
  CHECK(delta_noise_of(result, result.runs[0]) == doctest::Approx(0.02 * std::exp(1.2)));
  const auto json = nlohmann::json::parse(to_json({result}));
  CHECK(json["per_seed"][0]["finding"] == true);
  CHECK(json["per_seed"][1]["finding"] == false);
  CHECK(json["per_seed"][2]["finding"] == false);
  CHECK(json["noise"]["compared_with"] == "portable");
  // The changes of three runs are independent.
  CHECK(json["delta_noise"].get<double>() ==
        doctest::Approx(0.02 * (std::exp(1.2) + std::exp(1.01) + std::exp(1.0)) / 3 /
                        std::sqrt(3.0)));
  CHECK(json["finding"] == true);

  result.noise.reset();
  const auto unknown = nlohmann::json::parse(to_json({result}));
  for (const char* key : {"noise", "delta_noise", "finding"}) CHECK_AT(key, unknown[key].is_null());
  CHECK(unknown["per_seed"][0]["finding"].is_null());
}

TEST_CASE("noise: one of 16 windows, two at least, at another level of this CPU") {
  CHECK(noise_windows(1) == 1);
  CHECK(noise_windows(2) == 2);
  CHECK(noise_windows(32) == 2);
  CHECK(noise_windows(64) == 4);
  CHECK(noise_windows(4000) == 8);
  const auto other = other_level();
  CHECK(other.has_value() == (best_simd_level() != SimdLevel::portable));
  if (other) CHECK(*other != simd_level());
}

}  // namespace
