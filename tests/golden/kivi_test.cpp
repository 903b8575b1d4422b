#include "axelram/kivi.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "axelram/group_scale.hpp"
#include "axelram/tier_row.hpp"
#include "check.hpp"
#include "golden/fields.hpp"
#include "golden/tier_oracle.hpp"

using namespace axelram;

namespace {

using namespace tier_oracle;
using Bytes = std::vector<std::uint8_t>;
using Floats = std::vector<float>;

/// The least significant `count` bits of a number behind all others.
void append(std::vector<bool>& bits, unsigned value, int count) {
  for (int i = 0; i < count; ++i) bits.push_back((value >> i & 1U) != 0);
}

Bytes packed(const std::vector<bool>& bits) {
  Bytes bytes((bits.size() + 7) / 8);
  for (std::size_t i = 0; i < bits.size(); ++i)
    if (bits[i]) bytes[i / 8] = static_cast<std::uint8_t>(bytes[i / 8] | 1 << i % 8);
  return bytes;
}

/// Codes, scales and minima in the order of the contract.
Bytes packed(const std::vector<Group>& groups, int bits) {
  std::vector<bool> all;
  for (const Group& group : groups)
    for (const int code : group.codes) append(all, static_cast<unsigned>(code), bits);
  for (const Group& group : groups) append(all, group.scale, 16);
  for (const Group& group : groups) append(all, group.minimum, 16);
  return packed(all);
}

Bytes encoded(const KiviLayout& layout, const Row& x) {
  Bytes block(layout.bytes(), 0xA5);  // every byte is written
  encode_kivi_ref(layout, x.data(), block.data());
  return block;
}

Floats decoded(const KiviLayout& layout, const Bytes& block) {
  Floats x(layout.elements(), std::numeric_limits<float>::quiet_NaN());
  decode_kivi_ref(layout, block.data(), x.data());
  return x;
}

Row halves(const Floats& x) {
  Row row(x.size());
  REQUIRE(hot_row_ref(x.data(), x.size(), row.data()));
  return row;
}

/// A layout, and where the contract has the elements of its groups: those of channel g in a column
/// of [group, d], those of run g in a row.
struct Shape {
  KiviLayout layout;
  bool keys;
  std::size_t at(std::size_t g, std::size_t i) const {
    return keys ? i * layout.groups + g : g * layout.size + i;
  }
};

/// Elements of the groups in their places, and the groups.
struct Sample {
  Row x;
  std::vector<Row> groups;
};

Sample sample(tier_oracle::Rng& rng, const Shape& shape) {
  const KiviLayout& layout = shape.layout;
  Sample made{Row(layout.elements()), {}};
  for (std::size_t g = 0; g < layout.groups; ++g) {
    made.groups.push_back(tier_oracle::adversarial_group(rng, layout.size, layout.most()));
    for (std::size_t i = 0; i < layout.size; ++i) made.x[shape.at(g, i)] = made.groups[g][i];
  }
  return made;
}

/// Every head, group and width, keys and values.
std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const int bits : {2, 3, 4})
    for (const std::size_t d : {32, 64, 128, 256}) {
      for (const std::size_t group : {8, 16, 32, 64, 128, 256})
        all.push_back({kivi_key_layout(bits, d, group), true});
      for (std::size_t group = 8; group <= d; group *= 2)
        all.push_back({kivi_value_layout(bits, d, group), false});
    }
  return all;
}

}  // namespace

