#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "axelram/half.hpp"
#include "axelram/macro.hpp"
#include "axelram/record.hpp"
#include "axelram/residual.hpp"
#include "axelram/rounding.hpp"
#include "axelram/score.hpp"
#include "axelram/signs.hpp"
#include "check.hpp"
#include "golden/contract_vectors.hpp"
#include "golden/fields.hpp"

using namespace axelram;
using namespace contract_vectors;

namespace {

HeadRotation rotation_of(const Parameters& p) {
  HeadRotation rotation;
  const int d = p.head_dim;
  rotation.signs.resize(static_cast<std::size_t>(d));
  if (p.split()) {
    for (int j = 0; j < 2; ++j)
      sign_vector(42, 0, (1 << 18) * (1 + j), d / 2, rotation.signs.data() + j * d / 2);
    for (int channel = 0; channel < d; channel += 2)
      rotation.high_channels.push_back(static_cast<std::uint16_t>(channel));
  } else {
    sign_vector(42, 0, 0, d, rotation.signs.data());
  }
  if (p.prod()) {
    rotation.residual_signs.resize(rotation.signs.size());
    sign_vector(42 ^ 0x514A4C, 0, 0, d, rotation.residual_signs.data());
  }
  return rotation;
}

Macro make_macro(const Parameters& p) { return {p, rotation_of(p), {}, 64}; }

struct Expected {
  std::size_t bytes;
  std::uint32_t crc;
  std::array<std::uint8_t, 8> first_bytes;
  std::array<std::uint16_t, 2> norms;
  std::array<std::int64_t, 2> acc;
  std::uint32_t score;
  std::array<std::int64_t, 2> correlations{};
  std::array<std::uint32_t, 2> path_costs{};
};

void check_vector(const Parameters& p, const Expected& expected) {
  Macro macro = make_macro(p);
  const KeyResult key = macro.write(vector_of_seed(1, p.head_dim).data());
  CHECK(key.record.size() == expected.bytes);
  CHECK(crc32(key.record) == expected.crc);
  for (std::size_t i = 0; i < expected.first_bytes.size(); ++i)
    CHECK_AT(i, key.record[i] == expected.first_bytes[i]);
  CHECK(key.norm == expected.norms[0]);
  CHECK((p.prod() ? key.residual.norm : key.second.norm) == expected.norms[1]);
  CHECK(key.correlation == expected.correlations[0]);
  CHECK(key.second.correlation == expected.correlations[1]);
  CHECK(key.path_cost == expected.path_costs[0]);
  CHECK(key.second.path_cost == expected.path_costs[1]);
  const QueryResult query = macro.query(vector_of_seed(2, p.head_dim).data());
  CHECK(query.acc[0] == expected.acc[0]);
  CHECK(query.second_acc[0] == expected.acc[1]);
  CHECK(std::bit_cast<std::uint32_t>(query.scores[0]) == expected.score);
}

Parameters prod(int index_bits) { return {.index_bits = index_bits, .kind = QuantizerKind::prod}; }

Parameters split(QuantizerKind kind, int high, int low) {
  return {.kind = kind, .scale = ScaleKind::unbiased, .split_high = high, .split_low = low};
}

constexpr std::uint16_t kOne = 0x3C00;  // sigma = 1024, epsilon = -10

/// A term of value acc * 2^exponent.
ScoreTerm term(std::int64_t acc, int exponent) { return {acc, kOne, 1, exponent}; }

float sum_of(const ScoreTerm& a, const ScoreTerm& b, bool saturates = false) {
  bool saturated = false, reversed = false;
  const float score = score_sum_ref(a, b, &saturated);
  CHECK(saturated == saturates);
  // The order of the terms does not matter, to the last bit.
  CHECK(std::bit_cast<std::uint32_t>(score_sum_ref(b, a, &reversed)) ==
        std::bit_cast<std::uint32_t>(score));
  CHECK(reversed == saturated);
  return score;
}

}  // namespace

