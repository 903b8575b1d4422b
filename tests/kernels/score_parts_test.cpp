#include <array>

#include "axelram/kernels/scores.hpp"
#include "check.hpp"
#include "golden_scores.hpp"
#include "two_parts.hpp"

using namespace axelram;
using namespace axelram::kernels;
using namespace test;

namespace {

struct PartCase {
  std::size_t queries, tokens;
  std::vector<std::int32_t> exponents, residual_exponents;
};

/// Scores and sums of the kernel and of golden. Exponents: one for each query.
void check_parts(const Parameters& p, const std::vector<std::int32_t>& u,
                 const std::vector<std::int32_t>& v, const PartCase& c,
                 const std::vector<std::uint8_t>& records) {
  CASE(text_of(p));
  const CodebookRom rom = codebook_rom(p);
  const std::size_t d = static_cast<std::size_t>(p.head_dim), all = c.queries * c.tokens;
  std::vector<std::int64_t> acc, residual_acc;
  std::vector<float> scores(all);
  std::uint32_t saturated = 5;
  for (std::size_t q = 0; q < c.queries; ++q) {
    std::vector<std::int64_t> first(c.tokens), second(c.tokens);
    const std::array<ScorePart, 2> parts =
        score_parts_of(p, rom, u.data() + q * d, c.exponents[q],
                       p.prod() ? v.data() + q * d : nullptr, c.residual_exponents[q]);
    saturated += static_cast<std::uint32_t>(score_parts_ref(parts[0], parts[1], records.data(),
                                                            c.tokens, scores.data() + q * c.tokens,
                                                            first.data(), second.data()));
    for (std::size_t t = 0; t < c.tokens; ++t) {
      acc.push_back(first[t]);
      (p.prod() ? residual_acc : acc).push_back(second[t]);
    }
  }
  Stream stream;
  const Buffer<std::uint8_t> device_records(stream, records);
  const Buffer<std::int32_t> device_u(stream, u), device_v(stream, v),
      exponents(stream, c.exponents), residual_exponents(stream, c.residual_exponents);
  const Buffer<std::int64_t> device_acc(acc.size()), device_residual(residual_acc.size());
  const Buffer<float> device_scores(all);
  const Buffer<std::uint32_t> device_saturated(stream, std::vector<std::uint32_t>{5});
  const RoundedVectors queries{device_u.data(), exponents.data(), device_v.data(),
                               residual_exponents.data(), c.queries};
  const MacroConstants constants = macro_constants(p, rom);
  score_parts(
      stream, constants, queries, device_records.data(), c.tokens,
      {device_scores.data(), device_acc.data(), device_residual.data(), device_saturated.data()});
  REQUIRE_SAME(device_acc.download(stream), acc);
  REQUIRE_SAME(device_residual.download(stream), residual_acc);
  REQUIRE(test::same_bits(device_scores.download(stream), scores));
  REQUIRE(device_saturated.download(stream)[0] == saturated);
  const Buffer<float> alone(all);
  score_parts(stream, constants, queries, device_records.data(), c.tokens,
              {alone.data(), nullptr, nullptr, nullptr});
  REQUIRE(test::same_bits(alone.download(stream), scores));
}

PartCase part_case(const Parameters& p, std::size_t queries, std::size_t tokens) {
  // Residual exponents as far from the others as a second rotation can move them.
  static constexpr int kOdd[] = {-12, -101, 81, -130, -149, -165, 95, 110, 128, 9000, -9000};
  PartCase c{queries, tokens, {}, {}};
  for (std::size_t q = 0; q < queries; ++q) {
    c.exponents.push_back(kOdd[q % std::size(kOdd)]);
    c.residual_exponents.push_back(
        c.exponents.back() + static_cast<int>(q % static_cast<std::size_t>(p.log2_dim() + 2)));
  }
  return c;
}

void check_random_parts(const Parameters& p, std::size_t queries, std::size_t tokens) {
  const std::size_t values = queries * static_cast<std::size_t>(p.head_dim);
  const auto u = random_queries<std::int32_t>(values, p.query_bits, 4);
  const auto v = random_queries<std::int32_t>(p.prod() ? values : 0, p.query_bits, 5);
  check_parts(p, u, v, part_case(p, queries, tokens),
              random_bytes(tokens * static_cast<std::size_t>(p.record_bytes()), 3));
}

}  // namespace