TEST_CASE("KIVI: the contract's vectors") {
  const Row x = halves({-1.5F, -0.25F, -0.0F, 0.5F, 1, 2, 3, 4.25F});
  CHECK_SAME(encoded(kivi_value_layout(2, 8, 8), x), Bytes{0x54, 0xE9, 0xAB, 0x3F, 0x00, 0xBE});
  CHECK_SAME(encoded(kivi_value_layout(3, 8, 8), x),
             Bytes{0x90, 0x34, 0xF6, 0x92, 0x3A, 0x00, 0xBE});
  CHECK_SAME(encoded(kivi_value_layout(4, 8, 8), x),
             Bytes{0x30, 0x54, 0x97, 0xFC, 0x22, 0x36, 0x00, 0xBE});
  // One channel of eight tokens is the same group.
  CHECK_SAME(encoded(kivi_key_layout(2, 1, 8), x), Bytes{0x54, 0xE9, 0xAB, 0x3F, 0x00, 0xBE});

  CHECK_SAME(encoded(kivi_value_layout(4, 8, 8), {0, 1, 2, 3, 4, 5, 22, 23}),
             Bytes{0x00, 0x21, 0x22, 0xCB, 2, 0, 0, 0});
  CHECK_SAME(encoded(kivi_value_layout(3, 8, 8), {0, 1, 2, 3, 3, 2, 1, 3}), Bytes(7, 0));

  const Bytes wide = encoded(kivi_value_layout(2, 8, 8), halves({65504, -65504, 0, 1, 2, 3, 4, 5}));
  CHECK_SAME(wide, Bytes{0x53, 0x55, 0x55, 0x79, 0xFF, 0xFB});
  const Floats back = decoded(kivi_value_layout(2, 8, 8), wide);
  CHECK(back[0] == 65536);
  CHECK(back[1] == -65504);
  Row again(8);
  recoded_row_ref(back.data(), 8, again.data());
  CHECK(again[0] == 0x7BFF);
  CHECK(again[1] == 0xFBFF);
}

TEST_CASE("KIVI: the bytes are the contract's in exact arithmetic, for every shape") {
  tier_oracle::Rng rng(61);
  for (const Shape& shape : shapes()) {
    const KiviLayout& layout = shape.layout;
    CASE(shape.keys, layout);
    for (int trial = 0; trial < 2; ++trial) {
      CASE(trial);
      const Sample made = sample(rng, shape);
      std::vector<Group> groups;
      for (const Row& group : made.groups)
        groups.push_back(tier_oracle::group(group, layout.most()));
      const Bytes block = encoded(layout, made.x);
      REQUIRE_SAME(block, packed(groups, layout.bits));

      Floats expected(layout.elements());
      for (std::size_t g = 0; g < layout.groups; ++g)
        for (std::size_t i = 0; i < layout.size; ++i)
          expected[shape.at(g, i)] =
              tier_oracle::decoded(tier_oracle::units(groups[g].minimum) +
                                   groups[g].codes[i] * tier_oracle::units(groups[g].scale));
      REQUIRE(test::same_bits(decoded(layout, block), expected));
    }
  }
}

TEST_CASE("KIVI: sizes of blocks and rows") {
  struct Size {
    int bits;
    std::size_t group, bytes;  // of a token in a block, and of a value row
  };
  for (const Size& size : {Size{4, 32, 80}, {3, 32, 64}, {2, 32, 48}, {2, 64, 40}, {2, 128, 36}}) {
    CASE(size.bits, size.group);
    CHECK(kivi_key_layout(size.bits, 128, size.group).bytes() == size.group * size.bytes);
    CHECK(kivi_value_layout(size.bits, 128, size.group).bytes() == size.bytes);
  }
}

TEST_CASE("KIVI: codes are 32-bit words with the oldest token in the lowest bits") {
  tier_oracle::Rng rng(62);
  for (const int bits : {2, 4}) {
    CASE(bits);
    const Shape shape{kivi_key_layout(bits, 32, 16), true};
    const KiviLayout& layout = shape.layout;
    const Sample made = sample(rng, shape);
    const Bytes block = encoded(layout, made.x);
    const std::size_t per_word = 32 / static_cast<std::size_t>(bits);
    for (std::size_t first = 0; first < layout.elements(); first += per_word) {
      CASE(first);
      std::uint32_t word = 0;
      for (std::size_t i = first; i < first + per_word; ++i) {
        const Group group = tier_oracle::group(made.groups[i / 16], layout.most());
        word |= static_cast<std::uint32_t>(group.codes[i % 16])
                << static_cast<std::size_t>(bits) * (i - first);
      }
      for (std::size_t byte = 0; byte < 4; ++byte)
        REQUIRE_AT(byte, block[first * static_cast<std::size_t>(bits) / 8 + byte] ==
                             (word >> 8 * byte & 0xFF));
    }
  }
}

