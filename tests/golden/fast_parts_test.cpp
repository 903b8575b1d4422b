#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "axelram/fast.hpp"
#include "axelram/half.hpp"
#include "axelram/record.hpp"
#include "axelram/residual.hpp"
#include "axelram/score.hpp"
#include "fast_inputs.hpp"
#include "guarded_bytes.hpp"

using namespace axelram;
using namespace fast_test;

namespace {

using Words = std::vector<std::int32_t>;

/// One part of the records of a case.
struct Half {
  int d, bits, states, exponent;
  Words u, centroids;
  std::uint32_t factor = 1;

  ScorePart part() const { return {u.data(), exponent, d, bits, centroids.data(), states, factor}; }
};

Half half(Random& random, int d, int bits, int states, int exponent, int limit = 127) {
  const int levels = (states == 0 ? 1 : 2) << bits;
  return {d, bits, states, exponent, words(random, d, limit), words(random, levels, limit)};
}

/// Signs of a residual, as the kind prod has them at this b.
Half signs_part(Random& random, int d, int index_bits, int exponent, int limit = 127) {
  constexpr std::uint32_t kFactors[] = {13073851, 6525654, 3361240};
  return {d, 1, 0, exponent, words(random, d, limit), {1, -1}, kFactors[index_bits - 2]};
}

struct Case {
  Half first, second;
  std::vector<std::uint8_t> records;

  std::size_t stride() const {
    return static_cast<std::size_t>(first.d * first.bits + second.d * second.bits + 32) / 8;
  }
  std::size_t count() const { return records.size() / stride(); }
  void set_norms(std::size_t key, std::uint16_t norm, std::uint16_t second_norm) {
    std::uint8_t* const bytes = &records[(key + 1) * stride() - 4];
    for (std::size_t i = 0; i < 4; ++i)
      bytes[i] = static_cast<std::uint8_t>((i < 2 ? norm : second_norm) >> (8 * (i % 2)));
  }
};

Case make_case(Random& random, const Half& first, const Half& second, std::size_t count) {
  Case c{first, second, {}};
  c.records.resize(count * c.stride());
  for (std::uint8_t& byte : c.records) byte = static_cast<std::uint8_t>(random());
  return c;
}

void expect_same(const Case& c) {
  std::vector<float> expected(c.count());
  std::vector<std::int64_t> first_expected(c.count()), second_expected(c.count());
  const std::size_t saturated =
      score_parts_ref(c.first.part(), c.second.part(), c.records.data(), c.count(), expected.data(),
                      first_expected.data(), second_expected.data());
  const GuardedBytes records(c.records);
  for (const SimdLevel level : levels()) {
    CASE(level, c.first.d, c.first.bits, c.second.bits, c.first.states, c.first.exponent,
         c.second.exponent);
    for (const bool with_acc : {false, true}) {
      CASE(with_acc);
      std::vector<float> scores(c.count(), 7.0F);
      std::vector<std::int64_t> first(c.count(), -7), second(c.count(), -7);
      CHECK(score_parts(c.first.part(), c.second.part(), records.data(), c.count(), scores.data(),
                        with_acc ? first.data() : nullptr, with_acc ? second.data() : nullptr,
                        level) == saturated);
      CHECK(test::same_bits(scores, expected));
      if (!with_acc) continue;
      CHECK_SAME(first, first_expected);
      CHECK_SAME(second, second_expected);
    }
  }
}

/// Every shape of a record of two parts: of prod at b = 2, 3 and 4, and of a split.
template <class Check>
void for_every_shape(Random& random, const Check& check) {
  for (const int d : {32, 64, 128, 256}) {
    for (int b = 2; b <= 4; ++b) {
      CASE(d, b);
      check(half(random, d, b - 1, 0, -10), signs_part(random, d, b, -25));
    }
    for (int high = 1; high <= 4; ++high)
      for (int low = 1; low <= high; ++low)
        for (const int states : {0, 4, 8, 16}) {
          CASE(d, high, low, states);
          check(half(random, d / 2, high, states, -10), half(random, d / 2, low, states, -10));
        }
  }
}

float naive(const Case& c, std::size_t k, std::int64_t first_acc, std::int64_t second_acc) {
  const auto value = [&](const Half& part, std::int64_t acc, int at) {
    const std::uint8_t* const bytes = &c.records[(k + 1) * c.stride() - 4];
    const NormValue norm = decode_norm(static_cast<std::uint16_t>(bytes[at] | bytes[at + 1] << 8));
    return std::ldexp(static_cast<double>(acc) * norm.significand * part.factor,
                      part.exponent + norm.exponent);
  };
  return static_cast<float>(value(c.first, first_acc, 0) + value(c.second, second_acc, 2));
}

}  // namespace

