#include "axelram/calibration/exponents.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "axelram/calibration/windows.hpp"
#include "axelram/files/safetensors.hpp"
#include "check.hpp"
#include "transformer/plain_cache.hpp"

using namespace axelram;
using calibration::BalanceQueries;
using checkpoints::Positions;

namespace {

constexpr std::size_t kDim = 32, kWindow = 40, kRows = 3 * kWindow, kLayers = 2, kHeads = 3;

/// Keys and second moments of queries. Head 0 has the energy of keys and queries in different
/// channels, head 1 in the same, head 2 something between. First tokens of windows are huge.
struct Made {
  explicit Made(unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    keys = {kLayers, kHeads, kRows, kDim, std::vector<float>(kLayers * kHeads * kRows * kDim)};
    keys.first_rows = {0, kWindow, 2 * kWindow};
    queries.layers = kLayers;
    queries.heads = kHeads;
    queries.group = 2;
    queries.head_dim = kDim;
    queries.moments.resize(kLayers * kHeads * kDim * kDim);
    for (std::size_t pair = 0; pair < kLayers * kHeads; ++pair) {
      const std::size_t head = pair % kHeads;
      for (std::size_t i = 0; i < kDim; ++i) {
        const double slope = head == 0 ? 0.4 : head == 1 ? 0 : 0.1;
        const double size = std::exp(slope * static_cast<double>(i % 16) + 0.3 * normal(random));
        const double offset = 5 * normal(random);
        for (std::size_t t = 0; t < kRows; ++t)
          keys.values[(pair * kRows + t) * kDim + i] = static_cast<float>(
              t % kWindow == 0 ? 1000 * normal(random) : size * normal(random) + offset);
        sizes[pair].push_back(std::exp(-slope * static_cast<double>(i % 16)));
      }
      double* const moment = &queries.moments[pair * kDim * kDim];
      const auto add = [&](const std::vector<double>& q) {
        for (std::size_t i = 0; i < kDim; ++i)
          for (std::size_t j = 0; j < kDim; ++j) moment[i * kDim + j] += q[i] * q[j] / 100;
      };
      std::vector<double> q(kDim), leading(kDim);
      for (double& element : leading) element = 3 * normal(random);
      for (std::size_t n = 0; n < 100; ++n) {
        for (std::size_t i = 0; i < kDim; ++i) q[i] = leading[i] + sizes[pair][i] * normal(random);
        add(q);
      }
    }
  }
  const double* moment(std::size_t pair) const { return &queries.moments[pair * kDim * kDim]; }

