#include "axelram/exact.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <numeric>

#include "axelram/kernels/scores.hpp"
#include "check.hpp"
#include "element_rows.hpp"
#include "golden_scores.hpp"
#include "units/exact.cuh"

using namespace axelram;
using namespace axelram::kernels;

namespace {

using namespace test;

/// The unit and golden give the same bits; returns the score.
float check_unit(std::int64_t acc, std::int32_t e_u, std::int32_t e_k, int centroid_bits) {
  CASE(acc, e_u, e_k, centroid_bits);
  bool golden_saturated = false, saturated = false;
  const float golden = axelram::score_copy_ref(acc, e_u, e_k, centroid_bits, &golden_saturated);
  const float score = kernels::score_copy_ref(acc, e_u, e_k, centroid_bits, &saturated);
  REQUIRE(std::bit_cast<std::uint32_t>(score) == std::bit_cast<std::uint32_t>(golden));
  REQUIRE(saturated == golden_saturated);
  return score;
}

Parameters exact_parameters(int d, int query_bits, int exact_bits) {
  Parameters p = parameters_of(d, 3, query_bits, 6 + (query_bits + exact_bits) % 11);
  p.scale = ScaleKind::unbiased;
  p.exact_last = 64;
  p.exact_bits = exact_bits;
  return p;
}

/// Copies of random tokens, in random order.
struct HostCopies {
  std::vector<std::int16_t> elements;
  std::vector<std::int32_t> exponents, tokens;

  HostCopies(const Parameters& p, std::size_t count, std::size_t of_tokens) : tokens(of_tokens) {
    elements =
        random_queries<std::int16_t>(count * static_cast<std::size_t>(p.head_dim), p.exact_bits, 5);
    const std::vector<std::int32_t> some = {-11, 0, -28, 15, -130, 112, 2, -149, 90, -60};
    for (std::size_t i = 0; i < count; ++i) exponents.push_back(some[i % some.size()]);
    std::iota(tokens.begin(), tokens.end(), 0);
    std::shuffle(tokens.begin(), tokens.end(), Random(count));
    tokens.resize(count);
  }
};

/// Every element of a copied token is golden's, every other one is as it was.
void check_copies(const Parameters& p, std::size_t queries, std::size_t tokens, std::size_t count) {
  CASE(queries, tokens, count);
  Stream stream;
  const auto d = static_cast<std::size_t>(p.head_dim);
  const auto u = random_queries<std::int32_t>(queries * d, p.query_bits, 4);
  std::vector<std::int32_t> exponents = exponents_of(queries, false);
  for (std::int32_t& e : exponents) e = std::clamp(e, -9000, 9000);
  const HostCopies copies(p, count, tokens);

  const std::vector<std::int64_t> old_accumulators(queries * tokens, 77);
  const std::vector<float> old_scores(queries * tokens, -2.5F);
  std::vector<std::int64_t> accumulators = old_accumulators;
  std::vector<float> scores = old_scores;
  std::uint32_t saturated = 5;
  for (std::size_t q = 0; q < queries; ++q)
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = q * tokens + static_cast<std::size_t>(copies.tokens[i]);
      bool beyond = false;
      accumulators[at] = accumulate_copy_ref(&u[q * d], &copies.elements[i * d], p.head_dim);
      scores[at] = axelram::score_copy_ref(accumulators[at], exponents[q], copies.exponents[i],
                                           p.centroid_bits, &beyond);
      saturated += beyond ? 1 : 0;
    }

