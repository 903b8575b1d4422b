#include "axelram/feedback.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "axelram/codebook.hpp"
#include "axelram/fast.hpp"
#include "axelram/half.hpp"
#include "axelram/macro.hpp"
#include "axelram/record.hpp"
#include "axelram/trellis.hpp"
#include "check.hpp"
#include "golden/fast_inputs.hpp"
#include "golden/macro_fixture.hpp"

using namespace axelram;

namespace {

using Square = std::vector<double>;  // [d, d]

/// M / scale of a moment: what feedback of rank 1, or a full one with its damping, stands for.
Square rotated_moment(const QueryMoment& moment, const std::vector<std::int8_t>& signs) {
  const std::size_t d = signs.size();
  Square m(d * d), rotated(d * d);
  double trace = 0;
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j) {
      m[i * d + j] = moment.full.empty()
                         ? (i == j ? 1.0 : 0.0) + double{moment.alpha} * moment.direction[i] *
                                                      double{moment.direction[j]}
                         : double{moment.full[i * d + j]};
      trace += i == j ? m[i * d + j] : 0;
    }
  if (!moment.full.empty()) {
    for (double& element : m) element *= static_cast<double>(d) / trace;
    for (std::size_t i = 0; i < d; ++i) m[i * d + i] += 0.01;
  }
  const auto h = [&](std::size_t i, std::size_t j) {
    return (__builtin_popcountll(i & j) % 2 == 0 ? 1.0 : -1.0) * signs[j] /
           std::sqrt(static_cast<double>(d));
  };
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j)
      for (std::size_t k = 0; k < d; ++k)
        for (std::size_t l = 0; l < d; ++l) rotated[i * d + j] += h(i, k) * m[k * d + l] * h(j, l);
  return rotated;
}

/// M with the elements behind i free: e^T S e is the least e^T M e for given e_0 .. e_i.
Square without_later(Square m, std::size_t d, std::size_t i) {
  for (std::size_t k = d; k-- > i + 1;)
    for (std::size_t r = 0; r < k; ++r)
      for (std::size_t c = 0; c < k; ++c)
        m[r * d + c] -= m[r * d + k] * m[k * d + c] / m[k * d + k];
  return m;
}

QueryMoment random_moment(std::mt19937_64& random, std::size_t d, bool full) {
  std::normal_distribution<float> normal;
  QueryMoment moment;
  if (!full) {
    double square = 0;
    for (std::size_t i = 0; i < d; ++i) {
      moment.direction.push_back(normal(random));
      square += double{moment.direction.back()} * moment.direction.back();
    }
    for (float& element : moment.direction) element /= static_cast<float>(std::sqrt(square));
    moment.alpha = std::exp(2 * normal(random) + 2);
    return moment;
  }
  moment.full.resize(d * d);
  for (std::size_t query = 0; query < 2 * d; ++query) {
    std::vector<float> q(d);
    for (float& element : q) element = normal(random) + 1;
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j) moment.full[i * d + j] += q[i] * q[j];
  }
  return moment;
}

std::vector<std::int32_t> random_key(std::mt19937_64& random, std::size_t d) {
  std::normal_distribution<double> normal(0, 20000);
  std::vector<std::int32_t> y;
  for (std::size_t i = 0; i < d; ++i) y.push_back(static_cast<std::int32_t>(normal(random)));
  return y;
}

std::vector<float> scaled_levels(const std::vector<double>& levels) {
  std::vector<float> scaled;
  for (const double level : levels) scaled.push_back(static_cast<float>(level * 20000));
  return scaled;
}

std::vector<float> codebook_levels(int bits, int d) {
  return scaled_levels(solve_codebook(CodebookKind::gaussian, d, bits).centroids);
}

/// e^T M e of the levels chosen.
double cost(const Square& m, const std::vector<std::int32_t>& y, const std::vector<float>& levels,
            const std::vector<std::uint8_t>& chosen) {
  const std::size_t d = y.size();
  double sum = 0;
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j)
      sum += m[i * d + j] * (y[i] - double{levels[chosen[i]]}) * (y[j] - double{levels[chosen[j]]});
  return sum;
}

}  // namespace