TEST_CASE("fast scores of two parts equal the reference: every shape and tail") {
  Random random(51);
  for_every_shape(random, [&](const Half& first, const Half& second) {
    for (const std::size_t count : {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 255, 256, 257, 530}) {
      CASE(count);
      Case c = make_case(random, first, second, count);
      expect_same(c);
    }
  });
}

TEST_CASE("fast scores of two parts equal the reference: every width and exponent") {
  Random random(52);
  for_every_shape(random, [&](const Half& first, const Half& second) {
    for (const int query_limit : {31, 127, 128, 2047, 32767})
      for (const int centroid_limit : {31, 127, 32767}) {
        CASE(query_limit, centroid_limit);
        Case c = make_case(random, first, second, 19);
        c.first.u = words(random, first.d, query_limit);
        c.second.u = words(random, second.d, query_limit);
        c.first.centroids = words(random, static_cast<int>(first.centroids.size()), centroid_limit);
        if (second.factor == 1)
          c.second.centroids =
              words(random, static_cast<int>(second.centroids.size()), centroid_limit);
        else if (centroid_limit == 32767)
          c.second.factor = std::numeric_limits<std::uint32_t>::max();
        const int base = between(random, -220, 160);
        c.first.exponent = base;
        c.second.exponent = base - (second.factor == 1 ? 0 : between(random, 0, 20));
        expect_same(c);
      }
  });
}

TEST_CASE("fast scores of two parts: subnormals, underflow and saturation at every exponent") {
  Random random(53);
  for (const bool prod : {true, false})
    for (int exponent = -250; exponent <= 170; ++exponent) {
      CASE(prod, exponent);
      Case c = make_case(
          random, half(random, prod ? 64 : 32, 2, 0, exponent),
          prod ? signs_part(random, 64, 3, exponent - 17) : half(random, 32, 1, 0, exponent), 40);
      constexpr std::uint16_t kSpecial[] = {0,      0x8000, 1,      2,      0x03FF,
                                            0x0400, 0x7BFF, 0x7C00, 0x7FFF, 0x83FF};
      for (std::size_t k = 0; k < 30; ++k) c.set_norms(k, kSpecial[k % 10], kSpecial[k / 3]);
      expect_same(c);
    }
  for (const int exponent : {-9999, -1000, -401, -400, 400, 401, 1000, 9999}) {
    CASE(exponent);
    expect_same(
        make_case(random, half(random, 64, 4, 0, exponent), half(random, 64, 2, 0, exponent), 33));
  }
}

TEST_CASE("fast scores of two parts: terms that cancel give +0, and a zero term has no exponent") {
  Random random(54);
  for (const int exponent : {-120, -20, 80}) {
    CASE(exponent);
    // Both parts are one and the same but for the sign.
    Case c =
        make_case(random, half(random, 64, 2, 0, exponent), half(random, 64, 2, 0, exponent), 40);
    c.second.u = c.first.u;
    c.second.centroids = c.first.centroids;
    for (std::int32_t& word : c.second.centroids) word = -word;
    for (std::size_t k = 0; k < c.count(); ++k) {
      std::uint8_t* const record = &c.records[k * c.stride()];
      std::copy_n(record, 16, record + 16);
      const auto norm = static_cast<std::uint16_t>(random());
      // An error of one in a norm leaves a little of the sum.
      c.set_norms(k, norm, static_cast<std::uint16_t>(norm ^ (k % 4 == 0 ? 1 : 0)));
    }
    expect_same(c);
    for (const bool first_is_zero : {true, false}) {
      CASE(first_is_zero);
      Case one = c;
      Half& part = first_is_zero ? one.first : one.second;
      std::fill(part.u.begin(), part.u.end(), 0);
      part.exponent = 9000;
      expect_same(one);
      part.exponent = -9000;
      expect_same(one);
    }
  }
}

