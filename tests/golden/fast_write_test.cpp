#include <algorithm>
#include <cmath>

#include "axelram/align.hpp"
#include "axelram/center.hpp"
#include "axelram/codebook.hpp"
#include "axelram/fast.hpp"
#include "axelram/hadamard.hpp"
#include "axelram/norm.hpp"
#include "axelram/quantizer.hpp"
#include "axelram/record.hpp"
#include "axelram/trellis.hpp"
#include "check.hpp"
#include "fast_inputs.hpp"

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

using namespace axelram;
using namespace fast_test;

namespace {

constexpr int kDims[] = {32, 64, 128, 256};
constexpr ElementFormat kFormats[] = {ElementFormat::fp16, ElementFormat::bf16};
constexpr std::int32_t kUntouched = 123456789;

template <class Check>
void for_each_input(const Check& check) {
  Random random(1);
  for (const int d : kDims)
    for (const ElementFormat format : kFormats)
      for (int kind = 0; kind < static_cast<int>(Kind::count); ++kind)
        for (int bits = 12; bits <= 20; ++bits)
          for (int repeat = 0; repeat < 4; ++repeat) {
            CASE(d, format, kind, bits, repeat);
            check(random, vector(random, static_cast<Kind>(kind), format, d), d, format, bits);
          }
}

std::vector<std::int8_t> random_powers(Random& random, int d) {
  std::vector<std::int8_t> powers(static_cast<std::size_t>(d));
  for (std::int8_t& power : powers) power = static_cast<std::int8_t>(between(random, -8, 8));
  return powers;
}

void expect_same_alignment(const std::vector<std::uint16_t>& x, int d, ElementFormat format,
                           int bits, const std::int8_t* powers = nullptr) {
  std::vector<std::int32_t> expected(static_cast<std::size_t>(d), kUntouched);
  int expected_e = 0;
  const bool expected_ok =
      align_ref(x.data(), d, format, bits, expected.data(), &expected_e, powers);
  for (const SimdLevel level : levels()) {
    CASE(level);
    std::vector<std::int32_t> m(static_cast<std::size_t>(d), kUntouched);
    int e = 0;
    CHECK(align(x.data(), d, format, bits, m.data(), &e, powers, level) == expected_ok);
    CHECK(e == expected_e);
    CHECK_SAME(m, expected);
  }
}

}  // namespace

TEST_CASE("fast align equals align_ref") {
  for_each_input([](Random&, const std::vector<std::uint16_t>& x, int d, ElementFormat format,
                    int bits) { expect_same_alignment(x, d, format, bits); });
}

TEST_CASE("fast align with powers equals align_ref") {
  for_each_input([](Random& random, const std::vector<std::uint16_t>& x, int d,
                    ElementFormat format, int bits) {
    expect_same_alignment(x, d, format, bits, random_powers(random, d).data());
    for (const int power : {-8, 8}) {
      CASE(power);
      const std::vector<std::int8_t> powers(x.size(), static_cast<std::int8_t>(power));
      expect_same_alignment(x, d, format, bits, powers.data());
    }
  });
}

TEST_CASE("fast align equals align_ref for every element beside the largest and beside 1") {
  for (const ElementFormat format : kFormats)
    for (int high : {infinity(format) - 1, format == ElementFormat::fp16 ? 0x3C00 : 0x3F80})
      for (int first = 0; first < 0x10000; first += 31) {
        CASE(format, high, first);
        std::vector<std::uint16_t> x{static_cast<std::uint16_t>(high)};
        for (int i = 0; i < 31; ++i) {
          const int bits = (first + i) & 0xFFFF;
          const bool finite = (bits & 0x7FFF) < infinity(format);
          x.push_back(static_cast<std::uint16_t>(finite ? bits : 0));
        }
        expect_same_alignment(x, 32, format, 16);
      }
}

TEST_CASE("fast align rejects NaN and infinity at every place") {
  Random random(2);
  for (const ElementFormat format : kFormats)
    for (int i = 0; i < 128; ++i)
      for (const int bad : {0, 1, 0x8000, 0x8001, 0x007F}) {
        CASE(format, i, bad);
        auto x = vector(random, Kind::any_finite, format, 128);
        x[static_cast<std::size_t>(i)] = static_cast<std::uint16_t>(infinity(format) | bad);
        expect_same_alignment(x, 128, format, 16);
      }
}

