#include "axelram/int4.hpp"

#include <cmath>
#include <limits>

#include "axelram/fast_int4.hpp"
#include "axelram/half.hpp"
#include "support.hpp"

using namespace axelram;
using test::Floats;

namespace {

constexpr std::size_t kTokens = 70;
constexpr int kLayer = 1, kHead = 0;
constexpr std::uint32_t kSequence = 2;

struct Setup {
  int d = 64, group = 0;
  Int4Mode mode = Int4Mode::symmetric;
  const char* code = "none";
  ErasurePolicy policy = ErasurePolicy::keep;
  double ber = 0;

  std::string specification() const {
    const caches::Int4 part{mode, group, code, policy, {ber, ber > 0 ? 11U : 0U}};
    return caches::to_string({{part}, {part}});
  }
};

/// The first `tokens` rows by golden's functions.
Floats dequantized(const Setup& setup, const Floats& rows, std::size_t tokens, bool value) {
  Int4Rows quantized =
      quantize_int4_ref(rows.data(), tokens, setup.d, {setup.mode, Int4Groups::token, setup.group});
  FaultSite site{11, 0, kLayer, kHead, value, kSequence};
  const std::uint64_t threshold = fault_threshold(setup.ber);
  const std::size_t bits = quantized.row_bits();
  if (std::string(setup.code) == "none") {
    corrupt_rows_ref(site, threshold, tokens, bits, quantized.rows.data());
  } else {
    const Code code = make_code(setup.code);
    auto codewords = encode_int4_ref(code, quantized);
    std::vector<std::uint8_t> mask(code.codeword_bytes(bits));
    corrupt_rows_ref(site, threshold, tokens, code.words(bits) * static_cast<std::size_t>(code.n),
                     codewords.data());
    decode_int4_ref(code, codewords.data(), setup.policy, &quantized);
  }
  Floats x(tokens * static_cast<std::size_t>(setup.d));
  dequantize_int4_ref(quantized, x.data());
  return x;
}

/// Unit vectors: scores and sums are then single elements of the rows, without any rounding.
void check(const Setup& setup) {
  CASE(setup.specification());
  const auto d = static_cast<std::size_t>(setup.d);
  const Floats rows = test::gaussian(kTokens * d, 4);
  for (const UnitTable* const units : {&fast_units(), &reference_units()}) {
    CASE(units == &fast_units());
    const auto cache = test::cache(setup.specification(), {2, 1, setup.d}, *units);
    const auto keys = cache->keys(kLayer, kHead);
    const auto values = cache->values(kLayer, kHead);
    keys->begin(kSequence);
    values->begin(kSequence);
    keys->write(rows.data(), kTokens);
    values->write(rows.data(), 1);
    values->write(rows.data() + d, kTokens - 1);
    const Floats all_keys = dequantized(setup, rows, kTokens, false);
    const Floats all_values = dequantized(setup, rows, kTokens, true);
    for (std::size_t j = 0; j < d; j += 5) {
      CASE(j);
      Floats unit(kTokens * d, 0.0F), scores(kTokens * kTokens, 0.0F);
      for (std::size_t i = 0; i < kTokens; ++i) unit[i * d + j] = 1;
      keys->score(unit.data(), kTokens, 0, 0, kTokens, scores.data());
      for (std::size_t i = 0; i < kTokens; ++i)
        for (std::size_t t = 0; t < i; ++t) {
          CASE(i, t);
          REQUIRE(scores[i * kTokens + t] == all_keys[t * d + j]);
        }
      for (std::size_t i = 0; i < kTokens; i += 7)
        REQUIRE_AT(i, scores[i * kTokens + i] == dequantized(setup, rows, i + 1, false)[i * d + j]);
    }
    for (std::size_t i = 0; i < kTokens; i += 9) {
      CASE(i);
      Floats weights(kTokens, 0.0F), out(d);
      for (std::size_t t = 0; t <= i; ++t) {
        CASE(t);
        weights[t] = 1;
        values->weighted_sum(weights.data(), 1, i, 0, kTokens, out.data());
        weights[t] = 0;
        const Floats prefix = t == i ? dequantized(setup, rows, i + 1, true) : all_values;
        // The own value is a row and its difference to the row as last one: two roundings.
        for (std::size_t j = 0; j < d; ++j)
          REQUIRE_AT(j, std::abs(out[j] - prefix[t * d + j]) <=
                            (t == i ? 1e-6F * std::abs(out[j]) + 1e-6F : 0.0F));
      }
    }
  }
}

}  // namespace

