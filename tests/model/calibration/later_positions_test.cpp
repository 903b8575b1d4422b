#include "axelram/calibration/later_positions.hpp"

#include <cmath>
#include <random>

#include "check.hpp"

using namespace axelram;
using calibration::Queries;

namespace {

constexpr std::size_t kD = 8, kPairs = kD / 2, kWindow = 3;

/// Turns a vector to a later position.
std::vector<double> turned(const std::vector<double>& q, const checkpoints::Architecture& a,
                           std::size_t position) {
  const bool interleaved = a.positions == checkpoints::Positions::rotary_interleaved;
  std::vector<double> result = q;
  for (std::size_t i = 0; i < kPairs; ++i) {
    const std::size_t x = interleaved ? 2 * i : i, y = interleaved ? 2 * i + 1 : i + kPairs;
    const double angle = static_cast<double>(position) * a.rotary.frequencies[i];
    result[x] = q[x] * std::cos(angle) - q[y] * std::sin(angle);
    result[y] = q[x] * std::sin(angle) + q[y] * std::cos(angle);
  }
  return result;
}

/// The mean of q q^T.
std::vector<double> moment_of(const std::vector<std::vector<double>>& queries) {
  std::vector<double> moment(kD * kD);
  for (const auto& q : queries)
    for (std::size_t i = 0; i < kD; ++i)
      for (std::size_t j = 0; j < kD; ++j)
        moment[i * kD + j] += q[i] * q[j] / static_cast<double>(queries.size());
  return moment;
}

}  // namespace

TEST_CASE("moments of a long context are those of windows at all its positions") {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> drawn(5, std::vector<double>(kD));
  for (auto& q : drawn)
    for (double& element : q) element = normal(random);
  for (const auto positions :
       {checkpoints::Positions::rotary_halves, checkpoints::Positions::rotary_interleaved})
    for (const std::size_t context : {1, 3, 5, 6, 31}) {
      CASE(static_cast<int>(positions), context);
      checkpoints::Architecture a;
      a.positions = positions;
      a.rotary.frequencies = {1, 0.3, 0.02, 0.0001};
      Queries queries;
      queries.layers = queries.heads = 1;
      queries.head_dim = kD;
      queries.moments = moment_of(drawn);
      std::vector<std::vector<double>> all;
      for (std::size_t w = 0; w < std::max<std::size_t>(1, context / kWindow); ++w)
        for (const auto& q : drawn) all.push_back(turned(q, a, w * kWindow));
      const std::vector<double> expected = moment_of(all);
      const Queries later = calibration::at_later_positions(queries, kWindow, context, a);
      for (std::size_t i = 0; i < expected.size(); ++i)
        CHECK_AT(i, std::abs(later.moments[i] - expected[i]) < 1e-12);
    }
}

TEST_CASE("learned positions turn nothing") {
  Queries queries;
  queries.layers = queries.heads = 1;
  queries.head_dim = kD;
  queries.moments = moment_of({{1, 2, 3, 4, 5, 6, 7, 8}});
  const Queries later = calibration::at_later_positions(queries, 3, 99, {});
  CHECK_SAME(later.moments, queries.moments);
}
