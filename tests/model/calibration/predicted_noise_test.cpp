#include "axelram/calibration/predicted_noise.hpp"

#include <cmath>
#include <random>

#include "axelram/codebook.hpp"
#include "check.hpp"
#include "transformer/plain_cache.hpp"

using namespace axelram;

namespace {

constexpr std::size_t kDim = 32, kWindow = 48, kWindows = 3, kHeads = 2, kLayers = 2, kGroup = 3;

/// Keys of every head with errors of their own, and a number that is added to all scores of a
/// query.
class NoisyKeys : public test::PlainKeys {
 public:
  explicit NoisyKeys(std::size_t pair) : test::PlainKeys(kDim), pair_(pair) {}
  void score(const float* queries, std::size_t count, std::size_t first, std::size_t oldest,
             std::size_t stride, float* scores) override {
    test::PlainKeys::score(queries, count, first, oldest, stride, scores);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t t = oldest; t <= first + i; ++t)
        scores[i * stride + t] += error(pair_, t) + 1000 * queries[i * kDim];
  }
  static float error(std::size_t pair, std::size_t token) {
    return static_cast<float>((token * 7 + pair * 3) % 11) * static_cast<float>(pair + 1);
  }

 private:
  std::size_t pair_;
};

class NoisyCache : public test::PlainCache {
 public:
  NoisyCache() : test::PlainCache(kDim) {}
  std::unique_ptr<transformer::KeyCache> keys(int layer, int head) const override {
    return std::make_unique<NoisyKeys>(static_cast<std::size_t>(layer) * kHeads +
                                       static_cast<std::size_t>(head));
  }
};

struct Made {
  Made() {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    keys = {kLayers, kHeads, kWindow * kWindows, kDim, {}};
    keys.values.resize(kLayers * kHeads * keys.rows * kDim);
    for (float& element : keys.values) element = normal(random);
    queries.layers = kLayers;
    queries.heads = kHeads;
    queries.group = kGroup;
    queries.head_dim = kDim;
    queries.attention_scale = 0.25;
    queries.spans = {0, 10};
    for (std::size_t w = 0; w < kWindows; ++w)
      for (std::size_t t = 7; t < kWindow; t += 8)
        queries.places.push_back({w * kWindow + t, w * kWindow});
    queries.values.resize(kLayers * kHeads * queries.places.size() * kGroup * kDim);
    for (float& element : queries.values) element = normal(random) / 10;
  }
  /// The noise of one head over these places, by its definition.
  double expected(std::size_t pair, const std::vector<std::size_t>& places) const {
    double squares = 0, count = 0;
    for (const std::size_t place : places)
      for (std::size_t g = 0; g < kGroup; ++g) {
        const std::size_t token = queries.places[place].row - queries.places[place].first;
        const std::size_t oldest = pair / kHeads == 1 && token >= 10 ? token + 1 - 10 : 0;
        std::vector<double> errors;
        double mean = 0;
        for (std::size_t t = oldest; t <= token; ++t)
          errors.push_back(0.25 * double{NoisyKeys::error(pair, t)});
        for (const double error : errors) mean += error / static_cast<double>(errors.size());
        for (const double error : errors) squares += (error - mean) * (error - mean);
        count += static_cast<double>(errors.size());
      }
    return std::sqrt(squares / count);
  }

  calibration::Keys keys;
  calibration::Queries queries;
};

}  // namespace

TEST_CASE("noise of scores: errors less what is common to a query, of a bounded sample") {
  const Made made;
  const NoisyCache cache;
  // keys, queries, and the places that are scored: windows of 48 keys have 6 places each.
  struct Sample {
    calibration::NoiseSample of;
    std::vector<std::size_t> places;
  };
  const std::vector<Sample> samples = {
      {{256, 64}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}},
      {{kWindow, 64}, {0, 1, 2, 3, 4, 5}},
      {{kWindow + 16, 64}, {0, 1, 2, 3, 4, 5, 6, 7}},
      {{kWindow, 9}, {0, 2, 4}},
      {{16, 1}, {0}},
      {{1, 64}, {0}}};
  for (const Sample& sample : samples)
    for (const std::size_t threads : {std::size_t{1}, std::size_t{3}}) {
      CASE(sample.of.keys, sample.of.queries, threads);
      transformer::Workers workers(threads);
      const std::vector<double> noise =
          calibration::predicted_noise(made.keys, made.queries, cache, sample.of, workers);
      REQUIRE(noise.size() == kLayers * kHeads);
      for (std::size_t pair = 0; pair < noise.size(); ++pair)
        CHECK_AT(pair,
                 noise[pair] == doctest::Approx(made.expected(pair, sample.places)).epsilon(1e-3));
    }
}

TEST_CASE("noise of scores: none of exact keys, and none without queries") {
  Made made;
  transformer::Workers workers(2);
  const test::PlainCache exact(kDim);
  for (const double noise :
       calibration::predicted_noise(made.keys, made.queries, exact, {}, workers))
    CHECK_AT(noise, noise < 1e-6);
  made.queries.places.clear();
  CHECK_SAME(calibration::predicted_noise(made.keys, made.queries, NoisyCache(), {}, workers),
             std::vector<double>(kLayers * kHeads));
}

TEST_CASE("noise of energies: that of errors in random directions") {
  Parameters parameters;
  parameters.head_dim = static_cast<int>(kDim);
  parameters.index_bits = 2;
  const double square =
      distortion(solve_codebook(CodebookKind::gaussian, 32, 2), CodebookKind::gaussian, 32);
  CHECK(calibration::noise_of_energies(parameters, 9, 4, 0.5) ==
        doctest::Approx(0.5 * std::sqrt(square * 9 * 4 / 32)));
  // Simulated: keys of norm 3 with an error of that mean square, queries of norm 2.
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  double squares = 0;
  constexpr int kTrials = 20000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> error(kDim), query(kDim);
    double e = 0, q = 0, product = 0;
    for (std::size_t i = 0; i < kDim; ++i) {
      error[i] = normal(random), query[i] = normal(random);
      e += error[i] * error[i], q += query[i] * query[i], product += error[i] * query[i];
    }
    product *= std::sqrt(square * 9 / e) * 2 / std::sqrt(q) * 0.5;
    squares += product * product / kTrials;
  }
  CHECK(calibration::noise_of_energies(parameters, 9, 4, 0.5) ==
        doctest::Approx(std::sqrt(squares)).epsilon(0.03));
}
