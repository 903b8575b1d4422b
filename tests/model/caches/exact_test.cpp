#include "axelram/exact.hpp"

#include <limits>

#include "axelram/files/safetensors.hpp"
#include "axelram/half.hpp"
#include "support.hpp"

using namespace axelram;
using test::Floats;

namespace {

constexpr std::size_t kD = 64, kTokens = 90;
constexpr caches::Shape kShape{2, 2, 64};
constexpr int kLayer = 1, kHead = 0;

/// Specifications of one macro with exact tokens and without.
struct Setup {
  int first, last;
  std::string more = {};  ///< sections of the configuration
  ElementFormat format = ElementFormat::fp16;
  std::string faults = {};

  std::string specification(const test::TemporaryFolder& folder, bool exact) const {
    const std::string path = folder / (exact ? "exact.yaml" : "records.yaml");
    test::put(path, "macro: {head_dim: 64, element_format: " + name_of(format) +
                        "}\nquantizer: {scale: unbiased}\n" + more +
                        (exact ? "exact: {first: " + std::to_string(first) +
                                     ", last: " + std::to_string(last) + "}\n"
                               : ""));
    return "axelram:config=" + path + faults;
  }
  bool is_exact(std::size_t token, std::size_t tokens) const {
    Parameters p{.exact_first = first, .exact_last = last};
    return axelram::is_exact(token, tokens, p);
  }
};

/// The values of one layer and head, written in pieces of 1, 2, 3, ... rows.
std::unique_ptr<transformer::ValueCache> values_of(const std::string& specification,
                                                   const Floats& rows) {
  auto values = test::cache(specification, kShape)->values(kLayer, kHead);
  values->begin(4);  // a sequence before
  values->write(test::gaussian(kTokens * kD, 99).data(), kTokens);
  values->begin(5);
  for (std::size_t t = 0, piece = 1; t < kTokens; t += piece++)
    values->write(&rows[t * kD], std::min(piece, kTokens - t));
  return values;
}

/// The sum over records alone, then weight * element for the exact tokens in order: bit by bit.
void check_values(const Setup& setup) {
  CASE(setup.first, setup.last, setup.more);
  const test::TemporaryFolder folder;
  const Floats rows = test::gaussian(kTokens * kD, 1), weights = test::causal_weights(kTokens, 2);
  const auto values = values_of(setup.specification(folder, true), rows);
  const auto records = values_of(setup.specification(folder, false), rows);
  for (const std::size_t oldest : {std::size_t{0}, std::size_t{2}, std::size_t{40}}) {
    CASE(oldest);
    const std::size_t count = kTokens - oldest;
    Floats given(weights.begin() + static_cast<std::ptrdiff_t>(oldest * kTokens), weights.end());
    Floats rest = given;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t t = 0; t < kTokens; ++t) {
        if (t < oldest) given[i * kTokens + t] = std::numeric_limits<float>::quiet_NaN();
        if (setup.is_exact(t, oldest + i + 1)) rest[i * kTokens + t] = 0;
      }
    Floats sums(count * kD), expected(count * kD);
    values->weighted_sum(given.data(), count, oldest, oldest, kTokens, sums.data());
    records->weighted_sum(rest.data(), count, oldest, oldest, kTokens, expected.data());
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t t = oldest; t <= oldest + i; ++t)
        for (std::size_t j = 0; j < kD && setup.is_exact(t, oldest + i + 1); ++j)
          expected[i * kD + j] +=
              given[i * kTokens + t] *
              static_cast<float>(element_to_double(
                  double_to_element(rows[t * kD + j], setup.format), setup.format));
    REQUIRE(test::same_bits(sums, expected));
  }
}

}  // namespace

TEST_CASE("exact values: the sum over records, and then the elements of exact tokens in order") {
  for (const int first : {0, 1, 16})
    for (const int last : {0, 1, 7, 64}) {
      CASE(first, last);
      if (first + last == 0) continue;
      check_values({first, last});
      check_values({first, last, {}, ElementFormat::bf16, ",ber=0.01,fault_seed=2"});
      check_values({first, last, "ecc: {code: hamming84, erasure: interpolate}\n",
                    ElementFormat::fp16, ",ber=0.05,fault_seed=3"});
    }
}

