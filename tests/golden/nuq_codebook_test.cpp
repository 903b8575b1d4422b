#include "axelram/nuq_codebook.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "axelram/half.hpp"
#include "check.hpp"
#include "golden/tier_oracle.hpp"

using namespace axelram;

namespace {

using tier_oracle::Row;
using Doubles = std::vector<double>;
using Runs = std::vector<std::size_t>;

NuqHistogram histogram_of(const Doubles& y, const Doubles& weights) {
  NuqHistogram histogram;
  for (std::size_t i = 0; i < y.size(); ++i) histogram.add(y[i], weights[i]);
  return histogram;
}

/// The recursion of the contract, run count after run count.
Runs runs_by_recursion(const NuqHistogram& histogram, int bits) {
  constexpr std::size_t kEnd = NuqHistogram::kBins;
  Doubles w(kEnd + 1), x(kEnd + 1), q(kEnd + 1);
  for (std::size_t i = 0; i < kEnd; ++i) {
    w[i + 1] = w[i] + histogram.bins()[i].w;
    x[i + 1] = x[i] + histogram.bins()[i].wy;
    q[i + 1] = q[i] + histogram.bins()[i].wyy;
  }
  Doubles costs(kEnd + 1, std::numeric_limits<double>::infinity());
  costs[0] = 0;
  std::vector<Runs> from;
  for (int k = 0; k < 1 << bits; ++k) {
    Doubles next(kEnd + 1, std::numeric_limits<double>::infinity());
    from.emplace_back(kEnd + 1);
    for (std::size_t j = kEnd; j > 0; --j)
      for (std::size_t i = j; i-- > 0;) {  // downwards: the least i on equality
        if (std::isinf(costs[i])) continue;
        const double dw = w[j] - w[i], dx = x[j] - x[i];
        const double cost = dw == 0 ? 0 : (q[j] - q[i]) - dx * dx / dw;
        if (costs[i] + cost <= next[j]) {
          next[j] = costs[i] + cost;
          from.back()[j] = i;
        }
      }
    costs = next;
  }
  Runs runs;
  for (std::size_t end = kEnd; !from.empty(); from.pop_back())
    runs.insert(runs.begin(), end = from.back()[end]);
  return runs;
}

/// Weighted squared distance of sorted elements to the means of the runs that `starts` begin.
long double cost_of(const Doubles& y, const Doubles& weights,
                    const std::vector<std::size_t>& starts) {
  long double cost = 0;
  for (std::size_t run = 0; run < starts.size(); ++run) {
    const std::size_t end = run + 1 < starts.size() ? starts[run + 1] : y.size();
    long double w = 0, sum = 0;
    for (std::size_t i = starts[run]; i < end; ++i) {
      w += weights[i];
      sum += static_cast<long double>(weights[i]) * y[i];
    }
    for (std::size_t i = starts[run]; i < end; ++i)
      cost += weights[i] * (y[i] - sum / w) * (y[i] - sum / w);
  }
  return cost;
}

double normal(tier_oracle::Rng& rng) { return std::normal_distribution<double>(0, 0.4)(rng); }

}  // namespace

TEST_CASE("KVQuant codebook: the contract's vectors") {
  const Doubles y = {-1, -0.9, -0.2, 0, 0.1, 0.6, 0.7, 1};
  Doubles weights(8, 1.0);
  NuqHistogram histogram = histogram_of(y, weights);
  CHECK_SAME(nuq_runs_ref(histogram, 2), Runs{0, 205, 2253, 3482});
  CHECK_SAME(nuq_centroids_ref(histogram, {0, 205, 2253, 3482}),
             Row{0xBB9A, 0xA844, 0x3933, 0x3C00});
  weights[3] = 5;
  histogram = histogram_of(y, weights);
  CHECK_SAME(nuq_runs_ref(histogram, 2), Runs{0, 205, 2253, 3482});
  CHECK_SAME(nuq_centroids_ref(histogram, {0, 205, 2253, 3482}),
             Row{0xBB9A, 0xA350, 0x3933, 0x3C00});
}