TEST_CASE("KIVI: ties at every half step, and their neighbours") {
  for (const int bits : {2, 3, 4}) {
    CASE(bits);
    const int most = (1 << bits) - 1;
    const KiviLayout layout = kivi_key_layout(bits, 1, 64);
    for (const std::int64_t half_step : {4, 64, 1 << 20})
      for (int off = -1; off <= 1; ++off) {
        CASE(half_step, off);
        Row x(64, 0);
        for (int k = 1; k < 2 * most; ++k)
          x[static_cast<std::size_t>(k)] =
              static_cast<Half>(tier_oracle::nearest(half_step * k, 1) + off);
        x[63] = tier_oracle::nearest(half_step * 2 * most, 1);
        const Group expected = tier_oracle::group(x, most);
        REQUIRE(tier_oracle::units(expected.scale) == 2 * half_step);
        REQUIRE_SAME(encoded(layout, x), packed({expected}, bits));
      }
    // A tie takes the even code: k + 1/2 steps are k or k + 1.
    const KiviGroup group{2, 0};  // scale 2^-23
    for (int k = 0; k < most; ++k)
      CHECK_AT(k, kivi_code_ref(group, static_cast<Half>(2 * k + 1), most) == k + k % 2);
  }
}

TEST_CASE("KIVI: constant groups, zeros of both signs, scales of 0") {
  for (const int bits : {2, 3, 4})
    for (const int value : {0x0000, 0x8000, 0x0001, 0x8001, 0x3C00, 0x7BFF, 0xFBFF}) {
      CASE(bits, value);
      const KiviLayout layout = kivi_value_layout(bits, 8, 8);
      const Bytes block = encoded(layout, Row(8, static_cast<Half>(value)));
      const auto minimum = static_cast<Half>(value == 0x8000 ? 0 : value);
      CHECK_SAME(block, packed({Group{0, minimum, std::vector<int>(8, 0)}}, bits));
      const Floats back = decoded(layout, block);
      CHECK(test::same_bits(back, Floats(8, tier_oracle::decoded(tier_oracle::units(minimum)))));
    }
  // -0 is the least element and is stored as +0; a range too small for a scale is lost.
  const KiviLayout layout = kivi_value_layout(4, 8, 8);
  CHECK_SAME(encoded(layout, {0x8000, 7, 0, 3, 1, 2, 5, 6}), Bytes(8, 0));
  CHECK_SAME(encoded(layout, {0x8000, 8, 0, 3, 1, 2, 5, 6}),
             Bytes{0x80, 0x30, 0x21, 0x65, 1, 0, 0, 0});
}

TEST_CASE("KIVI: 15 steps of codes of 2 bits and of 4 bits agree, by every x") {
  // Codes change at half steps alone, so that quarter steps have every case: each half step, and a
  // point between each two.
  constexpr int kScale = 4;
  const KiviGroup group{kScale, 0};
  int seen = 0;
  for (int x = 0; x <= 20 * kScale; ++x) {
    CASE(x);
    const int four = kivi_code_ref(group, static_cast<Half>(x), 15);
    REQUIRE(four == tier_oracle::clamped(tier_oracle::rounded(x, kScale), 15));
    const int nested = (four + 2) / 5;
    REQUIRE(nested == tier_oracle::clamped(tier_oracle::rounded(x, 5 * kScale), 3));
    REQUIRE(nested == group_steps_ref(x * 0x1p-24, 0, 5 * kScale * 0x1p-24, 3));
    seen |= 1 << four;
  }
  CHECK(seen == 0xFFFF);
}