TEST_CASE("fast center equals center_ref") {
  for_each_input([](Random& random, const std::vector<std::uint16_t>& x, int d,
                    ElementFormat format, int bits) {
    const auto kind = static_cast<Kind>(between(random, 0, static_cast<int>(Kind::count) - 1));
    auto c = vector(random, kind, format, d);
    if (between(random, 0, 9) == 0) c[0] = infinity(format);
    const std::vector<std::int8_t> drawn = random_powers(random, d);
    const std::int8_t* const powers = between(random, 0, 1) == 0 ? nullptr : drawn.data();
    std::vector<std::int32_t> expected(x.size(), kUntouched);
    int expected_e = 0;
    const bool ok =
        center_ref(x.data(), c.data(), d, format, bits, expected.data(), &expected_e, powers);
    for (const SimdLevel level : levels()) {
      CASE(level);
      std::vector<std::int32_t> m(x.size(), kUntouched);
      int e = 0;
      CHECK(center(x.data(), c.data(), d, format, bits, m.data(), &e, powers, level) == ok);
      CHECK(e == expected_e);
      CHECK_SAME(m, expected);
    }
  });
}

TEST_CASE("fast square sum equals square_sum_ref") {
  Random random(3);
  for (const int d : kDims)
    for (const int limit : {0, 1, 255, 32767, (1 << 20) - 1}) {
      CASE(d, limit);
      std::vector<std::int32_t> m = words(random, d, limit);
      for (const SimdLevel level : levels())
        CHECK_AT(level, square_sum(m.data(), d, level) == square_sum_ref(m.data(), d));
      for (std::int32_t& value : m) value = value < 0 ? -limit : limit;
      for (const SimdLevel level : levels())
        CHECK_AT(level, square_sum(m.data(), d, level) == square_sum_ref(m.data(), d));
    }
}

TEST_CASE("fast root equals root_ref around every kind of boundary") {
  Random random(4);
  const auto same = [](std::uint64_t value) { return root(value) == root_ref(value); };
  for (std::uint64_t value = 0; value < 5000; ++value) CHECK_AT(value, same(value));
  for (int i = 0; i < 20000; ++i) {
    CASE(i);
    const std::uint64_t n = random() >> (34 + random() % 30);  // also beyond the macro's 2^24
    for (const std::uint64_t square : {n * n, n * n + n})  // exact roots, and just below N + 1/2
      for (std::uint64_t offset = 0; offset < 5; ++offset) {
        CASE(square, offset);
        if (square + offset >= 2 && square >> 60 == 0) CHECK(same(square + offset - 2));
      }
    CHECK(same(random() >> (2 + random() % 60)));
  }
}

TEST_CASE("fast norm equals norm_ref") {
  Random random(5);
  const auto expect_same = [](std::uint32_t value, int e) {
    const Norm expected = norm_ref(value, e);
    const Norm actual = norm(value, e);
    CHECK(actual.half == expected.half);
    CHECK(actual.saturated == expected.saturated);
  };
  for (int e = -180; e <= 140; ++e)
    for (int width = 0; width < 31; ++width)
      for (int i = 0; i < 8; ++i) {
        CASE(e, width, i);
        const auto low = static_cast<std::uint32_t>(random() % 5);
        expect_same((1u << width) + low, e);
        expect_same((1u << width) - (low < (1u << width) ? low : 0), e);
        expect_same(static_cast<std::uint32_t>(random() >> (33 + width)), e);
      }
  for (std::uint32_t value = 65400; value < 65700; ++value)
    for (int shift = 0; shift < 8; ++shift) {
      CASE(value, shift);
      expect_same(value << shift, -shift);
      expect_same((value << shift) + 1, -shift);
      expect_same((value << shift) - 1, -shift);
    }
}

TEST_CASE("fast rotation equals rotate_ref, also beyond the macro's sizes") {
  Random random(6);
  for (const int d : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024})
    for (int repeat = 0; repeat < 20; ++repeat) {
      CASE(d, repeat);
      const int limit = repeat == 0 ? 0 : (1 << 20) - 1;
      std::vector<std::int32_t> x = words(random, d, limit);
      if (repeat == 1)
        for (std::int32_t& value : x) value = limit;
      const std::vector<std::int8_t> s = signs(random, d);
      std::vector<std::int32_t> rotated = x;
      rotate_ref(s.data(), rotated.data(), d);
      std::vector<std::int32_t> transformed = x;
      hadamard_ref(transformed.data(), d);
      for (const SimdLevel level : levels()) {
        CASE(level);
        std::vector<std::int32_t> y = x;
        rotate(s.data(), y.data(), d, level);
        CHECK_SAME(y, rotated);
        y = x;
        hadamard(y.data(), d, level);
        CHECK_SAME(y, transformed);
      }
    }
}