  calibration::Keys keys;
  calibration::Queries queries;
  std::map<std::size_t, std::vector<double>> sizes;
};

/// The largest eigenvalue of a symmetric matrix whose eigenvalues are not negative, by powers.
double largest(const std::vector<double>& matrix, std::vector<double>* vector) {
  std::vector<double>& v = *vector;
  v.assign(kDim, 0);
  for (std::size_t i = 0; i < kDim; ++i) v[i] = 1 + 0.01 * static_cast<double>(i);
  double value = 0;
  for (int step = 0; step < 20000; ++step) {
    std::vector<double> next(kDim);
    double squares = 0;
    for (std::size_t i = 0; i < kDim; ++i) {
      for (std::size_t j = 0; j < kDim; ++j) next[i] += matrix[i * kDim + j] * v[j];
      squares += next[i] * next[i];
    }
    value = std::sqrt(squares);
    for (std::size_t i = 0; i < kDim; ++i) v[i] = next[i] / value;
  }
  return value;
}

struct Expected {
  double gain = 0;
  std::vector<double> exponents;  ///< before they are rounded
};

/// The rule, word by word. pair_of: number of the pair of a channel.
template <class PairOf>
Expected rule(const Made& made, std::size_t pair, bool deflated, const PairOf& pair_of) {
  std::map<std::size_t, double> of_keys, of_queries;
  for (std::size_t i = 0; i < kDim; ++i) {
    std::vector<double> elements;
    for (std::size_t t = 0; t < kRows; ++t)
      if (t % kWindow != 0)
        elements.push_back(double{made.keys.values[(pair * kRows + t) * kDim + i]});
    const double count = static_cast<double>(elements.size());
    const double mean = std::accumulate(elements.begin(), elements.end(), 0.0) / count;
    for (const double x : elements) of_keys[pair_of(i)] += (x - mean) * (x - mean) / count;
  }
  std::vector<double> moment(made.moment(pair), made.moment(pair) + kDim * kDim);
  if (deflated) {
    std::vector<double> v, w;
    const double first = largest(moment, &v);
    std::vector<double> rest = moment;
    for (std::size_t i = 0; i < kDim; ++i)
      for (std::size_t j = 0; j < kDim; ++j) rest[i * kDim + j] -= first * v[i] * v[j];
    const double second = largest(rest, &w);
    for (std::size_t i = 0; i < kDim; ++i) moment[i * kDim + i] -= (first - second) * v[i] * v[i];
  }
  for (std::size_t i = 0; i < kDim; ++i) of_queries[pair_of(i)] += moment[i * kDim + i];
  double roots = 0, sum_k = 0, sum_q = 0, logs = 0;
  for (const auto& [p, energy] : of_keys) {
    roots += std::sqrt(energy * of_queries[p]);
    sum_k += energy;
    sum_q += of_queries[p];
    logs += std::log(std::pow(energy / of_queries[p], 0.25)) / static_cast<double>(of_keys.size());
  }
  Expected expected{roots * roots / (sum_k * sum_q), {}};
  for (std::size_t i = 0; i < kDim; ++i) {
    const std::size_t p = pair_of(i);
    const double factor = std::pow(of_keys[p] / of_queries[p], 0.25) / std::exp(logs);
    expected.exponents.push_back(expected.gain > 0.25 ? 0 : std::log2(factor));
  }
  return expected;
}

checkpoints::Architecture architecture(Positions positions, std::size_t turned) {
  checkpoints::Architecture a;
  a.positions = positions;
  if (positions == Positions::learned) return a;
  a.rotary.frequencies.assign(kDim / 2, 0);
  for (std::size_t p = 0; p < turned; ++p) a.rotary.frequencies[p] = 1 / (1 + double(p));
  return a;
}

}  // namespace

TEST_CASE("exponents are those of the rule, for every kind of pairs and both moments of queries") {
  const Made made(1);
  std::size_t heads_balanced = 0, odd = 0;
  for (const Positions positions :
       {Positions::rotary_halves, Positions::rotary_interleaved, Positions::learned})
    for (const std::size_t turned : {kDim / 2, kDim / 4})
      for (const BalanceQueries kind : {BalanceQueries::deflated, BalanceQueries::whole}) {
        CASE(positions, turned, kind);
        const checkpoints::Architecture a = architecture(positions, turned);
        const calibration::Exponents all =
            calibration::exponents_of(made.keys, made.queries, a, kind);
        CHECK(all.deflated == (kind == BalanceQueries::deflated));
        CHECK(all.rows.layers == kLayers);
        CHECK(all.rows.heads == kHeads);
        CHECK(all.rows.d == kDim);
        REQUIRE(all.rows.values.size() == kLayers * kHeads * kDim);
        for (std::size_t pair = 0; pair < kLayers * kHeads; ++pair) {
          CASE(pair);
          const Expected expected = rule(made, pair, all.deflated, [&](std::size_t i) {
            if (positions == Positions::learned) return i;
            const std::size_t own = positions == Positions::rotary_halves ? i % (kDim / 2) : i / 2;
            return own < turned ? own : 100 + i;
          });
          CHECK(all.gains[pair] == doctest::Approx(expected.gain).epsilon(1e-6));
          CHECK(all.balanced(pair / kHeads, pair % kHeads) == (expected.gain <= 0.25));
          heads_balanced += expected.gain <= 0.25 ? 1 : 0;
          for (std::size_t i = 0; i < kDim; ++i) {
            CASE(i);
            const int exponent = all.rows.values[pair * kDim + i];
            odd += exponent % 2 != 0 ? 1 : 0;
            CHECK(std::abs(exponent - std::clamp(expected.exponents[i], -8.0, 7.0)) < 0.5 + 1e-6);
          }
        }
      }
  CHECK(heads_balanced > 0);
  CHECK(odd > 0);
  CHECK(heads_balanced < 12 * kLayers * kHeads);
}