TEST_CASE("KIVI nested: the contract's vector, and what it decodes to") {
  const KiviLayout warm = kivi_value_layout(4, 16, 16), nested = nested_kivi_layout(warm);
  CHECK(nested.bytes() == 8);
  const Bytes block = {0x10, 0x32, 0x54, 0x76, 0x98, 0xBA, 0xDC, 0xFE, 0x02, 0x3C, 0x00, 0xC4};
  Bytes archive(8, 0xA5);
  nest_kivi_ref(warm, block.data(), archive.data());
  const std::vector<int> codes = {0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3};
  CHECK_SAME(archive, packed({Group{0x3C02, 0xC400, codes}}, 2));
  const Floats x = decoded(nested, archive);
  for (std::size_t i = 0; i < 16; ++i)
    CHECK_AT(i, x[i] == static_cast<float>(-4 + 5 * codes[i] * (1 + 2 * 0x1p-10)));
}

TEST_CASE("KIVI nested: requantised codes are those of the row with five times the scale") {
  tier_oracle::Rng rng(63);
  for (const Shape& shape : shapes()) {
    CASE(shape.keys, shape.layout);
    const KiviLayout& layout = shape.layout;
    if (layout.bits != 4) continue;
    const KiviLayout nested = nested_kivi_layout(layout);
    const Sample made = sample(rng, shape);
    const Bytes warm = encoded(layout, made.x);
    Bytes archive(nested.bytes(), 0xA5);
    nest_kivi_ref(layout, warm.data(), archive.data());
    std::vector<Group> groups;
    Floats expected(nested.elements());
    for (std::size_t g = 0; g < layout.groups; ++g) {
      Group group = tier_oracle::group(made.groups[g], 15);
      const std::int64_t minimum = tier_oracle::units(group.minimum);
      const std::int64_t step = 5 * tier_oracle::units(group.scale);
      for (std::size_t i = 0; i < layout.size; ++i) {
        const std::int64_t above = tier_oracle::units(made.groups[g][i]) - minimum;
        group.codes[i] = step == 0 ? 0 : tier_oracle::clamped(tier_oracle::rounded(above, step), 3);
        expected[shape.at(g, i)] = tier_oracle::decoded(minimum + group.codes[i] * step);
      }
      groups.push_back(group);
    }
    REQUIRE_SAME(archive, packed(groups, 2));
    REQUIRE(test::same_bits(decoded(nested, archive), expected));
    // Scales and minima are the warm ones.
    REQUIRE_SAME(std::span(archive).subspan(nested.code_bytes()),
                 std::span(warm).subspan(layout.code_bytes()));
  }
}

TEST_CASE("KIVI: decoding rounds once, to FP32") {
  // 1 + 15 * (1 + 2^-10) * 2^-24 needs 35 bits; -65504 + 5 * 2^-24 needs 41.
  CHECK(kivi_value({1, 0xFBFF}, 5) == -65504 + 5 * 0x1p-24);
  tier_oracle::Rng rng(64);
  for (int trial = 0; trial < 3000; ++trial) {
    CASE(trial);
    const auto scale = static_cast<Half>(tier_oracle::uniform(rng, 0, 0x7BFF));
    const auto minimum = static_cast<Half>(tier_oracle::uniform(rng, 0, 0x7BFF) |
                                           tier_oracle::uniform(rng, 0, 1) << 15);
    std::vector<int> codes(16);
    for (std::size_t i = 0; i < 16; ++i) codes[i] = static_cast<int>(i);
    const KiviLayout layout = kivi_value_layout(4, 16, 16);
    const Floats x = decoded(layout, packed({Group{scale, minimum, codes}}, 4));
    for (int q = 0; q < 16; ++q) {
      CASE(q);
      const std::int64_t exact = tier_oracle::units(minimum) + q * tier_oracle::units(scale);
      REQUIRE(x[static_cast<std::size_t>(q)] == tier_oracle::decoded(exact));
      REQUIRE(kivi_value({scale, minimum}, q) == std::ldexp(static_cast<double>(exact), -24));
    }
  }
}