TEST_CASE("fast quantizer equals quantize_ref, ties and equal thresholds included") {
  Random random(7);
  for (const int d : kDims)
    for (const int count : {1, 3, 7, 15})
      for (int repeat = 0; repeat < 60; ++repeat) {
        CASE(d, count, repeat);
        const int limit = repeat % 3 == 0 ? 3 : repeat % 3 == 1 ? 1000 : (1 << 28) - 1;
        std::vector<std::int32_t> thresholds = words(random, count, limit);
        std::sort(thresholds.begin(), thresholds.end());
        std::vector<std::int32_t> y = words(random, d, limit);
        for (std::size_t i = 0; i < y.size(); i += 2)
          y[i] = thresholds[i / 2 % thresholds.size()] + between(random, -1, 1);
        std::vector<std::uint8_t> expected(y.size());
        quantize_ref(y.data(), d, thresholds.data(), count, expected.data());
        for (const SimdLevel level : levels()) {
          CASE(level);
          std::vector<std::uint8_t> indices(y.size(), 0xEE);
          quantize(y.data(), d, thresholds.data(), count, indices.data(), level);
          CHECK_SAME(indices, expected);
        }
      }
}

TEST_CASE("fast search through a trellis equals encode_trellis_ref, ties and limits included") {
  Random random(8);
  for (const int d : {8, 32, 64, 128, 256})
    for (const int states : {4, 8, 16})
      for (int bits = 1; bits <= 4; ++bits)
        for (int repeat = 0; repeat < 40; ++repeat) {
          CASE(d, states, bits, repeat);
          const int count = 2 << bits;
          const auto root =
              static_cast<std::uint32_t>(between(random, 0, 1 << between(random, 0, 24)));
          std::vector<std::int32_t> words_of_levels,
              reconstructions(static_cast<std::size_t>(count));
          for (const double level : trellis_levels(bits))
            words_of_levels.push_back(static_cast<std::int32_t>(std::lround(level * 8192)));
          reconstructions_ref(words_of_levels.data(), count, root, 13, reconstructions.data());
          // Near, far beyond the largest level, on a grid of few values, and at the widest.
          const auto most =
              static_cast<int>(repeat % 4 == 0   ? std::min<std::uint32_t>(3 * root + 1, 1U << 28)
                               : repeat % 4 == 1 ? std::min<std::uint32_t>(16 * root + 1, 1U << 28)
                               : repeat % 4 == 2 ? 3U
                                                 : (1U << 28));
          std::vector<std::int32_t> y = words(random, d, most);
          if (repeat < 2) std::fill(y.begin(), y.end(), repeat == 0 ? 1 << 28 : -(1 << 28));
          std::vector<std::uint8_t> expected(y.size()), chosen(y.size());
          const std::uint32_t cost = encode_trellis_ref(y.data(), d, reconstructions.data(), bits,
                                                        root, states, expected.data());
          trellis_level_ref(expected.data(), d, states, chosen.data());
          for (const SimdLevel level : levels()) {
            CASE(level);
            std::vector<std::uint8_t> indices(y.size(), 0xEE);
            CHECK(encode_trellis(y.data(), d, reconstructions.data(), bits, root, states,
                                 indices.data(), level) == cost);
            CHECK_SAME(indices, expected);
          }
          std::vector<std::uint8_t> fast(y.size(), 0xEE);
          trellis_level(expected.data(), d, states, fast.data());
          CHECK_SAME(fast, chosen);
          trellis_level(expected.data(), d, states, expected.data());  // in place
          CHECK_SAME(expected, chosen);
        }
}