TEST_CASE("KVQuant codebook: bins, and what enters them") {
  CHECK(NuqHistogram::bin(-1) == 0);
  CHECK(NuqHistogram::bin(std::nextafter(-1 + 0x1p-11, -1)) == 0);
  CHECK(NuqHistogram::bin(-1 + 0x1p-11) == 1);
  CHECK(NuqHistogram::bin(-0x1p-60) == 2047);
  CHECK(NuqHistogram::bin(0) == 2048);
  CHECK(NuqHistogram::bin(-0.0) == 2048);
  CHECK(NuqHistogram::bin(std::nextafter(1.0, 0.0)) == 4095);
  CHECK(NuqHistogram::bin(1) == 4095);
  NuqHistogram histogram;
  histogram.add(std::nextafter(1.0, 2.0), 1);
  histogram.add(-1.5, 1);
  histogram.add(1, 3);
  histogram.add(-1, 2);
  histogram.add(0.5, 7);
  histogram.add(0.5 + 0x1p-12, 1);
  double all = 0;
  for (const NuqHistogram::Sums& bin : histogram.bins()) all += bin.w;
  CHECK(all == 13);
  CHECK(histogram.bins()[4095].wy == 3);
  CHECK(histogram.bins()[0].wy == -2);
  CHECK(histogram.bins()[0].wyy == 2);
  CHECK(histogram.bins()[3072].w == 8);
  CHECK(histogram.bins()[3072].wy == 4 + 0x1p-12);
  CHECK(histogram.bins()[3072].wyy == 1.75 + (0.5 + 0x1p-12) * (0.5 + 0x1p-12));
}

TEST_CASE("KVQuant codebook: elements of rows, outliers among them, not those of radius 0") {
  const Row x = {0x3C00, 0xBC00, 0x4200, 0x3C00}, middles(4, 0),
            radii = {0x4000, 0, 0x4000, 0x3C00};
  const NuqRow key = nuq_key_ref({2, 4, 2, false}, {middles.data(), radii.data()}, x.data());
  REQUIRE_SAME(key.y, Doubles{0.5, 0, 1.5, 1});
  REQUIRE_SAME(key.outliers, std::vector<std::uint8_t>{2, 3});
  NuqHistogram plain, weighted;
  plain.add(key, nullptr);
  const Doubles weights = {3, 5, 7, 11};
  weighted.add(key, weights.data());
  CHECK(plain.bins()[3072].w == 1);
  CHECK(plain.bins()[4095].w == 1);
  CHECK(plain.bins()[2048].w == 0);
  CHECK(weighted.bins()[3072].w == 3);
  CHECK(weighted.bins()[4095].w == 11);
  CHECK(weighted.bins()[2048].w == 0);
}

TEST_CASE("KVQuant codebook: runs are those of the recursion, one count after another") {
  tier_oracle::Rng rng(91);
  for (const int bits : {2, 3, 4})
    for (const bool few : {false, true}) {
      CASE(bits, few);
      Doubles y, weights;
      for (int i = 0; i < (few ? 40 : 20000); ++i) {
        y.push_back(normal(rng));
        weights.push_back(tier_oracle::uniform(rng, 0, 1) == 0 ? 1 : std::abs(normal(rng)));
      }
      const NuqHistogram histogram = histogram_of(y, weights);
      const Runs runs = nuq_runs_ref(histogram, bits);
      REQUIRE_SAME(runs, runs_by_recursion(histogram, bits));
      REQUIRE(runs[0] == 0);
      const Row centroids = nuq_centroids_ref(histogram, runs);
      REQUIRE(centroids.size() == std::size_t{1} << bits);
      for (std::size_t k = 0; k < runs.size(); ++k) {
        CASE(k);
        double w = 0, sum = 0;
        for (std::size_t i = 0; i < y.size(); ++i) {
          if (std::abs(y[i]) > 1) continue;
          const std::size_t bin = NuqHistogram::bin(y[i]);
          if (bin < runs[k] || (k + 1 < runs.size() && bin >= runs[k + 1])) continue;
          w += weights[i];
          sum += weights[i] * y[i];
        }
        REQUIRE(half_to_double(centroids[k]) == doctest::Approx(sum / w).epsilon(0x1p-10));
      }
    }
}