TEST_CASE("INT4 stores hold what golden's INT4 functions make") {
  for (const Int4Mode mode : {Int4Mode::symmetric, Int4Mode::asymmetric})
    for (const int group : {0, 16, 2}) {
      CASE(mode, group);
      check({64, group, mode, "none", ErasurePolicy::keep, 0});
      check({64, group, mode, "none", ErasurePolicy::keep, 0.02});
    }
}

TEST_CASE("INT4 stores hold what golden's INT4 functions make, behind codes") {
  for (const std::string code : {"hamming74", "hamming84", "golay24", "hsiao_72_64"})
    for (const ErasurePolicy policy :
         {ErasurePolicy::keep, ErasurePolicy::zero, ErasurePolicy::interpolate}) {
      if (!make_code(code).detects_errors() && policy != ErasurePolicy::keep) continue;
      CASE(code, policy);
      check({32, 16, Int4Mode::symmetric, code.c_str(), policy, 0.04});
      check({32, 0, Int4Mode::asymmetric, code.c_str(), policy, 0.04});
    }
}

TEST_CASE("fast INT4 rows equal golden's") {
  std::mt19937 random(3);
  const auto pick = [&](int count) {
    return std::uniform_int_distribution<int>(0, count - 1)(random);
  };
  for (int repeat = 0; repeat < 6000; ++repeat) {
    CASE(repeat);
    const std::size_t d = 32, group = std::size_t{1} << pick(6);
    Floats x = test::gaussian(d, static_cast<unsigned>(repeat),
                              std::ldexp(1.0F, pick(3) == 0 ? pick(200) - 100 : pick(40) - 24));
    const int kind = pick(6);
    for (float& value : x) {
      if (kind == 0) value = pick(2) == 0 ? 0.0F : -0.0F;
      if (kind == 1) value = std::round(value);
      if (kind == 2) value = static_cast<float>(half_to_double(double_to_half(value)));
      if (kind == 3) value = std::abs(value) + 1000;
      if (kind == 4) value = static_cast<float>(pick(15) - 7) / 2;  // ties at a scale of 1/2
      if (!std::isfinite(value)) value = std::numeric_limits<float>::max();
    }
    for (const Int4Mode mode : {Int4Mode::symmetric, Int4Mode::asymmetric}) {
      CASE(mode);
      const Int4Rows expected = quantize_int4_ref(
          x.data(), 1, static_cast<int>(d), {mode, Int4Groups::token, static_cast<int>(group)});
      const Int4Layout layout{mode, d, group};
      std::vector<std::uint8_t> row(d / 2, 0xAA);
      std::vector<std::uint16_t> scales(d / group), minima(expected.minima.size());
      quantize_int4_row(layout, x.data(), row.data(), scales.data(), minima.data());
      REQUIRE_SAME(row, expected.rows);
      REQUIRE_SAME(scales, expected.scales);
      REQUIRE_SAME(minima, expected.minima);
      Int4Rows any = expected;
      for (std::uint8_t& byte : any.rows) byte = static_cast<std::uint8_t>(pick(256));
      Floats floats(d), expected_floats(d);
      dequantize_int4_ref(any, expected_floats.data());
      dequantize_int4_row(layout, any.rows.data(), {scales.data(), minima.data()}, floats.data());
      REQUIRE(test::same_bits(floats, expected_floats));
    }
  }
}

TEST_CASE("what INT4 stores reject") {
  CHECK(test::message([] {
          test::cache("int4:group=48", {1, 1, 64});
        }) == "the cache int4 has group=48; it must divide the model's head_dim 64");
  CHECK(test::message([] {
          test::cache("int4", {1, 1, 3});
        }) == "the cache int4 stores two values per byte; the model's head_dim 3 must be even");
  const auto keys = test::cache("int4", {1, 1, 2})->keys(0, 0);
  const Floats rows = {1, 2, 3, std::numeric_limits<float>::quiet_NaN()};
  CHECK(test::message([&] { keys->write(rows.data(), 2); }) ==
        "key of layer 0, head 0, token 1: element 1 is nan; it must be a number");
}

TEST_CASE("bytes of an INT4 row") {
  const auto bytes = [](const char* specification) {
    return test::cache(specification, {1, 1, 128})->keys(0, 0)->bytes_per_token();
  };
  CHECK(bytes("int4") == 66);
  CHECK(bytes("int4:mode=asymmetric,group=32") == 64 + 4 * 4);
  CHECK(bytes("int4:code=hamming74") == 112 + 2);
  CHECK(bytes("int4:code=golay24") == 129 + 2);
}