TEST_CASE("feedback: each element makes up for the errors before it as well as one can") {
  std::mt19937_64 random(5);
  for (const bool full : {false, true})
    for (int round = 0; round < 4; ++round) {
      CASE(full, round);
      constexpr std::size_t kDim = 16;
      const std::vector<std::int8_t> signs = fast_test::signs(random, kDim);
      const QueryMoment moment = random_moment(random, kDim, full);
      const Feedback feedback = make_feedback(moment, signs.data(), kDim);
      const Square m = rotated_moment(moment, signs);
      const std::vector<std::int32_t> y = random_key(random, kDim);
      const std::vector<float> levels = codebook_levels(3, kDim);
      std::vector<std::uint8_t> indices(kDim);
      encode_feedback_ref(feedback, y.data(), 1, kDim, levels.data(), 3, 0, indices.data());
      double weighted = 0;
      for (std::size_t i = 0; i < kDim; ++i) {
        CASE(i);
        const Square s = without_later(m, kDim, i);
        CHECK(feedback.weights[i] == doctest::Approx(s[i * kDim + i]).epsilon(1e-4));
        double target = y[i];
        for (std::size_t j = 0; j < i; ++j)
          target += s[i * kDim + j] / s[i * kDim + i] * (y[j] - double{levels[indices[j]]});
        const double distance = std::abs(target - double{levels[indices[i]]});
        for (const float level : levels)
          CHECK_AT(level, distance <= std::abs(target - double{level}) + 1e-3 * 20000);
        weighted += double{feedback.weights[i]} * distance * distance;
      }
      CHECK(weighted == doctest::Approx(cost(m, y, levels, indices)).epsilon(1e-3));
    }
}

TEST_CASE("feedback: with a trellis the path of least cost, if nothing is fed back") {
  std::mt19937_64 random(6);
  constexpr int kDim = 4, kBits = 2;
  const std::vector<float> levels = scaled_levels(trellis_levels(kBits));
  const std::vector<std::int8_t> signs(kDim, 1);
  QueryMoment moment;
  moment.direction = {1, 0, 0, 0};
  const Feedback none = make_feedback(moment, signs.data(), kDim);
  for (const int states : {4, 8, 16})
    for (int round = 0; round < 20; ++round) {
      CASE(states, round);
      const std::vector<std::int32_t> y = random_key(random, kDim);
      std::vector<std::uint8_t> indices(kDim), chosen(kDim);
      const auto distance = [&](const std::vector<std::uint8_t>& of) {
        trellis_level_ref(of.data(), kDim, states, chosen.data());
        double sum = 0;
        for (std::size_t i = 0; i < kDim; ++i) sum += std::pow(y[i] - double{levels[chosen[i]]}, 2);
        return sum;
      };
      double least = std::numeric_limits<double>::max();
      for (unsigned all = 0; all < 256; ++all) {
        for (unsigned i = 0; i < kDim; ++i)
          indices[i] = static_cast<std::uint8_t>(all >> (kBits * i) & 3U);
        least = std::min(least, distance(indices));
      }
      encode_feedback_ref(none, y.data(), 1, kDim, levels.data(), kBits, states, indices.data());
      CHECK(distance(indices) == doctest::Approx(least).epsilon(1e-5));
    }
}

TEST_CASE("feedback: errors along the queries shrink, with a trellis too") {
  std::mt19937_64 random(7);
  constexpr int kDim = 64, kBits = 3, kKeys = 300;
  const std::vector<std::int8_t> signs = fast_test::signs(random, kDim);
  for (const bool full : {false, true}) {
    const QueryMoment moment = random_moment(random, kDim, full);
    const Feedback feedback = make_feedback(moment, signs.data(), kDim);
    QueryMoment alone = moment;
    alone.full.clear();
    alone.alpha = 0;
    alone.direction.resize(kDim);
    const Feedback none = make_feedback(alone, signs.data(), kDim);
    const Square m = rotated_moment(moment, signs);
    for (const int states : {0, 8}) {
      CASE(full, states);
      const std::vector<float> levels =
          states == 0 ? codebook_levels(kBits, kDim) : scaled_levels(trellis_levels(kBits));
      // Ratios of costs, their mean and standard error.
      double sum = 0, squares = 0;
      for (int key = 0; key < kKeys; ++key) {
        const std::vector<std::int32_t> y = random_key(random, kDim);
        const auto cost_with = [&](const Feedback& by) {
          std::vector<std::uint8_t> chosen(kDim);
          encode_feedback_ref(by, y.data(), 1, kDim, levels.data(), kBits, states, chosen.data());
          if (states != 0) trellis_level_ref(chosen.data(), kDim, states, chosen.data());
          return cost(m, y, levels, chosen);
        };
        const double ratio = std::log(cost_with(feedback) / cost_with(none));
        sum += ratio;
        squares += ratio * ratio;
      }
      const double mean = sum / kKeys;
      const double error = std::sqrt((squares / kKeys - mean * mean) / kKeys);
      CHECK(mean + 3 * error < 0);
    }
  }
}

