#include "axelram/kernels/likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"

using namespace axelram::kernels;

namespace {

double log_sum(const float* x, std::size_t count) {
  double most = x[0], sum = 0;
  for (std::size_t v = 0; v < count; ++v) most = std::max<double>(most, x[v]);
  for (std::size_t v = 0; v < count; ++v) sum += std::exp(x[v] - most);
  return most + std::log(sum);
}

struct Result {
  std::vector<double> nll, kl;
  std::vector<std::uint32_t> rank, agrees;
};

Result run(const std::vector<float>& logits, const std::vector<float>& baseline,
           const std::vector<std::int32_t>& ids, std::size_t vocabulary) {
  Stream stream;
  const Buffer<float> dl(stream, logits), db(stream, baseline);
  const Buffer<std::int32_t> di(stream, ids);
  const Buffer<double> nll(ids.size()), kl(ids.size());
  const Buffer<std::uint32_t> rank(ids.size()), agrees(ids.size());
  likelihoods(stream, dl.data(), db.data(), di.data(), ids.size(), vocabulary,
              {nll.data(), kl.data(), rank.data(), agrees.data()});
  return {nll.download(stream), kl.download(stream), rank.download(stream),
          agrees.download(stream)};
}

}  // namespace

TEST_CASE("likelihoods: nll, divergence, rank and agreement of the definitions") {
  std::mt19937 random(1);
  for (const std::size_t vocabulary : {1, 2, 96, 256, 1000})
    for (const float size : {0.1F, 30.0F}) {
      CASE(size, vocabulary);
      const std::size_t rows = 5;
      std::normal_distribution<float> normal(0, size);
      std::vector<float> logits(rows * vocabulary), baseline(rows * vocabulary);
      for (float& x : logits) x = std::round(normal(random) * 4) / 4;  // with many that are equal
      for (float& x : baseline) x = normal(random);
      for (std::size_t v = 0; v < 2 * vocabulary; ++v) baseline[v] = logits[v];  // two rows agree
      std::vector<std::int32_t> ids;
      for (std::size_t r = 0; r < rows; ++r)
        ids.push_back(static_cast<std::int32_t>(random() % vocabulary));
      const Result got = run(logits, baseline, ids, vocabulary);
      const Result alone = run(logits, {}, ids, vocabulary);
      CHECK_SAME(alone.kl, std::vector<double>(rows, 0.0));
      CHECK_SAME(alone.agrees, std::vector<std::uint32_t>(rows, 1));
      for (std::size_t r = 0; r < rows; ++r) {
        CASE(r);
        const float* const x = &logits[r * vocabulary];
        const float* const b = &baseline[r * vocabulary];
        const auto id = static_cast<std::size_t>(ids[r]);
        std::uint32_t rank = 0;
        double kl = 0;
        for (std::size_t v = 0; v < vocabulary; ++v) {
          rank += x[v] > x[id] || (x[v] == x[id] && v < id) ? 1 : 0;
          const double log_p = b[v] - log_sum(b, vocabulary);
          kl += std::exp(log_p) * (log_p - (x[v] - log_sum(x, vocabulary)));
        }
        CHECK(got.rank[r] == rank);
        const bool same =
            std::max_element(x, x + vocabulary) - x == std::max_element(b, b + vocabulary) - b;
        CHECK(got.agrees[r] == (same ? 1U : 0U));
        CHECK(got.nll[r] == doctest::Approx(log_sum(x, vocabulary) - x[id]).epsilon(1e-12));
        CHECK(std::abs(got.kl[r] - kl) < 1e-12 * (1 + kl));
      }
    }
}

TEST_CASE("likelihoods: what is no number shows") {
  std::vector<float> logits(300, 0.0F);
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
    for (const std::size_t at : {0, 7, 299}) {
      CASE(bad, at);
      logits.assign(300, 0.0F);
      logits[at] = bad;
      CHECK_FALSE(std::isfinite(run(logits, {}, {7}, 300).nll[0]));
    }
  CHECK(run({}, {}, {}, 300).nll.empty());
  CHECK_THROWS_AS(run({}, {}, {}, 0), DeviceError);
}