TEST_CASE("two parts: vectors of the contract") {
  check_vector(prod(2), {36,
                         0x4539CA2C,
                         {0xF3, 0x86, 0x90, 0x5F, 0xBD, 0x86, 0x94, 0x29},
                         {0x493C, 0x4871},
                         {67945, -233},
                         0x4791B5AB});
  check_vector(prod(3), {52,
                         0xC390E549,
                         {0x5A, 0xBA, 0x39, 0xD0, 0x01, 0xD6, 0xBE, 0x37},
                         {0x493C, 0x44C5},
                         {11448, 453},
                         0x47A39116});
  Parameters wide = prod(3);
  wide.head_dim = 64;
  wide.significand_bits = 12;
  wide.query_bits = wide.centroid_bits = 16;
  check_vector(wide, {28,
                      0xF97583E3,
                      {0x86, 0x9A, 0x35, 0xD1, 0x49, 0xC6, 0xBF, 0x6E},
                      {0x4715, 0x3FC0},
                      {1231935868, -166324},
                      0x49AF702B});
  check_vector(split(QuantizerKind::mse, 4, 2), {52,
                                                 0x64F89EB0,
                                                 {0x17, 0x86, 0xF7, 0x91, 0x7B, 0xCA, 0xB5, 0x34},
                                                 {0x4910, 0x46F8},
                                                 {6879, 5472},
                                                 0x46D28370,
                                                 {330935408, 573678120}});
  check_vector(split(QuantizerKind::trellis, 3, 1),
               {36,
                0x308BDDB4,
                {0xCB, 0xB6, 0xA3, 0x5E, 0x2F, 0x0E, 0xE2, 0x58},
                {0x493F, 0x48EC},
                {6155, 19278},
                0x477862CE,
                {319341022, 406216808},
                {1364939, 19299520}});
}

TEST_CASE("two parts: words of the ROM") {
  // Z at b = 2, 3 and 4 as the contract prints them (bit-contract.md#residual-6).
  CHECK(codebook_rom(prod(2)).residual_scale == 13073851);
  CHECK(codebook_rom(prod(3)).residual_scale == 6525654);
  CHECK(codebook_rom(prod(4)).residual_scale == 3361240);
  // One bit has two words, at the end of their range whatever its width.
  for (int bits = 6; bits <= 16; ++bits) {
    CASE(bits);
    Parameters p = prod(2);
    p.centroid_bits = bits;
    const std::int32_t most = (1 << (bits - 1)) - 1;
    CHECK_SAME(codebook_rom(p).centroids, std::vector<std::int32_t>{-most, most});
    CHECK_SAME(codebook_rom(p).boundaries, std::vector<std::int32_t>{0});
  }
  const CodebookRom rom = codebook_rom(split(QuantizerKind::mse, 4, 2));
  CHECK(rom.centroids.size() == 16);
  REQUIRE(rom.second != nullptr);
  CHECK(rom.second->centroids.size() == 4);
  CHECK(rom.score_scale == std::ldexp(1, -12));
  CHECK(rom.second->score_scale == rom.score_scale);
}

TEST_CASE("two parts: a sum of terms is rounded once") {
  CHECK(sum_of(term(3, 0), term(5, 0)) == 8);
  CHECK(sum_of(term(3, 4), term(5, 0)) == 53);
  CHECK(sum_of(term(3, -20), term(5, 10)) == 5120 + 3 * 0x1p-20F);
  // A tie of 25 bits, and what lies far below it.
  constexpr std::int64_t kTie = 0x1000001, kOddTie = 0x1000003;
  for (int below = 1; below <= 50; ++below) {
    CASE(below);
    CHECK(sum_of(term(kTie, 0), term(0, -below)) == 0x1000000);
    CHECK(sum_of(term(kTie, 0), term(1, -below)) == 0x1000002);
    CHECK(sum_of(term(kTie, 0), term(-1, -below)) == 0x1000000);
    CHECK(sum_of(term(kOddTie, 0), term(0, -below)) == 0x1000004);
    CHECK(sum_of(term(kOddTie, 0), term(-1, -below)) == 0x1000002);
    CHECK(sum_of(term(-kOddTie, 0), term(1, -below)) == -0x1000002);
  }
  // Terms that cancel leave +0; a term of 0 may lie anywhere.
  CHECK(std::bit_cast<std::uint32_t>(sum_of(term(-7, 3), term(7, 3))) == 0);
  CHECK(std::bit_cast<std::uint32_t>(sum_of(term(0, -900), term(0, 900))) == 0);
  CHECK(sum_of(term(0, -900), term(9, 1)) == 18);
  CHECK(sum_of(term(1, 20), term(-1, -29)) == 0x1p20F);
  // Subnormals, and a value that rounds to nothing and keeps its sign.
  CHECK(sum_of(term(1, -149), term(1, -149)) == 0x1p-148F);
  CHECK(std::bit_cast<std::uint32_t>(sum_of(term(-1, -160), term(1, -170))) == 0x80000000);
  // The limit is FLT_MAX, exactly, before rounding.
  constexpr float kMost = std::numeric_limits<float>::max();
  CHECK(sum_of(term(0xFFFFFF, 104), term(0, 104)) == kMost);
  CHECK(sum_of(term(0xFFFFFF, 104), term(1, 60), true) == kMost);
  CHECK(sum_of(term(0xFFFFFF, 104), term(-1, 60)) == kMost);
  CHECK(sum_of(term(-0xFFFFFF, 104), term(-1, 54), true) == -kMost);
}