TEST_CASE("feedback: a datapath writes its records, with the norm of the scale") {
  std::mt19937_64 random(8);
  for (const bool full : {false, true})
    for (const bool trellis : {false, true}) {
      CASE(full, trellis);
      Parameters p{.head_dim = 64,
                   .kind = trellis ? QuantizerKind::trellis : QuantizerKind::mse,
                   .scale = ScaleKind::unbiased};
      const std::vector<std::int8_t> signs = macro_fixture::seeded_signs(p.head_dim);
      const QueryMoment moment = random_moment(random, 64, full);
      const Square m = rotated_moment(moment, signs);
      const auto feedback =
          std::make_shared<const Feedback>(make_feedback(moment, signs.data(), p.head_dim));
      const auto rom = std::make_shared<const CodebookRom>(codebook_rom(p));
      Datapath path(p, rom, signs, {}), plain(p, rom, signs, {});
      path.set_feedback(feedback);
      int changed = 0;
      for (int round = 0; round < 20; ++round) {
        CASE(round);
        const auto key =
            fast_test::vector(random, fast_test::Kind::gaussian_like, p.element_format, 64);
        KeyResult written, hardware;
        REQUIRE(path.write(key.data(), &written));
        plain.write(key.data(), &hardware);
        changed += written.indices != hardware.indices;
        CHECK(written.root == hardware.root);
        CHECK(written.thresholds.empty());
        CHECK(written.reconstructions.empty());
        std::vector<std::uint8_t> indices(64);
        std::uint16_t norm = 0;
        unpack_record_ref(written.record.data(), 64, 3, indices.data(), &norm);
        CHECK_SAME(indices, written.indices);
        CHECK(norm == written.norm);
        // The norm that makes the score of a query with this moment right on average.
        std::vector<std::int32_t> y(64);
        int exponent = 0;
        align_ref(key.data(), 64, p.element_format, p.significand_bits, y.data(), &exponent);
        rotate_ref(signs.data(), y.data(), 64);
        const std::vector<std::uint8_t>& chosen = trellis ? written.levels : written.indices;
        std::vector<float> levels;
        for (const double level :
             trellis ? trellis_levels(3) : solve_codebook(p.codebook, 64, 3).centroids)
          levels.push_back(static_cast<float>(level) * static_cast<float>(written.root));
        double yy = 0, yx = 0, ymy = 0, ymx = 0;
        for (std::size_t r = 0; r < 64; ++r) {
          yy += double(y[r]) * y[r];
          yx += double(y[r]) * levels[chosen[r]];
          for (std::size_t c = 0; c < 64; ++c) {
            ymy += y[r] * m[r * 64 + c] * y[c];
            ymx += y[r] * m[r * 64 + c] * double(levels[chosen[c]]);
          }
        }
        const double factor = full ? std::clamp(ymy / ymx * yx / yy, 0.5, 2.0) : 1.0;
        CHECK((factor == 1) != full);
        double square_sum = 0;
        for (const std::int32_t element : y) square_sum += double(element) * element / 64;
        const double expected = factor * std::ldexp(square_sum / double(written.correlation),
                                                    6 + p.centroid_bits - 2 + written.exponent);
        CHECK(half_to_double(written.norm) == doctest::Approx(expected).epsilon(1.0 / 2048));
      }
      CHECK(changed > 10);
      path.set_feedback(nullptr);
      const std::vector<std::uint16_t> key(64, 0x3C00);
      KeyResult written, hardware;
      path.write(key.data(), &written);
      plain.write(key.data(), &hardware);
      CHECK_SAME(written.record, hardware.record);
    }
}

