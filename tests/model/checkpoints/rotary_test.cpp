#include "rotary.hpp"

#include <cmath>
#include <numbers>

#include "checkpoints/support.hpp"

using axelram::checkpoints::JsonObject;
using axelram::checkpoints::Rotary;
using nlohmann::json;

namespace {

constexpr auto kPi = std::numbers::pi_v<long double>;

Rotary rotary(const json& config, std::size_t head_dim, std::size_t max_positions) {
  const test::TemporaryFolder folder;
  test::put(folder / "config.json", config.dump());
  return axelram::checkpoints::rotary(JsonObject::read(folder / "config.json"), head_dim,
                                      max_positions);
}

/// RoFormer, equation 15, for a channel pair that need not be whole.
long double plain(long double theta, long double pair, std::size_t d) {
  return std::pow(theta, -2 * pair / static_cast<long double>(d));
}

void check(const std::vector<double>& frequencies, std::size_t d,
           const std::function<long double(std::size_t)>& right) {
  REQUIRE(frequencies.size() == d / 2);
  for (std::size_t i = 0; i < d / 2; ++i) {
    CASE(i);
    const long double expected = right(i);
    CHECK(std::abs(frequencies[i] - expected) <= 1e-13L * expected);
  }
}

struct Yarn {
  long double theta, factor, trained, fast = 32, slow = 1;
  std::size_t d;
  bool truncate = true;

  long double turns(long double pair) const {  // over the trained context
    return trained * plain(theta, pair, d) / (2 * kPi);
  }

  /// The pair, not whole, that turns `count` times: by bisection, as turns() falls.
  long double pair_with(long double count) const {
    long double low = -1e4L, high = 1e4L;
    for (int step = 0; step < 200; ++step) {
      const long double middle = (low + high) / 2;
      (turns(middle) > count ? low : high) = middle;
    }
    return low;
  }

  /// YaRN, definition of "NTK-by-parts", with the ramp over the pair's number instead of its turns,
  /// between whole pairs unless `truncate` is false, as in the authors' code and transformers.
  long double frequency(std::size_t i) const {
    long double first = pair_with(fast), last = pair_with(slow);
    if (truncate) first = std::floor(first), last = std::ceil(last);
    first = std::max(first, 0.0L);
    last = std::min(last, static_cast<long double>(d - 1));
    const auto pair = static_cast<long double>(i);
    const long double kept = pair <= first ? 1 : pair >= last ? 0 : (last - pair) / (last - first);
    return plain(theta, pair, d) * (kept + (1 - kept) / factor);
  }
};

}  // namespace

TEST_CASE("rotary: without scaling") {
  for (const std::size_t d : {2U, 16U, 64U, 128U}) {
    CASE(d);
    check(rotary(json::object(), d, 64).frequencies, d,
          [&](std::size_t i) { return plain(10000, static_cast<long double>(i), d); });
    const json scaling = {{"rope_type", "default"}};
    for (const json& config : {json{{"rope_theta", 5e5}}, json{{"rope_theta", 500000}},
                               json{{"rope_theta", 5e5}, {"rope_scaling", nullptr}},
                               json{{"rope_theta", 5e5}, {"rope_scaling", scaling}}}) {
      CASE(config);
      const Rotary read = rotary(config, d, 64);
      CHECK(read.attention_factor == 1);
      check(read.frequencies, d,
            [&](std::size_t i) { return plain(500000, static_cast<long double>(i), d); });
    }
  }
}

TEST_CASE("rotary: linear") {
  for (const std::string key : {"type", "rope_type"}) {
    CASE(key);
    const json scaling = {{key, "linear"}, {"factor", 2.5}};
    const Rotary read = rotary({{"rope_theta", 1e6}, {"rope_scaling", scaling}}, 64, 64);
    CHECK(read.attention_factor == 1);
    check(read.frequencies, 64,
          [](std::size_t i) { return plain(1000000, static_cast<long double>(i), 64) / 2.5L; });
  }
}

// Llama 3.1's definition, by wavelengths.
TEST_CASE("rotary: llama3") {
  const long double theta = 500000, factor = 8, low = 1, high = 4, trained = 8192;
  const std::size_t d = 128;
  const json scaling = {{"rope_type", "llama3"},
                        {"factor", 8.0},
                        {"low_freq_factor", 1.0},
                        {"high_freq_factor", 4.0},
                        {"original_max_position_embeddings", 8192}};
  const Rotary read = rotary({{"rope_theta", 5e5}, {"rope_scaling", scaling}}, d, 131072);
  CHECK(read.attention_factor == 1);
  int kept = 0, stretched = 0, blended = 0;
  check(read.frequencies, d, [&](std::size_t i) {
    const long double frequency = plain(theta, static_cast<long double>(i), d);
    const long double wavelength = 2 * kPi / frequency;
    if (wavelength < trained / high) return ++kept, frequency;
    if (wavelength > trained / low) return ++stretched, frequency / factor;
    const long double smooth = (trained / wavelength - low) / (high - low);
    return ++blended, (1 - smooth) * frequency / factor + smooth * frequency;
  });
  CHECK(kept == 29);
  CHECK(blended == 6);
  CHECK(stretched == 29);
}