TEST_CASE("two parts: scores of row-major records of every kind and width") {
  for (const int d : {32, 64, 128, 256})
    for (Parameters p : all_two_parts(d))
      for (const int bits : {6, 8, 16}) {
        CASE(d, p, bits);
        p.query_bits = p.centroid_bits = bits;
        check_random_parts(p, 3, 9);
      }
}

TEST_CASE("two parts: scores of ragged and empty sizes, many blocks, odd exponents") {
  for (const Parameters& p : some_two_parts(128, 1)) {
    CASE(p);
    check_random_parts(p, 22, 129);
    check_random_parts(p, 1, 1);
    check_random_parts(p, 0, 100);
    check_random_parts(p, 100, 0);
  }
}

TEST_CASE("two parts: scores of records whose terms cancel") {
  // Sub-vectors of equal indices, and queries of opposite signs in both: equal norms cancel.
  Parameters p = split_of(64, 2, 2, 0);
  const std::size_t half = 32;
  std::vector<std::uint8_t> records;
  std::mt19937_64 random(6);
  for (int t = 0; t < 60; ++t) {
    const std::vector<std::uint8_t> indices = random_bytes(half / 4, static_cast<std::uint64_t>(t));
    const auto norm = static_cast<std::uint16_t>(random());
    const auto other = static_cast<std::uint16_t>(t % 3 == 0 ? norm : norm + 1 + t % 3);
    records.insert(records.end(), indices.begin(), indices.end());
    records.insert(records.end(), indices.begin(), indices.end());
    for (const std::uint16_t n : {norm, other})
      for (const int shift : {0, 8}) records.push_back(static_cast<std::uint8_t>(n >> shift));
  }
  const std::size_t queries = 11;
  auto u = random_queries<std::int32_t>(queries * 2 * half, p.query_bits, 7);
  for (std::size_t q = 0; q < queries; ++q)
    for (std::size_t i = 0; i < half; ++i) u[(2 * q + 1) * half + i] = -u[2 * q * half + i];
  check_parts(p, u, {}, part_case(p, queries, 60), records);
}

TEST_CASE("two parts: what cannot be scored is rejected by name") {
  Stream stream;
  const Parameters one, prod = prod_of(128, 3);
  const Buffer<std::int32_t> words(256);
  const Buffer<float> scores(4);
  const auto score = [&](const Parameters& p, const RoundedVectors& queries, float* to) {
    score_parts(stream, macro_constants(p, codebook_rom(p)), queries, nullptr, 1, {to});
  };
  const RoundedVectors good{words.data(), words.data(), words.data(), words.data(), 1};
  CHECK_THROWS_WITH_AS(score(one, good, scores.data()), doctest::Contains("one part"), DeviceError);
  CHECK_THROWS_WITH_AS(score(prod, good, nullptr), doctest::Contains("no scores"), DeviceError);
  RoundedVectors wrong = good;
  wrong.v = nullptr;
  CHECK_THROWS_WITH_AS(score(prod, wrong, scores.data()), doctest::Contains("no second rotation"),
                       DeviceError);
  wrong.u = nullptr;
  CHECK_THROWS_WITH_AS(score(prod, wrong, scores.data()), doctest::Contains("no queries"),
                       DeviceError);
  CHECK_THROWS_WITH_AS(score_records(stream, macro_constants(prod, codebook_rom(prod)), nullptr,
                                     nullptr, 0, nullptr, 0, nullptr, nullptr, nullptr),
                       doctest::Contains("two parts"), DeviceError);
}
