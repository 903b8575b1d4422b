#include "axelram/calibration/queries.hpp"

#include <algorithm>
#include <cmath>

#include "axelram/calibration/balance.hpp"
#include "axelram/calibration/feedback.hpp"
#include "axelram/calibration/score_figures.hpp"
#include "axelram/calibration/windows.hpp"
#include "axelram/files/safetensors.hpp"
#include "check.hpp"
#include "transformer/plain_cache.hpp"

using namespace axelram;

namespace {

const std::string kReference = AXELRAM_SOURCE "/tests/model/transformer/reference/llama-f32";
constexpr std::size_t kDim = 32, kWindow = 24, kRows = 2 * kWindow, kHeads = 2, kGroup = 2;

/// Keys and queries of the reference model, with the tensors that its layer 1 must have.
struct Collected {
  explicit Collected(std::size_t threads = 2) : workers(threads) {
    const auto file = files::Safetensors::read(kReference + "/expected.safetensors");
    text.ids = file.at("tokens").values<std::int32_t>();
    text.rows = 2;
    text.columns = kWindow;
    text.separate = true;
    expected = file.at("queries_1").values<float>();  // [2, 24, 4 * 32]
    const auto windows = calibration::consecutive_windows(text, kRows, kWindow);
    const test::PlainCache cache(kDim);
    keys = calibration::collect_keys({checkpoint, cache, workers, windows, ElementFormat::fp16, {}},
                                     &queries);
  }
  const float* query(std::size_t row, std::size_t head) const {
    return &expected[(row * kHeads * kGroup + head) * kDim];
  }

  checkpoints::Checkpoint checkpoint = checkpoints::read_checkpoint(kReference);
  tokens::TokenText text;
  transformer::Workers workers;
  std::vector<float> expected;
  calibration::Queries queries;
  calibration::Keys keys;
};

/// Scores with a factor, a number of each query and an error of each key.
class WrongKeys : public test::PlainKeys {
 public:
  explicit WrongKeys(double slope, double noise)
      : test::PlainKeys(kDim), slope_(slope), noise_(noise) {}
  void score(const float* queries, std::size_t count, std::size_t first, std::size_t oldest,
             std::size_t stride, float* scores) override {
    test::PlainKeys::score(queries, count, first, oldest, stride, scores);
    for (std::size_t t = oldest; t < first + count; ++t)
      scores[t] = static_cast<float>(slope_ * scores[t] + (t % 2 == 0 ? noise_ : -noise_) + 100);
  }

 private:
  double slope_, noise_;
};

}  // namespace

TEST_CASE("queries: every eighth token, and the second moment of all") {
  const Collected all;
  const calibration::Queries& q = all.queries;
  CHECK(q.layers == 2);
  CHECK(q.heads == kHeads);
  CHECK(q.group == kGroup);
  CHECK(q.attention_scale == doctest::Approx(1 / std::sqrt(32.0)));
  REQUIRE(q.places.size() == 6);
  for (std::size_t place = 0; place < 6; ++place) {
    CASE(place);
    CHECK(q.places[place].row == place / 3 * kWindow + place % 3 * 8 + 7);
    CHECK(q.places[place].first == place / 3 * kWindow);
    CHECK(q.oldest(1, q.places[place]) == q.places[place].first);
    for (std::size_t head = 0; head < kHeads; ++head)
      for (std::size_t i = 0; i < kGroup * kDim; ++i) {
        CASE(head, i);
        CHECK(q.at(1, head, place)[i] ==
              doctest::Approx(all.query(q.places[place].row, head * kGroup)[i]).epsilon(1e-3));
      }
  }
  for (std::size_t head = 0; head < kHeads; ++head)
    for (std::size_t i = 0; i < kDim; ++i)
      for (std::size_t j = 0; j < kDim; ++j) {
        CASE(head, i, j);
        double sum = 0;
        for (std::size_t row = 0; row < kRows; ++row)
          for (std::size_t g = 0; g < kGroup; ++g) {
            const float* const query = all.query(row, head * kGroup + g);
            sum += double{query[i]} * query[j];
          }
        CHECK(q.moment(1, head)[i * kDim + j] ==
              doctest::Approx(sum / (kRows * kGroup)).epsilon(1e-3));
      }
  calibration::Queries span = q;
  span.spans = {0, 5};
  CHECK(span.oldest(1, {30, 24}) == 26);
  CHECK(span.oldest(1, {26, 24}) == 24);
  CHECK(span.oldest(0, {30, 24}) == 24);
}