TEST_CASE("exponents: layers of a local rotary embedding have its pairs") {
  const Made made(2);
  checkpoints::Architecture a = architecture(Positions::rotary_halves, kDim / 2);
  a.local_rotary.frequencies.assign(kDim / 2, 0);  // turns nothing
  a.spans = {0, 16};
  const calibration::Exponents local = calibration::exponents_of(made.keys, made.queries, a);
  const calibration::Exponents turned = calibration::exponents_of(
      made.keys, made.queries, architecture(Positions::rotary_halves, kDim / 2));
  const calibration::Exponents apart = calibration::exponents_of(
      made.keys, made.queries, architecture(Positions::learned, kDim / 2));
  for (std::size_t pair = 0; pair < kLayers * kHeads; ++pair)
    CHECK_AT(pair, local.gains[pair] == (pair < kHeads ? turned : apart).gains[pair]);
}

TEST_CASE("exponents by hand: clamped, pairs without energy, ties to even, nothing to balance") {
  Made made(3);
  const checkpoints::Architecture a = architecture(Positions::rotary_halves, kDim / 2);
  // Layer 0, head 0: queries are diagonal; keys of a channel are +-x around an offset.
  std::vector<double> of_keys(16, 1), of_queries(16, 1);
  const auto put = [&] {
    for (std::size_t i = 0; i < kDim; ++i) {
      for (std::size_t t = 0; t < kRows; ++t)  // windows have an odd number of taken rows
        made.keys.values[t * kDim + i] =
            t % kWindow == 0 || t % kWindow == 1
                ? 7
                : static_cast<float>(7 + (t % 2 == 0 ? 1 : -1) * of_keys[i % 16]);
      for (std::size_t j = 0; j < kDim; ++j)
        made.queries.moments[i * kDim + j] = i == j ? of_queries[i % 16] * of_queries[i % 16] : 0;
    }
  };
  const auto exponents = [&] {
    put();
    const auto all = calibration::exponents_of(made.keys, made.queries, a, BalanceQueries::whole);
    return std::vector<int>(all.rows.values.begin(), all.rows.values.begin() + 16);
  };
  // factor = (E_k / E_q)^(1/4) = sqrt(x / y): 2^+-2 in halves of the pairs.
  for (std::size_t p = 0; p < 16; ++p) {
    of_keys[p] = p < 8 ? 16 : 1;
    of_queries[p] = p < 8 ? 1 : 16;
  }
  std::vector<int> right(16, -2);
  std::fill(right.begin(), right.begin() + 8, 2);
  CHECK_SAME(exponents(), right);
  // A pair whose keys do not move, or that no query reads, has 0 and does not count.
  of_keys[0] = 0;
  of_queries[15] = 0;
  right[0] = right[15] = 0;
  CHECK_SAME(exponents(), right);
  // Beyond the range.
  for (std::size_t p = 0; p < 16; ++p) {
    of_keys[p] = p < 8 ? 1 << 20 : 1;
    of_queries[p] = p < 8 ? 1 : 1 << 20;
  }
  right.assign(16, -8);
  std::fill(right.begin(), right.begin() + 8, 7);
  CHECK_SAME(exponents(), right);
  // Equal energies: G is 1. No energy at all: 1 too.
  of_keys.assign(16, 3);
  of_queries.assign(16, 2);
  CHECK_SAME(exponents(), std::vector<int>(16));
  CHECK(calibration::exponents_of(made.keys, made.queries, a, BalanceQueries::whole).gains[0] ==
        doctest::Approx(1));
  of_queries.assign(16, 0);
  CHECK_SAME(exponents(), std::vector<int>(16));
  for (const BalanceQueries kind : {BalanceQueries::deflated, BalanceQueries::whole})
    CHECK_AT(static_cast<int>(kind),
             calibration::exponents_of(made.keys, made.queries, a, kind).gains[0] == 1);
}