TEST_CASE("rows of tiers: what becomes infinite is rejected, what is coded again saturates") {
  Row row(1);
  const auto hot = [&](float x) { return hot_row_ref(&x, 1, row.data()); };
  CHECK(hot(65504));
  CHECK(hot(std::nextafter(65520.0F, 0.0F)));
  CHECK(row[0] == 0x7BFF);
  CHECK(hot(-std::nextafter(65520.0F, 0.0F)));
  CHECK(row[0] == 0xFBFF);
  CHECK(hot(-0.0F));
  CHECK(row[0] == 0x8000);
  CHECK(hot(1 + 0x1p-11F));
  CHECK(row[0] == 0x3C00);
  CHECK(hot(1 + 3 * 0x1p-11F));
  CHECK(row[0] == 0x3C02);
  for (const float x :
       {65520.0F, -65520.0F, 1e30F, std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
    CHECK_AT(x, !hot(x));
  for (const std::size_t bad : {0, 1, 2}) {
    CASE(bad);
    Floats x(3, 1);
    x[bad] = 65520;
    row.resize(3);
    CHECK(!hot_row_ref(x.data(), 3, row.data()));
  }

  const auto recoded = [&](float x) {
    recoded_row_ref(&x, 1, row.data());
    return row[0];
  };
  CHECK(recoded(65520) == 0x7BFF);
  CHECK(recoded(65536) == 0x7BFF);
  CHECK(recoded(-1e30F) == 0xFBFF);
  CHECK(recoded(std::nextafter(65520.0F, 0.0F)) == 0x7BFF);
  CHECK(recoded(-0.0F) == 0);
  CHECK(recoded(-0x1p-25F) == 0);  // a tie
  CHECK(recoded(-0x1.8p-25F) == 0x8001);
  CHECK(recoded(1 + 3 * 0x1p-11F) == 0x3C02);
}

TEST_CASE("KIVI: shapes and elements that are rejected") {
  CHECK_THROWS_WITH_AS(kivi_key_layout(1, 32, 32), doctest::Contains("2, 3 or 4"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(kivi_value_layout(5, 32, 32), doctest::Contains("2, 3 or 4"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(kivi_key_layout(2, 32, 12), doctest::Contains("multiple of 8"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(kivi_key_layout(2, 32, 0), doctest::Contains("multiple of 8"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(kivi_value_layout(2, 32, 4), doctest::Contains("multiple of 8"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(kivi_value_layout(2, 32, 64), doctest::Contains("does not divide"),
                       std::invalid_argument);
  for (const int bad : {0x7C00, 0xFC00, 0x7E00, 0xFFFF}) {
    CASE(bad);
    Row x(8, 0);
    x[7] = static_cast<Half>(bad);
    Bytes block(6);
    CHECK_THROWS_WITH_AS(encode_kivi_ref(kivi_value_layout(2, 8, 8), x.data(), block.data()),
                         doctest::Contains("not finite"), std::invalid_argument);
    const KiviLayout keys = kivi_key_layout(2, 4, 8);
    for (std::size_t at = 0; at < 32; ++at) {
      CASE(at);
      Row block_of_keys(32, 0);
      block_of_keys[at] = static_cast<Half>(bad);
      block.resize(keys.bytes());
      CHECK_THROWS_WITH_AS(encode_kivi_ref(keys, block_of_keys.data(), block.data()),
                           doctest::Contains("not finite"), std::invalid_argument);
    }
  }
}