  const Buffer<std::int32_t> device_u(stream, u), device_exponents(stream, exponents);
  const Buffer<std::int16_t> elements(stream, copies.elements);
  const Buffer<std::int32_t> copy_exponents(stream, copies.exponents),
      copy_tokens(stream, copies.tokens);
  const Buffer<std::int64_t> device_accumulators(stream, old_accumulators);
  const Buffer<float> device_scores(stream, old_scores);
  const Buffer<std::uint32_t> device_saturated(stream, std::vector<std::uint32_t>{5});
  const MacroConstants constants = macro_constants(p, codebook_rom(p));
  const KeyCopies on_device{elements.data(), copy_exponents.data(), copy_tokens.data(), count};
  score_copies(stream, constants, device_u.data(), device_exponents.data(), queries, on_device,
               tokens, device_accumulators.data(), device_scores.data(), device_saturated.data());
  CHECK_SAME(device_accumulators.download(stream), accumulators);
  CHECK(test::same_bits(device_scores.download(stream), scores));
  CHECK(device_saturated.download(stream)[0] == saturated);
  const Buffer<float> again(stream, old_scores);
  score_copies(stream, constants, device_u.data(), device_exponents.data(), queries, on_device,
               tokens, nullptr, again.data(), nullptr);
  CHECK(test::same_bits(again.download(stream), scores));
}

}  // namespace

TEST_CASE("exact: the unit is golden's at every exponent and centroid width") {
  Random random(1);
  for (int centroid_bits = 6; centroid_bits <= 16; ++centroid_bits)
    for (int e_u = -170; e_u <= 130; e_u += 3)
      for (int e_k = -170; e_k <= 130; ++e_k) {
        CASE(centroid_bits, e_u, e_k);
        const int width = between(random, 0, 39);
        std::int64_t acc = static_cast<std::int64_t>(random() & ((std::uint64_t{1} << width) - 1));
        if (random() % 16 == 0) acc = (std::int64_t{1} << 39) - 1;
        check_unit(random() % 2 == 0 ? acc : -acc, e_u, e_k, centroid_bits);
      }
}

TEST_CASE("exact: the unit rounds once at ties, subnormal ones too, and saturates beyond FLT_MAX") {
  Random random(2);
  for (int i = 0; i < 20000; ++i) {
    CASE(i);
    // 24 bits, half of the last one or beside it; at -149 and below the result is subnormal.
    const int cut = between(random, 1, 14);
    const std::int64_t kept = static_cast<std::int64_t>(random() & 0xFFFFFF) | 0x800000;
    const std::int64_t acc =
        (kept << cut) + (std::int64_t{1} << (cut - 1)) + between(random, -1, 1);
    const std::int32_t sum = i % 2 == 0 ? between(random, -190, -140) : between(random, -140, 85);
    const std::int32_t e_u = between(random, -80, 40);
    check_unit(i % 3 == 0 ? -acc : acc, e_u, sum - e_u - 6, 8);
  }
  const std::int64_t ulp = 0xFFFFFF;  // FLT_MAX = ulp * 2^104
  for (const std::int64_t off : {-1, 0, 1, (1 << 13) - 1})
    for (const int sign : {1, -1}) {
      CASE(off, sign);
      const std::int64_t acc = sign * ((ulp << 14) + off);
      CHECK(check_unit(acc, 60, 24, 8) == static_cast<float>(sign) * FLT_MAX);
      bool saturated = false;
      kernels::score_copy_ref(acc, 60, 24, 8, &saturated);
      CHECK(saturated == (off > 0));
    }
  CHECK(std::signbit(check_unit(-1, -100, -100, 8)));
  CHECK(!std::signbit(check_unit(0, -100, -100, 8)));
}

TEST_CASE("exact: the unit takes any exponents") {
  constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min(),
                         kMost = std::numeric_limits<std::int32_t>::max();
  bool saturated = false;
  CHECK(kernels::score_copy_ref(-3, kMost, kMost, 16, &saturated) == -FLT_MAX);
  CHECK(saturated);
  const float tiny = kernels::score_copy_ref(-3, kLeast, kLeast, 6, &saturated);
  CHECK(tiny == 0);
  CHECK(std::signbit(tiny));
  CHECK(!saturated);
  CHECK(kernels::score_copy_ref(3, kLeast, kMost, 8, &saturated) == 96);
  CHECK(kernels::score_copy_ref(0, kMost, kMost, 8, &saturated) == 0);
}

TEST_CASE("exact: copies of every width are scored in place of records") {
  for (const int d : {32, 64, 128, 256})
    for (const int query_bits : {6, 8, 11, 16})
      for (const int exact_bits : {12, 13, 16}) {
        CASE(d, query_bits, exact_bits);
        check_copies(exact_parameters(d, query_bits, exact_bits), 18, 40, 17);
      }
}

