#include <cmath>
#include <numbers>
#include <random>
#include <utility>

#include "byte_llama.hpp"
#include "check.hpp"

/// What noise in scores costs, of the variance that a quantizer's scores have, and what a bias
/// does: which of them makes QJL costly (references.md#axelram, section IV.D).

using namespace axelram;

namespace {

struct Disturbance {
  double factor = 1;       ///< of every key
  double variance = 0;     ///< of a score, times d, for unit vectors; Gaussian noise in keys
  bool corrected = false;  ///< the expectation of exp(score / sqrt(d)) is that without noise
};

/// Keys of another cache, disturbed as they are written.
class DisturbedKeys : public transformer::KeyCache {
 public:
  DisturbedKeys(std::unique_ptr<transformer::KeyCache> keys, std::size_t d,
                const Disturbance& disturbance, unsigned site)
      : keys_(std::move(keys)), d_(d), disturbance_(disturbance), site_(site) {}

  void begin(std::uint32_t sequence) override {
    keys_->begin(sequence);
    random_.seed(site_ << 8 | sequence);
    variances_.clear();
  }

  void write(const float* rows, std::size_t count) override {
    std::vector<float> disturbed(rows, rows + count * d_);
    for (std::size_t i = 0; i < count; ++i) {
      // Variance of the product with a unit vector.
      variances_.push_back(disturbance_.variance * square(rows + i * d_) / static_cast<double>(d_));
      for (std::size_t c = 0; c < d_; ++c) {
        float& element = disturbed[i * d_ + c];
        element = static_cast<float>(disturbance_.factor * element +
                                     std::sqrt(variances_.back()) * gaussian_(random_));
      }
    }
    keys_->write(disturbed.data(), count);
  }

  void score(const float* queries, std::size_t count, std::size_t first, std::size_t oldest,
             std::size_t stride, float* scores) override {
    keys_->score(queries, count, first, oldest, stride, scores);
    if (!disturbance_.corrected) return;
    // E exp(a X) = exp(a E X + a^2 V / 2) of a Gaussian X.
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t t = oldest; t <= first + i; ++t)
        scores[i * stride + t] -= static_cast<float>(square(queries + i * d_) * variances_[t] / 2 /
                                                     std::sqrt(static_cast<double>(d_)));
  }

  void inject(double p, std::uint64_t seed) override { keys_->inject(p, seed); }
  double bytes_per_token() const override { return keys_->bytes_per_token(); }

 private:
  double square(const float* row) const {
    double sum = 0;
    for (std::size_t c = 0; c < d_; ++c) sum += std::pow(row[c], 2);
    return sum;
  }

  std::unique_ptr<transformer::KeyCache> keys_;
  std::size_t d_;
  Disturbance disturbance_;
  unsigned site_;
  std::vector<double> variances_;
  std::mt19937_64 random_;
  std::normal_distribution<double> gaussian_;
};

class DisturbedCache : public test::AnyKeys {
 public:
  DisturbedCache(const test::ByteLlama& model, const Disturbance& disturbance, unsigned seed)
      : AnyKeys(model.exact()), d_(model.head_dim()), disturbance_(disturbance), seed_(seed) {}
  std::unique_ptr<transformer::KeyCache> keys(int layer, int head) const override {
    const auto site = static_cast<unsigned>(layer << 4 | head);
    return std::make_unique<DisturbedKeys>(cache_->keys(layer, head), d_, disturbance_,
                                           seed_ << 8 | site);
  }

 private:
  std::size_t d_;
  Disturbance disturbance_;
  unsigned seed_;
};

/// A cache for each of three seeds.
using Caches = std::vector<std::unique_ptr<test::KvCache>>;

Caches disturbed(const test::ByteLlama& model, const Disturbance& disturbance) {
  Caches caches;
  for (unsigned seed = 1; seed <= 3; ++seed)
    caches.push_back(std::make_unique<DisturbedCache>(model, disturbance, seed));
  return caches;
}

/// specification: a cache of keys that takes one more key, `seed`.
Caches quantized(const test::ByteLlama& model, const std::string& specification) {
  Caches caches;
  for (unsigned seed = 1; seed <= 3; ++seed)
    caches.push_back(model.keys(specification + ",seed=" + std::to_string(seed)));
  return caches;
}

std::string codebook(int bits, const std::string& scale) {
  return "turboquant:kind=mse,rotation=hadamard,bits=" + std::to_string(bits) + ",scale=" + scale;
}