TEST_CASE("two parts: a sum of terms against wide integers") {
  std::mt19937_64 random(7);
  for (int draw = 0; draw < 200000; ++draw) {
    CASE(draw);
    const auto acc = [&](int bits) {
      const auto value = static_cast<std::int64_t>(random() >> (64 - bits));
      return random() % 2 == 0 ? value : -value;
    };
    const auto norm = [&] { return static_cast<std::uint16_t>(random() & 0x7FFF); };
    const int exponent = static_cast<int>(random() % 200) - 140;
    const ScoreTerm a = {acc(20), norm(), 1, exponent};
    const ScoreTerm b = {acc(14), norm(), 1, exponent};
    // Both products have at most 31 bits and lie at most 30 places apart: 62 bits hold the sum.
    const NormValue an = decode_norm(a.norm), bn = decode_norm(b.norm);
    const int low = std::min(an.exponent, bn.exponent);
    const std::int64_t sum = a.acc * an.significand * (std::int64_t{1} << (an.exponent - low)) +
                             b.acc * bn.significand * (std::int64_t{1} << (bn.exponent - low));
    const auto magnitude = static_cast<std::uint64_t>(std::abs(sum));
    const auto bits = static_cast<std::uint32_t>(encode_rne(magnitude, exponent + low, 23, 127)) |
                      (sum < 0 ? 0x80000000U : 0U);
    bool saturated = true;
    REQUIRE(std::bit_cast<std::uint32_t>(score_sum_ref(a, b, &saturated)) == bits);
    REQUIRE(!saturated);
  }
}

TEST_CASE("two parts: records") {
  std::mt19937 random(3);
  for (const auto& [first_count, first_bits, second_count, second_bits] :
       {std::array{128, 2, 128, 1}, std::array{16, 3, 16, 1}, std::array{64, 4, 64, 3},
        std::array{16, 1, 16, 1}}) {
    CASE(first_count, first_bits, second_count, second_bits);
    const auto draw = [&](int count, int bits) {
      std::vector<std::uint8_t> indices(static_cast<std::size_t>(count));
      for (std::uint8_t& index : indices)
        index = static_cast<std::uint8_t>(random() % (1U << bits));
      return indices;
    };
    std::vector<std::uint8_t> a = draw(first_count, first_bits),
                              b = draw(second_count, second_bits);
    const RecordPart first = {a.data(), first_count, first_bits, 0x1234};
    const RecordPart second = {b.data(), second_count, second_bits, 0x5678};
    std::vector<std::uint8_t> record(static_cast<std::size_t>(record_bytes(first, second)), 0xFF);
    pack_parts_ref(first, second, record.data());
    CHECK(record.size() * 8 == a.size() * static_cast<std::size_t>(first_bits) +
                                   b.size() * static_cast<std::size_t>(second_bits) + 32);
    CHECK(record[record.size() - 4] == 0x34);
    CHECK(record[record.size() - 1] == 0x56);
    std::vector<std::uint8_t> a_again(a.size()), b_again(b.size());
    RecordPart first_again = {a_again.data(), first_count, first_bits, 0};
    RecordPart second_again = {b_again.data(), second_count, second_bits, 0};
    unpack_parts_ref(record.data(), &first_again, &second_again);
    CHECK_SAME(a_again, a);
    CHECK_SAME(b_again, b);
    CHECK(first_again.norm == 0x1234);
    CHECK(second_again.norm == 0x5678);
  }
}