TEST_CASE("exact: any number of queries, tokens and copies") {
  const Parameters p = exact_parameters(128, 8, 16);
  for (const std::size_t queries : {1U, 3U, 4U, 5U, 9U})
    for (const std::size_t count : {1U, 2U, 31U, 32U, 33U, 64U, 100U}) {
      CASE(queries, count);
      check_copies(p, queries, 100, count);
    }
  check_copies(p, 1, 1, 1);
  check_copies(p, 0, 10, 5);
  check_copies(p, 7, 10, 0);
  check_copies(p, 7, 0, 0);
}

TEST_CASE("exact: extreme sums are exact") {
  Stream stream;
  for (const int query_bits : {8, 16}) {
    CASE(query_bits);
    const Parameters p = exact_parameters(256, query_bits, 16);
    const std::int32_t most = (1 << (query_bits - 1)) - 1;
    const Buffer<std::int32_t> u(stream, std::vector<std::int32_t>(256, most)),
        zero(stream, std::vector<std::int32_t>(1));
    const Buffer<std::int16_t> elements(stream, std::vector<std::int16_t>(256, -32767));
    const Buffer<std::int64_t> accumulators(1);
    const Buffer<float> scores(1);
    score_copies(stream, macro_constants(p, codebook_rom(p)), u.data(), zero.data(), 1,
                 {elements.data(), zero.data(), zero.data(), 1}, 1, accumulators.data(),
                 scores.data(), nullptr);
    CHECK(accumulators.download(stream)[0] == -std::int64_t{256} * most * 32767);
  }
}

TEST_CASE("exact: what cannot be scored is rejected by name") {
  Stream stream;
  const Parameters p = exact_parameters(128, 8, 16);
  const MacroConstants c = macro_constants(p, codebook_rom(p));
  const Buffer<std::int32_t> words(128);
  const Buffer<std::int16_t> elements(128);
  const Buffer<float> scores(1);
  const std::int32_t* const w = words.data();
  const KeyCopies copies{elements.data(), w, w, 1};
  const auto text = [&](const MacroConstants& constants, const KeyCopies& of, std::size_t tokens) {
    try {
      score_copies(stream, constants, w, w, 1, of, tokens, nullptr, scores.data(), nullptr);
    } catch (const DeviceError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  MacroConstants wrong = c;
  wrong.exact_bits = 17;
  CHECK(text(wrong, copies, 1) == "score_copies: exact_bits is 17; it must lie in 12..16");
  wrong = c;
  wrong.unbiased = false;
  const std::string of_one = "score_copies(queries [1, 128], copies [1, 128] of 1 tokens): ";
  CHECK(text(wrong, copies, 1) == of_one + "copies need constants.unbiased");
  CHECK(
      text(c, copies, 0) ==
      "score_copies(queries [1, 128], copies [1, 128] of 0 tokens): a token has at most one copy");
  CHECK(text(c, {nullptr, w, w, 1}, 1) == of_one + "no copies");
  CHECK(text(c, {elements.data(), nullptr, w, 1}, 1) == of_one + "no copies");
  CHECK(text(c, {elements.data(), w, nullptr, 1}, 1) == of_one + "no copies");
  CHECK(text(c, {elements.data(), w, w, 2097121}, 1 << 24) ==
        "score_copies(queries [1, 128], copies [2097121, 128] of 16777216 tokens): a grid of 1 x "
        "65536 x 1 blocks; at most 2147483647 x 65535 x 65535 fit");
  CHECK_THROWS_AS(
      score_copies(stream, c, nullptr, w, 1, copies, 1, nullptr, scores.data(), nullptr),
      DeviceError);
  CHECK_THROWS_AS(
      score_copies(stream, c, w, nullptr, 1, copies, 1, nullptr, scores.data(), nullptr),
      DeviceError);
  CHECK_THROWS_AS(score_copies(stream, c, w, w, 1, copies, 1, nullptr, nullptr, nullptr),
                  DeviceError);
}