TEST_CASE("feedback: zero keys, nothing known of the queries, and the scale norm") {
  Parameters p{.head_dim = 32};
  const std::vector<std::int8_t> signs = macro_fixture::seeded_signs(32);
  std::mt19937_64 random(9);
  const auto feedback = std::make_shared<const Feedback>(
      make_feedback(random_moment(random, 32, true), signs.data(), 32));
  Datapath path(p, std::make_shared<const CodebookRom>(codebook_rom(p)), signs, {});
  CHECK_THROWS_AS(path.set_feedback(feedback), std::invalid_argument);
  for (const QuantizerKind kind : {QuantizerKind::mse, QuantizerKind::trellis}) {
    CASE(kind);
    p.kind = kind;
    p.scale = ScaleKind::unbiased;
    Datapath zeros(p, std::make_shared<const CodebookRom>(codebook_rom(p)), signs, {});
    zeros.set_feedback(feedback);
    KeyResult written;
    REQUIRE(zeros.write(std::vector<std::uint16_t>(32).data(), &written));
    CHECK_SAME(written.indices, std::vector<std::uint8_t>(32));
    CHECK(written.norm == 0);
    CHECK(!written.scale_refused);
  }
  QueryMoment moment = random_moment(random, 32, false);
  CHECK(feedback_of(moment, signs.data(), 32) != nullptr);
  moment.alpha = 0;
  CHECK(feedback_of(moment, signs.data(), 32) == nullptr);
  moment.full.resize(32 * 32);  // no query at all
  const Feedback nothing = make_feedback(moment, signs.data(), 32);
  for (const float weight : nothing.weights) CHECK_AT(weight, weight == 1);
  for (const float g : nothing.columns) CHECK_AT(g, g == 0);
}

TEST_CASE("a datapath writes many keys as it writes each, those that are not finite too") {
  std::mt19937_64 random(10);
  constexpr std::size_t kKeys = 41, kDim = 64;
  std::vector<std::uint16_t> keys;
  for (std::size_t k = 0; k < kKeys; ++k) {
    auto key = fast_test::vector(random, fast_test::Kind::gaussian_like, ElementFormat::fp16, kDim);
    if (k % 7 == 3) key[k] = 0x7C00;  // infinity
    if (k % 7 == 5) std::fill(key.begin(), key.end(), std::uint16_t{0});
    keys.insert(keys.end(), key.begin(), key.end());
  }
  for (const int kind : {0, 1, 2, 3}) {
    CASE(kind);
    Parameters p{.head_dim = kDim,
                 .kind = kind % 2 == 0 ? QuantizerKind::mse : QuantizerKind::trellis,
                 .scale = ScaleKind::unbiased,
                 .exact_first = 3};
    const std::vector<std::int8_t> signs = macro_fixture::seeded_signs(p.head_dim);
    const auto rom = std::make_shared<const CodebookRom>(codebook_rom(p));
    Datapath together(p, rom, signs, {}, fast_units()), each(p, rom, signs, {});
    if (kind >= 2) {
      const auto feedback = feedback_of(random_moment(random, kDim, false), signs.data(), kDim);
      together.set_feedback(feedback);
      each.set_feedback(feedback);
    }
    std::vector<KeyResult> results(kKeys);
    together.write(keys.data(), kKeys, results.data());
    for (std::size_t k = 0; k < kKeys; ++k) {
      CASE(k);
      KeyResult alone;
      const bool finite = each.write(&keys[k * kDim], &alone);
      CHECK(finite == (k % 7 != 3));
      CHECK(results[k].status == alone.status);
      CHECK_SAME(results[k].record, alone.record);
      CHECK_SAME(results[k].copy.elements, alone.copy.elements);
      CHECK(results[k].correlation == alone.correlation);
      CHECK_SAME(results[k].levels, alone.levels);
    }
  }
}