TEST_CASE("exponents: queries along one direction leave nothing once it is taken out") {
  Made made(4);
  for (std::size_t i = 0; i < kDim; ++i)
    for (std::size_t j = 0; j < kDim; ++j)
      made.queries.moments[i * kDim + j] = 0.1 * double(1 + i) * 0.1 * double(1 + j);
  const auto all = calibration::exponents_of(made.keys, made.queries,
                                             architecture(Positions::rotary_halves, kDim / 2));
  CHECK(all.gains[0] == 1);
  for (std::size_t i = 0; i < kDim; ++i) CHECK_AT(i, all.rows.values[i] == 0);
}

TEST_CASE("balanced keys and queries have the same scores, and moments of balanced queries") {
  Made made(5);
  made.queries.places = {{7, 0}, {50, 40}};
  std::mt19937 random(6);
  std::normal_distribution<float> normal;
  made.queries.values.resize(kLayers * kHeads * 2 * 2 * kDim);
  for (float& element : made.queries.values) element = normal(random);
  const auto exponents = calibration::exponents_of(
      made.keys, made.queries, architecture(Positions::rotary_halves, kDim / 2));
  const calibration::Keys keys = calibration::balanced(made.keys, exponents.rows);
  const calibration::Queries queries = calibration::balanced(made.queries, exponents.rows);
  CHECK_SAME(keys.first_rows, made.keys.first_rows);
  std::size_t moved = 0;
  for (std::size_t layer = 0; layer < kLayers; ++layer)
    for (std::size_t head = 0; head < kHeads; ++head) {
      const std::vector<std::int8_t> row = exponents.rows.row(layer, head);
      for (std::size_t i = 0; i < kDim; ++i) {
        CASE(layer, head, i);
        const double by = std::pow(2.0, row[i]);
        moved += row[i] != 0 ? 1 : 0;
        const float key = made.keys.of(layer, head)[9 * kDim + i];
        CHECK(double{keys.of(layer, head)[9 * kDim + i]} == double{key} / by);
        for (std::size_t g = 0; g < 2; ++g)
          CHECK_AT(g, double{queries.at(layer, head, 1)[g * kDim + i]} ==
                          double{made.queries.at(layer, head, 1)[g * kDim + i]} * by);
        for (std::size_t j = 0; j < kDim; ++j)
          CHECK_AT(j, queries.moment(layer, head)[i * kDim + j] ==
                          doctest::Approx(made.queries.moment(layer, head)[i * kDim + j] * by *
                                          std::pow(2.0, row[j]))
                              .epsilon(1e-12));
      }
    }
  CHECK(moved > 0);
  files::HeadRows<std::int8_t> other = exponents.rows;
  other.heads = 1;
  CHECK_THROWS_AS(calibration::balanced(made.keys, other), std::invalid_argument);
  CHECK_THROWS_AS(calibration::balanced(made.queries, other), std::invalid_argument);
}

TEST_CASE("keys know the first rows of their windows") {
  const std::string reference = AXELRAM_SOURCE "/tests/model/transformer/reference/llama-f32";
  const auto file = files::Safetensors::read(reference + "/expected.safetensors");
  tokens::TokenText text;
  text.ids = file.at("tokens").values<std::int32_t>();
  text.rows = 2;
  text.columns = 24;
  text.separate = true;
  transformer::Workers workers(1);
  const checkpoints::Checkpoint checkpoint = checkpoints::read_checkpoint(reference);
  const auto windows = calibration::consecutive_windows(text, 40, 20);
  const test::PlainCache cache(32);
  const calibration::Keys keys =
      calibration::collect_keys({checkpoint, cache, workers, windows, ElementFormat::fp16, {}});
  CHECK_SAME(keys.first_rows, std::vector<std::size_t>{0, 20, 24});
}