TEST_CASE("rotary: yarn") {
  for (const bool truncate : {true, false})
    for (const auto& [fast, slow] : {std::pair{32.0, 1.0}, {16.0, 0.5}, {1.0, 0.25}})
      for (const std::size_t d : {16U, 64U, 128U})
        for (const int trained : {64, 4096, 32768})
          for (const double theta : {1000.0, 10000.0, 1000000.0}) {
            CASE(truncate, fast, slow, trained, theta, d);
            const Yarn yarn{theta, 4, static_cast<long double>(trained), fast, slow, d, truncate};
            json scaling = {{"rope_type", "yarn"},
                            {"factor", 4.0},
                            {"original_max_position_embeddings", trained}};
            if (!truncate) scaling["truncate"] = false;
            if (fast != 32) scaling["beta_fast"] = fast, scaling["beta_slow"] = slow;
            const Rotary read =
                rotary({{"rope_theta", theta}, {"rope_scaling", scaling}}, d, 999999);
            check(read.frequencies, d, [&](std::size_t i) { return yarn.frequency(i); });
            // The paper's promise, whatever the ramp: fast pairs are kept, slow ones stretched.
            for (std::size_t i = 0; i < d / 2; ++i) {
              CASE(i);
              const long double turns = yarn.turns(static_cast<long double>(i));
              const double before =
                  std::pow(theta, -2.0 * static_cast<double>(i) / static_cast<double>(d));
              if (turns > 1.001L * fast && !truncate)
                CHECK(read.frequencies[i] == doctest::Approx(before).epsilon(1e-12));
              if (turns < 0.999L * slow && !truncate)
                CHECK(read.frequencies[i] == doctest::Approx(before / 4).epsilon(1e-12));
            }
          }
}

TEST_CASE("rotary: yarn takes the model's positions where no trained ones are given") {
  const json scaling = {{"type", "yarn"}, {"factor", 2.0}};
  const Yarn yarn{10000, 2, 2048, 32, 1, 64, true};
  check(rotary({{"rope_scaling", scaling}}, 64, 2048).frequencies, 64,
        [&](std::size_t i) { return yarn.frequency(i); });
}

// YaRN, equation 22: 0.1 ln(s) + 1. mscale and mscale_all_dim are DeepSeek's.
TEST_CASE("rotary: yarn's attention factor") {
  const auto factor = [](json more) {
    more["rope_type"] = "yarn";
    if (!more.contains("factor")) more["factor"] = 40.0;
    return rotary({{"rope_scaling", more}}, 64, 4096).attention_factor;
  };
  const double log = std::log(40.0);
  CHECK(factor(json::object()) == doctest::Approx(0.1 * log + 1).epsilon(1e-14));
  CHECK(factor({{"factor", 1.0}}) == 1);
  CHECK(factor({{"factor", 0.5}}) == 1);
  CHECK(factor({{"attention_factor", 0.75}}) == 0.75);
  CHECK(factor({{"attention_factor", 0.75}, {"mscale", 2.0}, {"mscale_all_dim", 1.0}}) == 0.75);
  CHECK(factor({{"mscale", 0.707}, {"mscale_all_dim", 0.707}}) == 1);
  CHECK(factor({{"mscale", 2.0}, {"mscale_all_dim", 0.5}}) ==
        doctest::Approx((0.2 * log + 1) / (0.05 * log + 1)).epsilon(1e-14));
  CHECK(factor({{"mscale", 2.0}}) == doctest::Approx(0.1 * log + 1).epsilon(1e-14));
  for (const char* key : {"mscale", "mscale_all_dim"}) {
    json scales = {{"mscale", 2.0}, {"mscale_all_dim", 0.5}};
    scales[key] = 0;
    CHECK_AT(key, factor(scales) == doctest::Approx(0.1 * log + 1).epsilon(1e-14));
  }
}

TEST_CASE("rotary: yarn's bounds that are 0 are those that are not given") {
  const json scaling = {{"rope_type", "yarn"}, {"factor", 4.0}};
  const auto frequencies = [&](const json& more) {
    json all = scaling;
    all.update(more);
    return rotary({{"rope_scaling", all}}, 64, 4096).frequencies;
  };
  for (const json& zero : {json(0), json(0.0), json(-0.0)}) {
    CASE(zero);
    CHECK_SAME(frequencies({{"beta_fast", zero}, {"beta_slow", zero}}),
               frequencies(json::object()));
  }
}

TEST_CASE("rotary: rope_parameters, where theta lies beside the scaling, means the same") {
  for (json scaling :
       {json{{"rope_type", "default"}}, json{{"rope_type", "linear"}, {"factor", 3.0}},
        json{{"rope_type", "llama3"},
             {"factor", 8.0},
             {"low_freq_factor", 1.0},
             {"high_freq_factor", 4.0},
             {"original_max_position_embeddings", 32}},
        json{{"rope_type", "yarn"}, {"factor", 4.0}, {"beta_fast", 16.0}, {"mscale", 1.0}}}) {
    CASE(scaling);
    const Rotary older = rotary({{"rope_theta", 2e5}, {"rope_scaling", scaling}}, 64, 128);
    // Both theta inside and theta outside occur.
    const Rotary outside = rotary({{"rope_theta", 2e5}, {"rope_parameters", scaling}}, 64, 128);
    scaling["rope_theta"] = 2e5;
    const Rotary inside = rotary({{"rope_theta", 7.0}, {"rope_parameters", scaling}}, 64, 128);
    for (const Rotary* other : {&outside, &inside}) {
      CASE(other);
      CHECK_SAME(other->frequencies, older.frequencies);
      CHECK(other->attention_factor == older.attention_factor);
    }
  }
}
