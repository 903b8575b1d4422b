#include "axelram/calibration/channels.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "axelram/calibration/energies.hpp"
#include "axelram/files/config.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/half.hpp"
#include "check.hpp"

using namespace axelram;
using calibration::ChannelRule;
using checkpoints::Positions;

namespace {

constexpr std::size_t kDim = 32, kRows = 400, kHeads = 2;

/// Keys with an offset, and second moments of queries, whose channels differ in energy.
struct Made {
  explicit Made(unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    keys = {1, kHeads, kRows, kDim, std::vector<float>(kHeads * kRows * kDim)};
    queries.layers = 1;
    queries.heads = kHeads;
    queries.head_dim = kDim;
    queries.moments.resize(kHeads * kDim * kDim);
    for (std::size_t head = 0; head < kHeads; ++head)
      for (std::size_t channel = 0; channel < kDim; ++channel) {
        const float size = std::exp(normal(random)), offset = 3 * normal(random);
        for (std::size_t t = 0; t < kRows; ++t)
          at(head, t, channel) = size * normal(random) + offset;
        moment(head, channel) = std::exp(2 * static_cast<double>(normal(random)));
      }
  }
  float& at(std::size_t head, std::size_t row, std::size_t channel) {
    return keys.values[(head * kRows + row) * kDim + channel];
  }
  double& moment(std::size_t head, std::size_t channel) {
    return queries.moments[(head * kDim + channel) * kDim + channel];
  }
  calibration::Channels choose(ChannelRule rule, calibration::SplitBits bits = {},
                               Positions positions = Positions::rotary_halves) const {
    return choose_channels(keys, queries, positions, rule, bits);
  }

  calibration::Keys keys;
  calibration::Queries queries;
};

std::vector<std::int32_t> of_head(const calibration::Channels& channels, std::size_t head) {
  const auto first = channels.high.begin() + static_cast<std::ptrdiff_t>(head * kDim / 2);
  return {first, first + kDim / 2};
}

double variance(Made& made, std::size_t head, std::size_t channel) {
  double sum = 0, squares = 0;
  for (std::size_t t = 0; t < kRows; ++t) {
    const double x = made.at(head, t, channel);
    sum += x / kRows;
    squares += x * x / kRows;
  }
  return squares - sum * sum;
}

}  // namespace

TEST_CASE("channels: pairs of the largest product of energies, in either order of pairs") {
  Made made(1);
  for (const Positions positions : {Positions::rotary_halves, Positions::rotary_interleaved}) {
    CASE(positions);
    const calibration::Channels channels = made.choose(ChannelRule::scores, {}, positions);
    for (std::size_t head = 0; head < kHeads; ++head) {
      CASE(head);
      const std::vector<std::int32_t> high = of_head(channels, head);
      CHECK(std::is_sorted(high.begin(), high.end()));
      const std::set<std::int32_t> chosen(high.begin(), high.end());
      REQUIRE(chosen.size() == kDim / 2);
      double least = 1e300, most = 0;
      for (std::size_t pair = 0; pair < kDim / 2; ++pair) {
        CASE(pair);
        const bool halves = positions == Positions::rotary_halves;
        const std::size_t a = halves ? pair : 2 * pair, b = halves ? pair + kDim / 2 : a + 1;
        const double product = (variance(made, head, a) + variance(made, head, b)) *
                               (made.moment(head, a) + made.moment(head, b));
        const bool high_a = chosen.count(static_cast<std::int32_t>(a)) != 0;
        CHECK(high_a == (chosen.count(static_cast<std::int32_t>(b)) != 0));
        (high_a ? least : most) = high_a ? std::min(least, product) : std::max(most, product);
      }
      CHECK(least > most);
    }
  }
}

TEST_CASE(
    "channels: a rotation of pairs moves no energy over the border, but by magnitude it does") {
  Made made(2), turned(2);
  for (std::size_t head = 0; head < kHeads; ++head)
    for (std::size_t pair = 0; pair < kDim / 2; ++pair) {
      const double angle = 0.3 + static_cast<double>(pair), c = std::cos(angle),
                   s = std::sin(angle);
      const std::size_t other = pair + kDim / 2;
      for (std::size_t t = 0; t < kRows; ++t) {
        const double a = made.at(head, t, pair), b = made.at(head, t, other);
        turned.at(head, t, pair) = static_cast<float>(c * a - s * b);
        turned.at(head, t, other) = static_cast<float>(s * a + c * b);
      }
      const double a = made.moment(head, pair), b = made.moment(head, other);
      turned.moment(head, pair) = c * c * a + s * s * b;
      turned.moment(head, other) = s * s * a + c * c * b;
    }
  CHECK_SAME(made.choose(ChannelRule::scores).high, turned.choose(ChannelRule::scores).high);
  CHECK_DIFFERENT(made.choose(ChannelRule::magnitude).high,
                  turned.choose(ChannelRule::magnitude).high);
}

