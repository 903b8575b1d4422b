#include <cstdlib>
#include <map>
#include <utility>

#include "axelram/codebook.hpp"
#include "axelram/fast.hpp"
#include "axelram/record.hpp"
#include "axelram/score.hpp"
#include "axelram/score_table.hpp"
#include "axelram/trellis.hpp"
#include "fast_inputs.hpp"
#include "guarded_bytes.hpp"

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

using namespace axelram;
using namespace fast_test;

namespace {

struct Case {
  int d;
  int bits;
  int exponent;
  std::vector<std::int32_t> u;
  std::vector<std::int32_t> centroids;
  std::vector<std::uint8_t> records;
  int states = 0;

  std::size_t stride() const { return static_cast<std::size_t>(record_bytes(d, bits)); }
  std::size_t count() const { return records.size() / stride(); }
  ScoreQuery query() const { return {u.data(), exponent, d, bits, centroids.data(), states}; }
};

struct Scores {
  std::vector<std::int64_t> acc;
  std::vector<float> scores;
  std::size_t saturated = 0;
};

Scores score_ref_chain(const Case& c) {
  Scores result;
  const int levels = (c.states == 0 ? 1 : 2) << c.bits;
  std::vector<std::int32_t> table(static_cast<std::size_t>(c.d * levels));
  score_table_ref(c.u.data(), c.d, c.centroids.data(), levels, table.data());
  std::vector<std::uint8_t> indices(static_cast<std::size_t>(c.d));
  for (std::size_t k = 0; k < c.count(); ++k) {
    std::uint16_t norm = 0;
    unpack_record_ref(c.records.data() + k * c.stride(), c.d, c.bits, indices.data(), &norm);
    if (c.states != 0) trellis_level_ref(indices.data(), c.d, c.states, indices.data());
    bool saturated = false;
    result.acc.push_back(accumulate_ref(table.data(), c.d, levels, indices.data()));
    result.scores.push_back(score_ref(result.acc[k], norm, c.exponent, &saturated));
    result.saturated += saturated ? 1 : 0;
  }
  return result;
}

void expect_same(const Case& c) {
  const Scores expected = score_ref_chain(c);
  const GuardedBytes records(c.records);
  for (const SimdLevel level : levels()) {
    CASE(level, c.d, c.bits, c.states, c.exponent);
    for (const bool with_acc : {false, true}) {
      CASE(with_acc);
      std::vector<float> scores(c.count(), 7.0f);
      std::vector<std::int64_t> acc(c.count(), -7);
      const std::size_t saturated = score_keys(c.query(), records.data(), c.count(), scores.data(),
                                               with_acc ? acc.data() : nullptr, level);
      CHECK(test::same_bits(scores, expected.scores));  // -0 differs from +0
      CHECK(saturated == expected.saturated);
      if (with_acc) CHECK_SAME(acc, expected.acc);
    }
  }
}

std::vector<std::uint8_t> random_records(Random& random, int d, int bits, int count) {
  std::vector<std::uint8_t> records(static_cast<std::size_t>(record_bytes(d, bits) * count));
  for (std::uint8_t& byte : records) byte = static_cast<std::uint8_t>(random() & 0xFF);
  return records;
}

/// Gaussian centroids do not depend on d; solving for them is slow enough to do once.
const std::vector<std::int32_t>& rom(int bits, int centroid_bits) {
  static std::map<std::pair<int, int>, std::vector<std::int32_t>> known;
  std::vector<std::int32_t>& words = known[{bits, centroid_bits}];
  if (words.empty()) {
    Parameters p{.index_bits = bits, .centroid_bits = centroid_bits};
    words = codebook_rom(p).centroids;
  }
  return words;
}

void set_norm(Case& c, std::size_t key, int norm) {
  std::uint8_t* bytes = c.records.data() + (key + 1) * c.stride() - 2;
  bytes[0] = static_cast<std::uint8_t>(norm & 0xFF);
  bytes[1] = static_cast<std::uint8_t>(norm >> 8);
}

void set_indices(Case& c, std::size_t key, const std::vector<std::uint8_t>& indices) {
  std::uint8_t* record = c.records.data() + key * c.stride();
  const int norm = record[c.stride() - 2] | record[c.stride() - 1] << 8;
  pack_record_ref(indices.data(), static_cast<std::uint16_t>(norm), c.d, c.bits, record);
}

constexpr int kDims[] = {32, 64, 128, 256};

}  // namespace