TEST_CASE("KVQuant codebook: of all splits at bin edges none costs less") {
  tier_oracle::Rng rng(92);
  for (int trial = 0; trial < 5; ++trial) {
    CASE(trial);
    constexpr std::size_t kElements = 12;
    Doubles y, weights;
    for (std::size_t i = 0; i < kElements; ++i) {
      y.push_back(tier_oracle::uniform(rng, -1024, 1024) / 1024.0 + 0x1p-20);
      weights.push_back(tier_oracle::uniform(rng, 1, 9));
    }
    for (double& element : y) element = std::min(element, 1.0);
    std::sort(y.begin(), y.end());
    y.erase(std::unique(y.begin(), y.end()), y.end());
    weights.resize(y.size());
    const Runs runs = nuq_runs_ref(histogram_of(y, weights), 2);
    Runs starts;
    for (const std::size_t run : runs) {
      CASE(run);
      std::size_t start = 0;
      while (NuqHistogram::bin(y[start]) < run) ++start;
      starts.push_back(start);
      // The least bin that splits so: right behind the element before.
      if (start > 0) CHECK(run == NuqHistogram::bin(y[start - 1]) + 1);
    }
    long double least = std::numeric_limits<long double>::max();
    for (std::size_t a = 1; a < y.size(); ++a)
      for (std::size_t b = a + 1; b < y.size(); ++b)
        for (std::size_t c = b + 1; c < y.size(); ++c)
          least = std::min(least, cost_of(y, weights, {0, a, b, c}));
    CHECK(static_cast<double>(cost_of(y, weights, starts)) ==
          doctest::Approx(static_cast<double>(least)).epsilon(1e-9));
  }
}

TEST_CASE("KVQuant codebook: too few elements are an error, a mean next to zero is +0") {
  const auto centroids = [](const Doubles& y) {
    const NuqHistogram histogram = histogram_of(y, Doubles(y.size(), 1.0));
    return nuq_centroids_ref(histogram, nuq_runs_ref(histogram, 2));
  };
  CHECK_THROWS_WITH_AS(centroids({}), doctest::Contains("too few"), std::runtime_error);
  CHECK_THROWS_WITH_AS(centroids({-1, 0, 1}), doctest::Contains("too few"), std::runtime_error);
  // A run without elements, wherever it is, and two means that are +0 in FP16.
  const NuqHistogram four = histogram_of({-1, -0x1p-30, 0x1p-30, 1}, Doubles(4, 1.0));
  for (const Runs& runs : {Runs{0, 1, 2, 2048}, Runs{0, 1, 2048, 2049}, Runs{0, 1, 2048, 4095}}) {
    CASE(runs);
    CHECK_THROWS_WITH_AS(nuq_centroids_ref(four, runs), doctest::Contains("too few"),
                         std::runtime_error);
  }
  const NuqHistogram two = histogram_of({-1, -0.5}, Doubles(2, 1.0));
  CHECK_SAME(nuq_centroids_ref(two, {0, 1}), Row{0xBC00, 0xB800});
  CHECK_THROWS_AS(nuq_centroids_ref(two, {0, 2048}), std::runtime_error);
  // Without weight a run costs nothing: every run is one bin, the last one has the others.
  CHECK_SAME(nuq_runs_ref(histogram_of({0.5}, {1}), 2), Runs{0, 1, 2, 3});
  CHECK_SAME(centroids({-1, -0x1p-26, 0.5, 1}), Row{0xBC00, 0x0000, 0x3800, 0x3C00});
  CHECK_SAME(centroids({-1, -0x1p-24, 0.5, 1}), Row{0xBC00, 0x8001, 0x3800, 0x3C00});
}

TEST_CASE("KVQuant: ranges of channels of keys") {
  Row values;
  for (int i = 0; i < 200; ++i)
    values.push_back(tier_oracle::nearest(std::int64_t{(i * 77) % 200 - 50} << 24, 1));
  // k = floor(200 * 0.01 / 2) = 1: -49 and 148.
  const NuqRange range = nuq_range_ref(values, 0.01);
  CHECK(half_to_double(range.middle) == 49.5);
  CHECK(half_to_double(range.radius) == 98.5);
  CHECK(half_to_double(nuq_range_ref(values, 0).radius) == 99.5);
  CHECK(half_to_double(nuq_range_ref(values, 0.25).radius) == 74.5);  // k = 25
  CHECK(half_to_double(nuq_range_ref(values, 0.2499).radius) == 75.5);
  CHECK(nuq_range_ref({0x7BFF, 0xFBFF}, 0).radius == 0x7BFF);
  CHECK(nuq_range_ref({0x7BFF}, 0.25).middle == 0x7BFF);
  CHECK(nuq_range_ref({0x7BFF}, 0.25).radius == 0);
  // Middles between neighbours are ties; half of the least negative number is +0.
  CHECK(nuq_range_ref({0x3C00, 0x3C01}, 0).middle == 0x3C00);
  CHECK(nuq_range_ref({0x3C01, 0x3C02}, 0).middle == 0x3C02);
  CHECK(nuq_range_ref({0x0000, 0x8001}, 0).middle == 0x0000);
  CHECK(nuq_range_ref({0x8000, 0x8000}, 0).middle == 0x0000);
  CHECK_THROWS_AS(nuq_range_ref({}, 0), std::invalid_argument);
  CHECK_THROWS_AS(nuq_range_ref({0x7C00}, 0), std::invalid_argument);
  CHECK_THROWS_AS(nuq_range_ref({0}, 0.3), std::invalid_argument);
}