TEST_CASE(
    "fast scores of two parts: ties of one term, decided by the other up to 50 places below") {
  Random random(55);
  std::size_t rounded_twice = 0;
  for (const int acc : {0x200001, 0x200003, 0x3EC001, 0x2AAAAB, 0x300005, -0x200003, -0x3D0003})
    for (const int second_acc : {1, -1, 3, -3})
      for (int apart = 0; apart <= 26; apart += 2) {
        CASE(acc, second_acc, apart);
        // acc = 127 * 127 * many + 127 * some + rest, by the words of u, with all indices 0.
        Half first = half(random, 256, 2, 0, 0);
        first.centroids = {127, 1, 0, 0};
        std::fill(first.u.begin(), first.u.end(), 0);
        const int sign = acc < 0 ? -1 : 1;
        int left = std::abs(acc);
        std::size_t i = 0;
        for (; left >= 127 * 127; left -= 127 * 127) first.u[i++] = 127 * sign;
        first.u[i++] = left / 127 * sign;
        first.u[255] = left % 127 * sign;  // its index is 1
        Half second{256, 1, 0, -apart, Words(256), {1, -1}};
        second.u[3] = second_acc;
        Case c = make_case(random, first, second, 0);
        std::vector<std::uint8_t> one(c.stride());
        one[63] = 0x40;
        std::vector<std::pair<std::uint16_t, std::uint16_t>> norms;
        for (int fraction = 0; fraction < 1024; fraction += 128)
          for (int field = 1; field < 32; ++field)
            norms.emplace_back(31 << 10 | fraction, field << 10);
        for (std::size_t k = 0; k < norms.size(); ++k) {
          c.records.insert(c.records.end(), one.begin(), one.end());
          c.set_norms(k, norms[k].first, norms[k].second);
        }
        expect_same(c);
        std::vector<float> scores(c.count());
        std::vector<std::int64_t> a(c.count()), b(c.count());
        score_parts_ref(c.first.part(), c.second.part(), c.records.data(), c.count(), scores.data(),
                        a.data(), b.data());
        REQUIRE(a[0] == acc);
        REQUIRE(b[0] == second_acc);
        for (std::size_t k = 0; k < c.count(); ++k)
          rounded_twice += naive(c, k, a[k], b[k]) != scores[k] ? 1 : 0;
      }
  // Inputs that a rounding to binary64 before the one to binary32 gets wrong.
  CHECK(rounded_twice > 1000);
}

TEST_CASE("fast scores of two parts for every pair of a norm and a special one") {
  Random random(56);
  Case c = make_case(random, half(random, 64, 2, 0, -9), signs_part(random, 64, 3, -24), 65536);
  for (std::size_t k = 0; k < c.count(); ++k) {
    constexpr std::uint16_t kSpecial[] = {0x3C00, 0, 1, 0x03FF, 0x7FFF, 0xFC01, 0x8000, 0x0400};
    const auto norm = static_cast<std::uint16_t>(k);
    c.set_norms(k, k % 2 == 0 ? norm : kSpecial[k / 2 % 8],
                k % 2 == 0 ? kSpecial[k / 2 % 8] : norm);
  }
  expect_same(c);
}