TEST_CASE("fast scores equal the reference for every shape and every tail") {
  Random random(11);
  for (const int d : kDims)
    for (int bits = 2; bits <= 4; ++bits)
      for (int count = 0; count <= 70; ++count) {
        CASE(d, bits, count);
        expect_same({d, bits, between(random, -30, 20), words(random, d, 127), rom(bits, 8),
                     random_records(random, d, bits, count)});
      }
}

TEST_CASE("fast scores of a trellis equal the reference: every shape, tail and width") {
  Random random(21);
  for (const int states : {4, 8, 16})
    for (const int d : kDims)
      for (int bits = 2; bits <= 4; ++bits) {
        CASE(states, d, bits);
        const auto levels = 2 << bits;
        for (int count = 0; count <= 40; ++count) {
          CASE(count);
          expect_same({d, bits, between(random, -30, 20), words(random, d, 127),
                       words(random, levels, 127), random_records(random, d, bits, count), states});
        }
        for (const int count : {255, 257, 600}) {
          CASE(count);
          expect_same({d, bits, -3, words(random, d, 127), words(random, levels, 127),
                       random_records(random, d, bits, count), states});
        }
        for (const int query_bits : {6, 8, 12, 16})
          for (const int centroid_bits : {6, 8, 12, 16}) {
            CASE(query_bits, centroid_bits);
            expect_same({d, bits, between(random, -160, 120),
                         words(random, d, (1 << (query_bits - 1)) - 1),
                         words(random, levels, (1 << (centroid_bits - 1)) - 1),
                         random_records(random, d, bits, 19), states});
          }
      }
}

TEST_CASE("fast scores equal the reference over several chunks of keys") {
  Random random(12);
  for (const int d : kDims)
    for (int bits = 2; bits <= 4; ++bits)
      for (const int count : {255, 256, 257, 511, 600, 1025}) {
        CASE(d, bits, count);
        expect_same({d, bits, -3, words(random, d, 127), rom(bits, 8),
                     random_records(random, d, bits, count)});
      }
}

TEST_CASE("fast scores equal the reference for every width of queries and centroids") {
  Random random(13);
  for (const int d : kDims)
    for (int bits = 2; bits <= 4; ++bits)
      for (int query_bits = 6; query_bits <= 16; ++query_bits)
        for (int centroid_bits = 6; centroid_bits <= 16; centroid_bits += 2) {
          CASE(d, bits, query_bits, centroid_bits);
          expect_same({d, bits, between(random, -160, 120),
                       words(random, d, (1 << (query_bits - 1)) - 1), rom(bits, centroid_bits),
                       random_records(random, d, bits, 19)});
        }
}

TEST_CASE("fast scores equal the reference at the extremes of the accumulator") {
  Random random(14);
  for (const int d : kDims)
    for (int bits = 2; bits <= 4; ++bits)
      for (const int limit : {1, 31, 126, 127, 128, 255, 256, 32511, 32512, 32513, 32639, 32767}) {
        CASE(d, bits, limit);
        Case c{d, bits, 0, {}, {}, random_records(random, d, bits, 40)};
        for (int i = 0; i < d; ++i) c.u.push_back(i % 3 == 1 ? -limit : limit);
        const int levels = 1 << bits;
        for (int j = 0; j < levels; ++j) c.centroids.push_back(j < levels / 2 ? -limit : limit);
        std::vector<std::uint8_t> most;
        std::vector<std::uint8_t> least;
        for (const std::int32_t u : c.u) {
          most.push_back(static_cast<std::uint8_t>(u > 0 ? levels - 1 : 0));
          least.push_back(static_cast<std::uint8_t>(u > 0 ? 0 : levels - 1));
        }
        for (std::size_t k = 0; k < 20; ++k) {
          set_indices(c, k, k % 2 == 0 ? most : least);
          set_norm(c, k, k < 10 ? 0x7FFF : 0xFFFF);
        }
        for (const int exponent : {-200, -125, 0, 86, 87, 88, 89, 90, 91, 92, 100}) {
          CASE(exponent);
          c.exponent = exponent;
          expect_same(c);
        }
      }
}

TEST_CASE("fast scores equal the reference for every stored norm, field 31 and sign included") {
  Random random(15);
  Case c{128, 3, 0, words(random, 128, 127), rom(3, 8), random_records(random, 128, 3, 65536)};
  for (std::size_t k = 0; k < 65536; ++k) set_norm(c, k, static_cast<int>(k));
  for (const int exponent : {-20, 100, -140}) {
    CASE(exponent);
    c.exponent = exponent;
    expect_same(c);
  }
}