TEST_CASE("KVQuant: levels of Q-Norm keep mean and deviation") {
  tier_oracle::Rng rng(93);
  for (const int bits : {2, 3, 4}) {
    CASE(bits);
    Doubles y, weights;
    for (int i = 0; i < 20000; ++i) {
      y.push_back(normal(rng) + 0.1);
      weights.push_back(std::abs(normal(rng)));
    }
    const NuqHistogram histogram = histogram_of(y, weights);
    const Row centroids = nuq_centroids_ref(histogram, nuq_runs_ref(histogram, bits));
    NuqNorm norm(centroids);
    for (std::size_t i = 0; i < y.size(); ++i) norm.add(y[i], weights[i]);
    const Row levels = norm.levels();
    const Doubles boundaries = nuq_boundaries_ref(centroids);
    // Weight, mean and mean square, of the elements and of their levels.
    double w = 0, mean = 0, square = 0, mean_after = 0, square_after = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (std::abs(y[i]) > 1) continue;
      const double level =
          half_to_double(levels[static_cast<std::size_t>(nuq_index_ref(boundaries, y[i]))]);
      w += weights[i];
      mean += weights[i] * y[i];
      square += weights[i] * y[i] * y[i];
      mean_after += weights[i] * level;
      square_after += weights[i] * level * level;
    }
    CHECK(mean_after / w == doctest::Approx(mean / w).epsilon(1e-3));
    CHECK(std::sqrt(square_after / w - std::pow(mean_after / w, 2)) ==
          doctest::Approx(std::sqrt(square / w - std::pow(mean / w, 2))).epsilon(1e-3));
    // Wider than the centroids, which are means.
    CHECK(half_to_double(levels.back()) > half_to_double(centroids.back()));
  }
  // Levels by hand: elements -1 -0.5 0.5 1 at centroids -0.75 0.75, all weights 1.
  NuqNorm norm({0xBA00, 0x3A00});
  for (const double element : {-1.0, -0.5, 0.5, 1.0, 1.5}) norm.add(element, 1);
  const double level = std::sqrt(0.625);
  CHECK_SAME(norm.levels(), Row{double_to_half(-level), double_to_half(level)});
  NuqNorm shifted({0x0000, 0x3C00});
  for (const double element : {0.25, 0.75}) shifted.add(element, 1);
  CHECK_SAME(shifted.levels(), Row{0x3400, 0x3A00});
  NuqNorm alone({0xBA00, 0x3A00});
  CHECK_THROWS_WITH_AS(alone.levels(), doctest::Contains("no finite levels"), std::runtime_error);
  alone.add(0.5, 1);
  alone.add(0.75, 1);
  CHECK_THROWS_WITH_AS(alone.levels(), doctest::Contains("one index"), std::runtime_error);
}

TEST_CASE("KVQuant: Q-Norm takes the elements of rows that the codebook was made from") {
  const Row x = {0x3400, 0xBC00, 0x4200, 0x3A00}, middles(4, 0),
            radii = {0x3C00, 0, 0x3C00, 0x3C00};
  const NuqRow key = nuq_key_ref({2, 4, 0, false}, {middles.data(), radii.data()}, x.data());
  REQUIRE_SAME(key.y, Doubles{0.25, 0, 3, 0.75});
  NuqNorm norm({0x0000, 0x3C00});
  norm.add(key, nullptr);
  CHECK_SAME(norm.levels(), Row{0x3400, 0x3A00});
  NuqNorm weighted({0x0000, 0x3C00}), expected({0x0000, 0x3C00});
  const Doubles weights = {3, 5, 7, 1};
  weighted.add(key, weights.data());
  expected.add(0.25, 3);
  expected.add(0.75, 1);
  CHECK_SAME(weighted.levels(), expected.levels());
}