TEST_CASE("fast encoding with feedback equals encode_feedback_ref, ties and extremes included") {
  Random random(9);
  for (const int d : {8, 32, 64, 128, 256, 512})
    for (const bool full : {false, true}) {
      if (full && d == 512) continue;  // d * d constants
      const auto size = static_cast<std::size_t>(d);
      QueryMoment moment;
      std::normal_distribution<float> normal;
      moment.alpha = 40;
      for (int i = 0; i < d; ++i)
        moment.direction.push_back(normal(random) / std::sqrt(static_cast<float>(d)));
      if (full) {
        moment.full.resize(size * size);
        for (int query = 0; query < 20; ++query) {
          std::vector<float> q(size);
          for (float& element : q) element = normal(random) + 1;
          for (std::size_t i = 0; i < size * size; ++i) moment.full[i] += q[i / size] * q[i % size];
        }
      }
      const Feedback feedback = make_feedback(moment, signs(random, d).data(), d);
      for (const int states : {0, 4, 8, 16})
        for (int bits = 2; bits <= 4; ++bits)
          for (int repeat = 0; repeat < (full ? 4 : 12); ++repeat) {
            // More keys than lanes, not a multiple of them, where keys go side by side.
            const std::size_t keys = full || states != 0 ? 2 : 37;
            std::vector<float> values;
            std::vector<std::int32_t> y;
            for (std::size_t key = 0; key < keys; ++key) {
              const int root = between(random, 0, 1 << between(random, 0, 24));
              for (const double level :
                   states != 0 ? trellis_levels(bits)
                               : solve_codebook(CodebookKind::gaussian, d, bits).centroids)
                values.push_back(static_cast<float>(level) * static_cast<float>(root));
              const std::int64_t most = repeat % 4 == 0   ? 3LL * root + 1
                                        : repeat % 4 == 1 ? 16LL * root + 1
                                        : repeat % 4 == 2 ? 3
                                                          : 1 << 28;
              std::vector<std::int32_t> row =
                  words(random, d, static_cast<int>(std::min<std::int64_t>(most, 1 << 28)));
              if (repeat < 2 && key % 3 == 0)
                std::fill(row.begin(), row.end(), repeat == 0 ? 0 : 1 << 28);
              y.insert(y.end(), row.begin(), row.end());
            }
            std::vector<std::uint8_t> expected(keys * size);
            encode_feedback_ref(feedback, y.data(), keys, d, values.data(), bits, states,
                                expected.data());
            for (const SimdLevel level : levels()) {
              std::vector<std::uint8_t> indices(keys * size, 0xEE);
              encode_feedback(feedback, y.data(), keys, d, values.data(), bits, states,
                              indices.data(), level);
              CASE(level, d, full, states, bits, repeat);
              CHECK_SAME(indices, expected);
            }
          }
    }
}

TEST_CASE("fast packing equals pack_record_ref and writes no byte beyond the record") {
  Random random(8);
  for (const int d : {8, 24, 32, 64, 128, 256})
    for (int bits = 2; bits <= 4; ++bits)
      for (int repeat = 0; repeat < 40; ++repeat) {
        CASE(d, bits, repeat);
        std::vector<std::uint8_t> indices;
        for (int i = 0; i < d; ++i)
          indices.push_back(static_cast<std::uint8_t>(between(random, 0, (1 << bits) - 1)));
        const auto norm_bits = static_cast<std::uint16_t>(random() & 0xFFFF);
        const auto size = static_cast<std::size_t>(record_bytes(d, bits));
        std::vector<std::uint8_t> expected(size + 64, 0xA5);
        pack_record_ref(indices.data(), norm_bits, d, bits, expected.data());
        for (const SimdLevel level : levels()) {
          CASE(level);
          std::vector<std::uint8_t> record(size + 64, 0xA5);
          pack_record(indices.data(), norm_bits, d, bits, record.data(), level);
          CHECK_SAME(record, expected);
        }
      }
}

#ifdef __SSE2__
TEST_CASE("fast alignment and root do not feel the caller's rounding and denormal modes") {
  Random random(9);
  const unsigned saved = _mm_getcsr();
  for (const unsigned mode : {0x9FC0u, 0x3F80u, 0x5F80u, 0x7F80u}) {
    CASE(mode);  // flush; down; up; to zero
    for (const ElementFormat format : kFormats)
      for (int kind = 0; kind < static_cast<int>(Kind::count); ++kind) {
        CASE(format, kind);
        const auto x = vector(random, static_cast<Kind>(kind), format, 128);
        std::vector<std::int32_t> expected(x.size());
        int expected_e = 0;
        align_ref(x.data(), 128, format, 16, expected.data(), &expected_e);
        for (const SimdLevel level : levels()) {
          CASE(level);
          std::vector<std::int32_t> m(x.size());
          int e = 0;
          _mm_setcsr(mode);
          align(x.data(), 128, format, 16, m.data(), &e, nullptr, level);
          _mm_setcsr(saved);
          CHECK_SAME(m, expected);
          CHECK(e == expected_e);
        }
      }
    for (int i = 0; i < 20000; ++i) {
      CASE(i);
      const std::uint64_t n = random() >> (40 + random() % 24);
      for (const std::uint64_t square : {n * n, n * n + n, n * n + n + 1}) {
        CASE(square);
        if (square >> 48 != 0) continue;
        _mm_setcsr(mode);
        const std::uint32_t actual = root(square);
        _mm_setcsr(saved);
        CHECK(actual == root_ref(square));
      }
    }
  }
}
#endif