TEST_CASE("fast scores equal the reference at every exponent: underflow, subnormals, saturation") {
  Random random(16);
  for (int exponent = -220; exponent <= 160; ++exponent)
    for (const int limit : {1, 127, 32767}) {
      CASE(exponent, limit);
      Case c{
          32, 2, exponent, words(random, 32, limit), rom(2, 8), random_records(random, 32, 2, 48)};
      for (std::size_t k = 0; k < 40; ++k) {
        const int special[] = {0, 0x8000, 1, 2, 0x03FF, 0x0400, 0x7BFF, 0x7C00, 0x7FFF, 0x83FF};
        set_norm(c, k, special[k % 10]);
      }
      expect_same(c);
    }
  for (const int exponent : {-9999, -1000, -401, -400, -399, 399, 400, 401, 1000, 9999}) {
    CASE(exponent);
    expect_same(
        {64, 4, exponent, words(random, 64, 127), rom(4, 8), random_records(random, 64, 4, 33)});
  }
}

TEST_CASE("fast scores round ties to even and keep the sign of what underflows") {
  // u has a single nonzero element, so the sum is a product chosen at will.
  Random random(17);
  for (const int exponent : {-149, -148, -140, -130, -126, -125, -124, -30, 80, 86, 87, 95})
    for (int value = -32767; value <= 32767; value += 331) {
      CASE(exponent, value);
      Case c{32,
             2,
             exponent,
             std::vector<std::int32_t>(32, 0),
             {-32767, -1, 1, 32767},
             random_records(random, 32, 2, 24)};
      c.u[static_cast<std::size_t>(between(random, 0, 31))] = value;
      expect_same(c);
    }
}

TEST_CASE("fast scores equal the reference where only one word, of one sign, is wide") {
  Random random(21);
  for (const int wide : {-129, -128, -127, 127, 128, 129}) {
    CASE(wide);
    Case c{64, 3, -3, words(random, 64, 127), rom(3, 8), random_records(random, 64, 3, 33)};
    c.u[static_cast<std::size_t>(between(random, 0, 63))] = wide;
    expect_same(c);
    c.u = words(random, 64, 127);
    c.centroids[static_cast<std::size_t>(between(random, 0, 7))] = wide;
    expect_same(c);
  }
}

TEST_CASE("a score of exactly FLT_MAX is not saturated, the next larger one is") {
  Random random(22);
  for (const int acc : {15182, 15183, 15184, -15182, -15183, -15184}) {
    CASE(acc);
    Case c{32,           2,
           104,          std::vector<std::int32_t>(32, 0),
           {1, 1, 1, 1}, random_records(random, 32, 2, 3)};
    c.u[5] = acc;
    // 15183 * 1105 = 2^24 - 1; field 25 has epsilon = 0.
    for (std::size_t k = 0; k < 3; ++k) set_norm(c, k, 25 << 10 | (1105 - 1024));
    CHECK(score_ref_chain(c).saturated == (std::abs(acc) > 15183 ? 3 : 0));
    expect_same(c);
  }
}

TEST_CASE("fast scores of an all-zero query are +0") {
  Random random(18);
  for (const int d : kDims) {
    CASE(d);
    expect_same({d, 3, -20, std::vector<std::int32_t>(static_cast<std::size_t>(d), 0), rom(3, 8),
                 random_records(random, d, 3, 20)});
  }
}

TEST_CASE("fast scores equal the reference for centroids without symmetry") {
  Random random(19);
  for (const int d : kDims)
    for (int bits = 2; bits <= 4; ++bits)
      for (const int limit : {127, 5000}) {
        CASE(d, bits, limit);
        expect_same({d, bits, -3, words(random, d, 127), words(random, 1 << bits, limit),
                     random_records(random, d, bits, 50)});
      }
}

#ifdef __SSE2__
TEST_CASE("fast units do not feel the caller's rounding and denormal modes, and keep them") {
  Random random(20);
  const unsigned saved = _mm_getcsr();
  for (const unsigned mode : {0x9FC0u, 0x3F80u, 0x5F80u, 0x7F80u}) {  // flush; down; up; to zero
    for (const int exponent : {-149, -125, -20, 90}) {
      CASE(mode, exponent);
      const Case c{
          128, 3, exponent, words(random, 128, 127), rom(3, 8), random_records(random, 128, 3, 40)};
      const Scores expected = score_ref_chain(c);
      for (const SimdLevel level : levels()) {
        CASE(level);
        std::vector<float> scores(c.count());
        _mm_setcsr(mode);
        score_keys(c.query(), c.records.data(), c.count(), scores.data(), nullptr, level);
        const unsigned after = _mm_getcsr();
        _mm_setcsr(saved);
        CHECK((after & ~0x3Fu) == mode);
        CHECK(test::same_bits(scores, expected.scores));
      }
    }
  }
}
#endif