TEST_CASE("feedback: what is kept of a second moment") {
  const Collected all;
  const files::QueryMoments none = calibration::query_moments(all.queries, calibration::Rank::none),
                            one = calibration::query_moments(all.queries, calibration::Rank::one),
                            full = calibration::query_moments(all.queries, calibration::Rank::full);
  CHECK_SAME(none.directions, one.directions);
  CHECK_SAME(none.alphas, std::vector<float>(4));
  CHECK(full.moments.size() == all.queries.moments.size());
  CHECK(full.directions.empty());
  for (std::size_t layer = 0; layer < 2; ++layer)
    for (std::size_t head = 0; head < kHeads; ++head) {
      CASE(layer, head);
      const double* const m = all.queries.moment(layer, head);
      const QueryMoment kept = one.at(layer, head);
      // An eigenvector whose eigenvalue is (1 + alpha) times the mean of the others.
      double trace = 0, leading = 0;
      std::vector<double> image(kDim);
      for (std::size_t i = 0; i < kDim; ++i) {
        trace += m[i * kDim + i];
        for (std::size_t j = 0; j < kDim; ++j)
          image[i] += m[i * kDim + j] * double{kept.direction[j]};
        leading += image[i] * double{kept.direction[i]};
      }
      for (std::size_t i = 0; i < kDim; ++i)
        CHECK_AT(i, std::abs(image[i] - leading * double{kept.direction[i]}) < 1e-5 * leading);
      CHECK(kept.alpha == doctest::Approx(leading / ((trace - leading) / (kDim - 1)) - 1));
      CHECK(*std::max_element(kept.direction.begin(), kept.direction.end(),
                              [](float a, float b) { return std::abs(a) < std::abs(b); }) > 0);
      for (std::size_t i = 0; i < kDim * kDim; ++i)
        CHECK_AT(i, full.at(layer, head).full[i] == static_cast<float>(m[i]));
    }
  calibration::Queries silent = all.queries;
  std::fill(silent.moments.begin(), silent.moments.end(), 0.0);
  CHECK_SAME(calibration::query_moments(silent, calibration::Rank::one).alphas,
             std::vector<float>(4));
}

TEST_CASE("balance: the factors that make the product of the energies least") {
  Collected all;
  // One pair of the keys is large, one has no energy; both channels of a pair count.
  for (std::size_t row = 0; row < kRows; ++row) {
    float* const key = &all.keys.values[row * kDim];
    key[3] *= 30;
    key[3 + 16] *= 10;
    key[5] = 2;
    key[5 + 16] = -1;
  }
  const calibration::Balanced balanced =
      calibration::balance_of(all.keys, all.queries, all.checkpoint);
  CHECK(balanced.balance.layers == 2);
  CHECK(balanced.balance.heads == kHeads);
  REQUIRE(balanced.balance.lambdas.size() == 4 * 16);
  const float* const lambdas = balanced.balance.at(0, 0);
  CHECK(lambdas[5] == 1);
  double log_sum = 0;
  for (std::size_t p = 0; p < 16; ++p) log_sum += std::log(double{lambdas[p]});
  CHECK(std::abs(log_sum) < 1e-5);
  std::vector<double> of_keys(16), of_queries(16);
  for (std::size_t i = 0; i < kDim; ++i) {
    double sum = 0, squares = 0;
    for (std::size_t row = 0; row < kRows; ++row) {
      sum += double{all.keys.values[row * kDim + i]};
      squares += std::pow(double{all.keys.values[row * kDim + i]}, 2);
    }
    of_keys[i % 16] += squares / kRows - std::pow(sum / kRows, 2);
    of_queries[i % 16] += all.queries.moment(0, 0)[i * kDim + i];
  }
  const auto product = [&](const std::vector<double>& by) {
    double keys = 0, queries = 0;
    for (std::size_t p = 0; p < 16; ++p) {
      keys += of_keys[p] / (by[p] * by[p]);
      queries += of_queries[p] * by[p] * by[p];
    }
    return keys * queries;
  };
  std::vector<double> by(lambdas, lambdas + 16);
  const double least = product(by);
  CHECK(balanced.won[0] ==
        doctest::Approx(least / product(std::vector<double>(16, 1))).epsilon(1e-5));
  CHECK(balanced.won[0] < 0.8);
  for (std::size_t p = 0; p < 16; ++p)
    for (const double factor : {0.9, 1.1}) {
      CASE(p, factor);
      std::vector<double> other = by;
      other[p] *= factor;
      if (p != 5) CHECK(product(other) > least);
    }
  // Heads that share their norms share lambda: the geometric mean.
  all.checkpoint.layers[0].k_norm.assign(kDim, 1);
  const calibration::Balanced shared =
      calibration::balance_of(all.keys, all.queries, all.checkpoint);
  for (std::size_t p = 0; p < 16; ++p) {
    CASE(p);
    const double mean =
        std::sqrt(double{balanced.balance.at(0, 0)[p]} * double{balanced.balance.at(0, 1)[p]});
    CHECK(shared.balance.at(0, 0)[p] == doctest::Approx(mean).epsilon(1e-5));
    CHECK(shared.balance.at(0, 1)[p] == shared.balance.at(0, 0)[p]);
    CHECK(shared.balance.at(1, 1)[p] == balanced.balance.at(1, 1)[p]);
  }
}