TEST_CASE("exact values: the same in queries one by one, and alone what was written") {
  const test::TemporaryFolder folder;
  const Floats rows = test::gaussian(kTokens * kD, 3), weights = test::causal_weights(kTokens, 4);
  const auto values = values_of(Setup{1, 3}.specification(folder, true), rows);
  Floats all(kTokens * kD);
  values->weighted_sum(weights.data(), kTokens, 0, 0, kTokens, all.data());
  for (std::size_t t = 0; t < kTokens; ++t) {
    CASE(t);
    Floats one(kD);
    values->weighted_sum(&weights[t * kTokens], 1, t, 0, kTokens, one.data());
    for (std::size_t j = 0; j < kD; ++j) REQUIRE_AT(j, std::abs(one[j] - all[t * kD + j]) < 1e-5F);
  }
  for (const std::size_t token : {0, 1, 5, 6, 7, 8}) {
    CASE(token);  // of a query of token 8
    Floats alone(9, 0.0F), sum(kD);
    alone[token] = 1;
    values->weighted_sum(alone.data(), 1, 8, 0, 9, sum.data());
    bool written = true;
    for (std::size_t j = 0; j < kD; ++j)
      written = written && sum[j] == half_to_double(double_to_half(rows[token * kD + j]));
    CHECK(written == (token == 0 || token > 5));
  }
}

TEST_CASE("exact tokens: no bit error hits them") {
  const test::TemporaryFolder folder;
  const Floats rows = test::gaussian(kTokens * kD, 5), queries = test::gaussian(kTokens * kD, 6);
  const auto scores = [&](const Setup& setup) {
    const auto cache = test::cache(setup.specification(folder, true), kShape);
    return test::all_scores(*cache->keys(kLayer, kHead), rows, queries, kD, 3);
  };
  const Setup setup{2, 5};
  const Floats clean = scores(setup);
  const Floats hit = scores({2, 5, {}, ElementFormat::fp16, ",ber=0.5,fault_seed=1"});
  for (std::size_t i = 0; i < kTokens; ++i)
    for (std::size_t t = 0; t <= i; ++t) {
      CASE(i, t);
      REQUIRE((clean[i * kTokens + t] == hit[i * kTokens + t]) == setup.is_exact(t, i + 1));
    }
}

TEST_CASE("exact tokens: values have no center") {
  const test::TemporaryFolder folder;
  const std::vector<std::uint16_t> center(2 * 2 * kD, 0x4000);  // 2
  files::write_safetensors(folder / "center",
                           {files::view("center", files::DataType::f16, {2, 2, kD}, center)}, {},
                           true);
  const Floats rows = test::gaussian(kTokens * kD, 7), weights = test::causal_weights(kTokens, 8);
  const auto sums = [&](const std::string& more) {
    const auto values = values_of(Setup{1, 4, more}.specification(folder, true), rows);
    Floats out(kTokens * kD);
    values->weighted_sum(weights.data(), kTokens, 0, 0, kTokens, out.data());
    return out;
  };
  CHECK(test::same_bits(sums("rotation: {center: center}\n"), sums("")));
}

TEST_CASE("exact tokens: their bytes are those of a sequence") {
  const test::TemporaryFolder folder;
  for (const int bits : {12, 14, 16}) {
    CASE(bits);
    test::put(folder / "c.yaml",
              "macro: {head_dim: 64}\nquantizer: {scale: unbiased}\nexact: {first: 1, last: 16, "
              "bits: " +
                  std::to_string(bits) + "}\n");
    for (const std::string part : {"", ",exact_channels=2"}) {
      CASE(part);
      const auto cache = test::cache("axelram:config=" + (folder / "c.yaml") + part, kShape);
      CHECK(cache->keys(0, 0)->bytes_per_token() == 26);
      CHECK(cache->keys(0, 0)->bytes_per_sequence() == 17 * (8 * bits + 2));
      CHECK(cache->values(0, 0)->bytes_per_sequence() == 17 * 128);
    }
  }
  for (const std::string other : {"fp16", "int4", "axelram:config=d64-b3"}) {
    CASE(other);
    const auto cache = test::cache(other, kShape);
    CHECK(cache->keys(0, 0)->bytes_per_sequence() + cache->values(0, 0)->bytes_per_sequence() == 0);
  }
}