TEST_CASE("channels by magnitude: the largest mean squares, the mean included; a tie the lower") {
  Made made(3);
  const calibration::Channels channels = made.choose(ChannelRule::magnitude);
  for (std::size_t head = 0; head < kHeads; ++head) {
    CASE(head);
    const std::vector<std::int32_t> high = of_head(channels, head);
    const auto square = [&](std::size_t channel) {
      double sum = 0;
      for (std::size_t t = 0; t < kRows; ++t)
        sum += std::pow(static_cast<double>(made.at(head, t, channel)), 2);
      return sum;
    };
    double least = 1e300, most = 0;
    for (std::size_t channel = 0; channel < kDim; ++channel)
      if (std::binary_search(high.begin(), high.end(), static_cast<std::int32_t>(channel)))
        least = std::min(least, square(channel));
      else
        most = std::max(most, square(channel));
    CHECK(least > most);
  }
  std::fill(made.keys.values.begin(), made.keys.values.end(), 1.0F);
  const std::vector<std::int32_t> tied = of_head(made.choose(ChannelRule::magnitude), 1);
  for (std::size_t i = 0; i < kDim / 2; ++i) CHECK_AT(i, tied[i] == static_cast<std::int32_t>(i));
}

TEST_CASE("channels: the predicted factor") {
  // Half of the pairs have all energy: the error is that of the high bits in half the dimensions.
  Made made(4);
  for (std::size_t head = 0; head < kHeads; ++head)
    for (std::size_t channel = 0; channel < kDim; ++channel) {
      const bool high = channel % 16 < 8;
      for (std::size_t t = 0; t < kRows; ++t)
        made.at(head, t, channel) = !high ? 0.0F : t % 2 == 0 ? 2.0F : -2.0F;
      made.moment(head, channel) = high ? 5 : 0;
    }
  // D / (1 - D) of the Gaussian codebooks of 1 to 4 bits.
  const double r[] = {0.57080, 0.13312, 0.03578, 0.009588};
  for (const auto& [high, low] : {std::pair{4, 2}, {3, 1}, {3, 2}, {2, 2}}) {
    CASE(high, low);
    const calibration::Channels channels = made.choose(ChannelRule::scores, {high, low});
    for (const double factor : channels.factors)
      CHECK_AT(factor,
               factor == doctest::Approx(2 * std::sqrt(r[high - 1] / r[low - 1])).epsilon(1e-3));
  }
  // Equal energies: the mean of both errors over their geometric mean.
  for (std::size_t head = 0; head < kHeads; ++head)
    for (std::size_t channel = 0; channel < kDim; ++channel) {
      for (std::size_t t = 0; t < kRows; ++t) made.at(head, t, channel) = t % 2 == 0 ? 2.0F : -2.0F;
      made.moment(head, channel) = 5;
    }
  const calibration::Channels equal = made.choose(ChannelRule::scores, {4, 2});
  CHECK(equal.factors[1] ==
        doctest::Approx((r[3] + r[1]) / 2 / std::sqrt(r[3] * r[1])).epsilon(1e-3));
  std::fill(made.keys.values.begin(), made.keys.values.end(), 0.0F);
  CHECK(made.choose(ChannelRule::scores).factors[0] == 1);
}

TEST_CASE("concentration of energies") {
  CHECK(calibration::concentration({{}, {1, 1, 1, 1}}) == 0.5);
  CHECK(calibration::concentration({{}, {0, 7, 0, 0}}) == 1);
  CHECK(calibration::concentration({{}, {0, 0}}) == 0);
}

TEST_CASE("channels: those of the bundled split are the rule's for the bundled trace") {
  const files::Config config = files::read_config(AXELRAM_SOURCE "/configs/d128-split42.yaml");
  const files::Trace trace = files::read_trace(AXELRAM_SOURCE "/traces/byte-llama-d128.safetensors",
                                               config.parameters, config.max_keys);
  const std::size_t d = 128;
  calibration::Keys keys{1, 1, trace.key_count(), d, {}};
  for (const std::uint16_t element : trace.keys)
    keys.values.push_back(static_cast<float>(half_to_double(element)));
  calibration::Queries queries;
  queries.layers = queries.heads = 1;
  queries.head_dim = d;
  queries.moments.resize(d * d);
  for (std::size_t i = 0; i < trace.queries.size(); ++i) {
    const double element = half_to_double(trace.queries[i]);
    queries.moments[i % d * d + i % d] +=
        element * element / static_cast<double>(trace.query_count());
  }
  const calibration::Channels channels =
      choose_channels(keys, queries, Positions::rotary_halves, ChannelRule::scores, {4, 2});
  const std::vector<std::uint16_t>& bundled = config.head_rotation.high_channels;
  REQUIRE(bundled.size() == d / 2);
  CHECK_SAME(bundled, channels.high);
}