std::string qjl(int bits, const std::string& projection) {
  return "turboquant:kind=prod,rotation=hadamard,bits=" + std::to_string(bits) +
         ",projection=" + projection;
}

// Distortion of the Gaussian codebook of 0 to 4 bits.
constexpr double kDistortion[] = {1, 0.36338, 0.11748, 0.03454, 0.009497};
constexpr double kPi = std::numbers::pi;

}  // namespace

TEST_CASE("quantized keys cost what noise of their variance costs, their bias hardly anything") {
  const test::ByteLlama model;
  for (const int bits : {2, 3}) {
    CASE(bits);
    const double d = kDistortion[bits];
    const double keys = model.mean_divergence(quantized(model, codebook(bits, "norm")));
    const double noise = model.mean_divergence(disturbed(model, {1 - d, d * (1 - d), false}));
    const double bias = model.mean_divergence(disturbed(model, {1 - d, 0, false}));
    CASE(keys, noise, bias);
    CHECK(noise < 4.0 / 3 * keys);
    CHECK(noise > 2.0 / 3 * keys);
    CHECK(bias < (bits == 2 ? 0.12 : 0.03) * keys);
    CHECK(bias > (bits == 2 ? 0.06 : 0.015) * keys);
  }
}

TEST_CASE("disturbed keys: variance as asked for, and Jensen's factor taken away exactly") {
  constexpr std::size_t kDim = 128;
  constexpr int kSequences = 20000;
  const test::ByteLlama model;
  const std::vector<float> key(kDim, 1);
  std::vector<float> query(kDim, 0);
  query[0] = 12;
  const double a = 1 / std::sqrt(kDim), score = 12, variance = 0.5 * 12 * 12;
  for (const bool corrected : {false, true}) {
    CASE(corrected);
    const auto keys = DisturbedCache(model, {1, 0.5, corrected}, 1).keys(0, 0);
    double mean = 0, square = 0;
    for (std::uint32_t sequence = 0; sequence < kSequences; ++sequence) {
      float noisy = 0;
      keys->begin(sequence);
      keys->write(key.data(), 1);
      keys->score(query.data(), 1, 0, 0, 1, &noisy);
      const double weight = std::exp(a * noisy);
      mean += weight / kSequences;
      square += weight * weight / kSequences;
    }
    const double expected = std::exp(a * score + (corrected ? 0 : a * a * variance / 2));
    CHECK(std::abs(mean - expected) < 3 * std::sqrt((square - mean * mean) / kSequences));
  }
}

TEST_CASE("QJL costs what noise of its variance costs, and more than a bit more of the codebook") {
  const test::ByteLlama model;
  for (const int bits : {2, 3, 4}) {
    CASE(bits);
    const auto cost = [&](const std::string& specification) {
      return model.mean_divergence(quantized(model, specification));
    };
    const double norm = cost(codebook(bits, "norm")), unbiased = cost(codebook(bits, "unbiased"));
    const double gaussian = cost(qjl(bits, "gaussian")), hadamard = cost(qjl(bits, "hadamard"));
    CASE(norm, unbiased, gaussian, hadamard);
    CHECK(unbiased < 0.8 * norm);
    CHECK(hadamard > 1.2 * norm);
    CHECK(gaussian > 2.3 * hadamard);
    if (bits == 2) continue;
    for (const auto& [keys, projection] : {std::pair{gaussian, kPi / 2}, {hadamard, kPi / 2 - 1}}) {
      const double noise =
          model.mean_divergence(disturbed(model, {1, projection * kDistortion[bits - 1], false}));
      CASE(keys, projection, noise);
      CHECK(noise < 4.0 / 3 * keys);
      CHECK(noise > 2.0 / 3 * keys);
    }
  }
}

TEST_CASE("weights of the right expectation cost what weights that noise makes larger cost") {
  const test::ByteLlama model;
  for (const double projection : {kPi / 2, kPi / 2 - 1}) {
    const double variance = projection * kDistortion[2];
    const double noise = model.mean_divergence(disturbed(model, {1, variance, false}));
    const double corrected = model.mean_divergence(disturbed(model, {1, variance, true}));
    CASE(projection, noise, corrected);
    CHECK(corrected != noise);
    CHECK(std::abs(corrected / noise - 1) < 0.03);
  }
}