TEST_CASE("score figures: slope, errors without their mean, divergence and attention") {
  Collected all;
  constexpr double kSlope = 0.75, kNoise = 0.5;
  class Cache : public test::PlainCache {
   public:
    Cache(double slope, double noise) : test::PlainCache(kDim), slope_(slope), noise_(noise) {}
    std::unique_ptr<transformer::KeyCache> keys(int, int) const override {
      return std::make_unique<WrongKeys>(slope_, noise_);
    }

   private:
    double slope_, noise_;
  };
  const double scale = all.queries.attention_scale;
  const calibration::ExactRange range{2, 3};
  const auto exact =
      calibration::score_figures(all.keys, all.queries, Cache(1, 0), range, all.workers);
  const auto measured =
      calibration::score_figures(all.keys, all.queries, Cache(kSlope, kNoise), range, all.workers);
  REQUIRE(measured.size() == 4);
  for (std::size_t pair = 0; pair < 4; ++pair) {
    CASE(pair);
    const std::size_t layer = pair / 2, head = pair % 2;
    CHECK(exact[pair].slope == doctest::Approx(1).epsilon(1e-4));
    CHECK(exact[pair].error < 1e-3);
    CHECK(std::abs(exact[pair].divergence) < 1e-4);
    double error = 0, weighted = 0, divergence = 0, first = 0, newest = 0, xx = 0, xy = 0;
    double scores = 0, queries = 0;
    for (std::size_t place = 0; place < 6; ++place)
      for (std::size_t g = 0; g < kGroup; ++g) {
        const std::size_t begin = all.queries.places[place].first;
        const std::size_t n = all.queries.places[place].row + 1 - begin;
        std::vector<double> s(n), m(n), p(n), r(n);
        double ps = 0, rs = 0, s_mean = 0, m_mean = 0, e_mean = 0, e_square = 0;
        for (std::size_t t = 0; t < n; ++t) {
          for (std::size_t i = 0; i < kDim; ++i)
            s[t] += scale * double{all.queries.at(layer, head, place)[g * kDim + i]} *
                    double{all.keys.of(layer, head)[(begin + t) * kDim + i]};
          m[t] = kSlope * s[t] + scale * (t % 2 == 0 ? kNoise : -kNoise);
          ps += p[t] = std::exp(s[t]);
          rs += r[t] = std::exp(m[t]);
          s_mean += s[t] / static_cast<double>(n);
          m_mean += m[t] / static_cast<double>(n);
        }
        for (std::size_t t = 0; t < n; ++t) {
          p[t] /= ps;
          r[t] /= rs;
          const double e = m[t] - s[t];
          error += std::pow(e - m_mean + s_mean, 2);
          e_mean += p[t] * e;
          e_square += p[t] * e * e;
          divergence += p[t] * std::log(p[t] / r[t]);
          first += t < 2 ? p[t] : 0;
          newest += t >= 2 && t + 3 >= n ? p[t] : 0;
          xx += std::pow(s[t] - s_mean, 2);
          xy += (s[t] - s_mean) * (m[t] - m_mean);
        }
        weighted += e_square - e_mean * e_mean;
        scores += static_cast<double>(n);
        ++queries;
      }
    const calibration::ScoreFigures& of = measured[pair];
    CHECK(of.slope == doctest::Approx(xy / xx).epsilon(1e-4));
    CHECK(of.error == doctest::Approx(std::sqrt(error / scores)).epsilon(1e-4));
    CHECK(of.weighted_error == doctest::Approx(std::sqrt(weighted / queries)).epsilon(1e-4));
    CHECK(of.divergence == doctest::Approx(divergence / queries).epsilon(1e-3));
    CHECK(of.first_weight == doctest::Approx(first / queries).epsilon(1e-4));
    CHECK(of.newest_weight == doctest::Approx(newest / queries).epsilon(1e-4));
    CHECK(of.deviation < of.error);
    CHECK(of.deviation == doctest::Approx(kNoise * scale).epsilon(0.05));
  }
}