TEST_CASE("the fast sum of two terms equals the reference on any terms up to 50 places apart") {
  Random random(57);
  for (int draw = 0; draw < 300000; ++draw) {
    CASE(draw);
    const int exponent = between(random, -230, 140), apart = between(random, 0, 20);
    const auto term = [&](int at) {
      const int width = between(random, 0, 38);
      const auto acc = static_cast<std::int64_t>(random() >> 1 >> (63 - width));
      const bool wide = between(random, 0, 1) != 0;
      return ScoreTerm{between(random, 0, 1) != 0 ? acc : -acc,
                       static_cast<std::uint16_t>(random()),
                       wide ? static_cast<std::uint32_t>(random() >> 35) : 1, at};
    };
    ScoreTerm a = term(exponent), b = term(exponent - apart);
    switch (draw % 4) {
      case 0:  // nearly cancelling
        b = a;
        b.acc = -a.acc + between(random, -1, 1);
        break;
      case 1:  // a tie of 25 bits beside anything
        a.acc = 2 * between(random, 1 << 23, (1 << 24) - 1) + 1;
        a.norm = static_cast<std::uint16_t>(a.norm & 0xFC00);
        a.factor = 1;
        break;
      default:
        break;
    }
    bool expected = false, saturated = true;
    const float score = score_sum_ref(a, b, &expected);
    REQUIRE(std::bit_cast<std::uint32_t>(score_sum(a, b, &saturated)) ==
            std::bit_cast<std::uint32_t>(score));
    REQUIRE(saturated == expected);
  }
}

TEST_CASE("the fast residual equals residual_ref: shift, ties and limits") {
  Random random(58);
  for (const int d : {8, 32, 64, 128, 256})
    for (const int levels_of_key : {2, 4, 8})
      for (int bits = 12; bits <= 21; ++bits)
        for (int repeat = 0; repeat < 20; ++repeat) {
          CASE(d, levels_of_key, bits, repeat);
          // Halves of the step of every shift, within the step of none, and at the widest.
          const int most = repeat % 4 == 0 ? 0 : 1 << between(random, 1, 28);
          const Words reconstructions = words(random, levels_of_key, most / 2);
          Words y(static_cast<std::size_t>(d));
          std::vector<std::uint8_t> indices(y.size());
          for (std::size_t i = 0; i < y.size(); ++i) {
            indices[i] = static_cast<std::uint8_t>(between(random, 0, levels_of_key - 1));
            const int residual_element = repeat % 3 == 0 ? (i % 2 == 0 ? most / 2 : -(most / 2))
                                                         : between(random, -most, most) & ~7;
            y[i] = reconstructions[indices[i]] + residual_element;
          }
          Words expected(y.size());
          const int shift = residual_ref(y.data(), indices.data(), d, reconstructions.data(),
                                         levels_of_key, bits, expected.data());
          std::vector<std::uint8_t> expected_signs(y.size()), fast_signs(y.size(), 7);
          residual_signs_ref(expected.data(), d, expected_signs.data());
          residual_signs(expected.data(), d, fast_signs.data());
          CHECK_SAME(fast_signs, expected_signs);
          for (const SimdLevel level : levels()) {
            CASE(level);
            Words rho(y.size(), -1);
            CHECK(residual(y.data(), indices.data(), d, reconstructions.data(), levels_of_key, bits,
                           rho.data(), level) == shift);
            CHECK_SAME(rho, expected);
          }
        }
}

TEST_CASE("fast packing of two parts equals pack_parts_ref and writes no byte beyond the record") {
  Random random(59);
  for (const int d : {8, 16, 32, 64, 128, 256})
    for (int first_bits = 1; first_bits <= 4; ++first_bits)
      for (int second_bits = 1; second_bits <= 4; ++second_bits) {
        CASE(d, first_bits, second_bits);
        std::vector<std::uint8_t> a, b;
        for (int i = 0; i < d; ++i) {
          a.push_back(static_cast<std::uint8_t>(between(random, 0, (1 << first_bits) - 1)));
          b.push_back(static_cast<std::uint8_t>(between(random, 0, (1 << second_bits) - 1)));
        }
        const RecordPart first = {a.data(), d, first_bits, static_cast<std::uint16_t>(random())};
        const RecordPart second = {b.data(), d, second_bits, static_cast<std::uint16_t>(random())};
        const auto size = static_cast<std::size_t>(record_bytes(first, second));
        std::vector<std::uint8_t> expected(size + 64, 0xA5);
        pack_parts_ref(first, second, expected.data());
        for (const SimdLevel level : levels()) {
          CASE(level);
          std::vector<std::uint8_t> record(size + 64, 0xA5);
          pack_parts(first, second, record.data(), level);
          CHECK_SAME(record, expected);
        }
      }
}