TEST_CASE("residual: shift, rounding and saturation") {
  // R is 0: the residual is y itself.
  const std::vector<std::int32_t> levels = {0};
  const std::vector<std::uint8_t> indices(4, 0);
  std::vector<std::int32_t> rho(4);
  const auto residual = [&](std::vector<std::int32_t> y) {
    return residual_ref(y.data(), indices.data(), 4, levels.data(), 1, 12, rho.data());
  };
  CHECK(residual({0, 0, 0, 0}) == 0);
  CHECK_SAME(rho, std::vector<std::int32_t>{0, 0, 0, 0});
  CHECK(residual({2047, -2047, 1, 0}) == 0);
  CHECK_SAME(rho, std::vector<std::int32_t>{2047, -2047, 1, 0});
  // 4095 / 2 would round to 2048, which 12 bits with sign do not hold on the negative side alike.
  CHECK(residual({4095, -4095, 1, 3}) == 1);
  CHECK_SAME(rho, std::vector<std::int32_t>{2047, -2047, 0, 2});
  CHECK(residual({-(1 << 28), 1 << 17, 3 << 17, -(3 << 17)}) == 18);
  CHECK_SAME(rho, std::vector<std::int32_t>{-1024, 0, 2, -2});
}

TEST_CASE("two parts: keys of zero") {
  const std::vector<std::uint16_t> zero(128, 0);
  for (const Parameters& p :
       {prod(3), split(QuantizerKind::mse, 3, 1), split(QuantizerKind::trellis, 2, 2)}) {
    CASE(p);
    Macro macro = make_macro(p);
    const KeyResult key = macro.write(zero.data());
    CHECK(key.norm == 0);
    CHECK(key.second.norm == 0);
    CHECK(key.residual.norm == 0);
    CHECK(!key.norm_saturated);
    CHECK(!key.scale_refused);
    for (const std::uint8_t sign : key.residual.signs) CHECK_AT(sign, sign == 0);
    const QueryResult query = macro.query(vector_of_seed(2, 128).data());
    CHECK(std::bit_cast<std::uint32_t>(query.scores[0]) == 0);
  }
  // One half of zero: its indices are those of a zero key, the other half is not touched.
  std::vector<std::uint16_t> half = vector_of_seed(1, 128);
  for (std::size_t i = 1; i < half.size(); i += 2) half[i] = 0;
  const Parameters p = split(QuantizerKind::mse, 4, 2);
  Macro macro = make_macro(p), whole = make_macro(p);
  const KeyResult key = macro.write(half.data());
  const KeyResult full = whole.write(vector_of_seed(1, 128).data());
  CHECK(key.norm == full.norm);
  CHECK_SAME(key.indices, full.indices);
  CHECK(key.second.norm == 0);
  CHECK(full.second.norm != 0);
}

TEST_CASE("two parts: illegal parameters and rotations") {
  const auto rejects = [](const Parameters& p, const std::string& message) {
    CHECK_THROWS_WITH_AS(check(p), message.c_str(), std::invalid_argument);
  };
  Parameters p = prod(3);
  p.scale = ScaleKind::unbiased;
  rejects(p, "the kind prod needs the scale norm");
  p = split(QuantizerKind::mse, 3, 1);
  p.scale = ScaleKind::norm;
  rejects(p, "a split needs the scale unbiased, and the kind mse or trellis");
  rejects(split(QuantizerKind::mse, 2, 3), "split_low is 3; it must lie in 1..2");
  rejects(split(QuantizerKind::mse, 0, 1), "split_high is 0; it must lie in 1..4");
  p = split(QuantizerKind::mse, 3, 1);
  p.exact_first = 1;
  rejects(p, "exact tokens exclude the kind prod and a split");

  p = split(QuantizerKind::mse, 3, 1);
  HeadRotation rotation = rotation_of(p);
  rotation.high_channels[1] = rotation.high_channels[0];
  CHECK_THROWS_WITH_AS(Macro(p, rotation, {}, 4), "channels: they must ascend, below head_dim",
                       std::invalid_argument);
  rotation.high_channels.pop_back();
  CHECK_THROWS_WITH_AS(Macro(p, rotation, {}, 4), "channels: 64 values are needed",
                       std::invalid_argument);
  rotation = rotation_of(prod(3));
  rotation.residual_signs.clear();
  CHECK_THROWS_WITH_AS(Macro(prod(3), rotation, {}, 4), "residual signs: 128 values are needed",
                       std::invalid_argument);
}
