#include "attention_case.hpp"
#include "attention_fill.hpp"
#include "check.hpp"

using namespace test;

namespace {

AttentionCase make_case(axelram::kernels::Stream& stream, int d, int key_bits, int value_bits,
                        int heads, int group, int page_tokens,
                        const std::vector<std::int32_t>& lengths) {
  return {stream,          group,
          heads,           test::parameters_of(d, key_bits),
          key_bits != 0,   test::parameters_of(d, value_bits),
          value_bits != 0, page_tokens,
          lengths,         7};
}

}  // namespace

TEST_CASE("attention: every pair of formats equals the reference, ragged, at borders of tiles") {
  axelram::kernels::Stream stream;
  struct Formats {
    int d, keys, values;
  };
  const std::vector<Formats> all = {{128, 3, 3}, {128, 3, 0}, {128, 0, 3}, {128, 0, 0}, {64, 3, 3},
                                    {64, 3, 0},  {64, 0, 3},  {64, 0, 0},  {128, 2, 2}, {128, 4, 4},
                                    {128, 2, 0}, {128, 4, 0}, {128, 0, 2}, {128, 0, 4}, {64, 2, 2},
                                    {64, 4, 4},  {64, 2, 0},  {64, 4, 0},  {64, 0, 2},  {64, 0, 4}};
  for (const Formats& f : all) {
    CASE(f.d, f.keys, f.values);
    const std::vector<std::int32_t> lengths = {150, 33};
    AttentionCase c = make_case(stream, f.d, f.keys, f.values, 2, 2, 64, lengths);
    fill_random(c, lengths, 1);
    std::uint64_t seed = 10;
    for (const std::int32_t visible : {0, 1, 31, 32, 33, 150}) ask_random(c, 0, visible, ++seed, 2);
    ask_random(c, 1, 33, ++seed, 2);
    const std::vector<double> reference = c.reference();
    CHECK(test::worst_error(c.attend(0), reference, f.d) < 1e-3);
    CHECK(c.fast);
  }
}

TEST_CASE("attention: groups of 1 to 16, several query tokens, shared pages, any splits") {
  axelram::kernels::Stream stream;
  const std::vector<std::int32_t> lengths = {200, 200, 97};
  for (const int group : {1, 4, 7, 8, 9, 16}) {
    CASE(group);
    AttentionCase c = make_case(stream, 64, 3, group % 2 == 0 ? 3 : 0, 2, group, 32, lengths);
    // Sequence 1 begins with two pages of sequence 0.
    for (test::CacheSide* side : {&c.keys, &c.values})
      for (std::size_t i = 0; i < 2; ++i)
        side->cache.table[static_cast<std::size_t>(side->cache.max_pages) + i] =
            side->cache.table[i];
    fill_random(c, lengths, 2);
    ask_random(c, 0, 200, 20);
    ask_random(c, 1, 200, 21);
    ask_random(c, 2, 97, 22);
    ask_random(c, 0, 140, 23);
    const std::vector<double> reference = c.reference();
    for (const std::int32_t splits : {0, 1, 2, 3, 100}) {
      CASE(splits);
      CHECK(test::worst_error(c.attend(splits), reference, 64) < 1e-3);
      CHECK(c.fast);
      if (group != 7) break;
    }
  }
}

TEST_CASE("attention: long contexts, split and not") {
  axelram::kernels::Stream stream;
  for (const int bits : {0, 3}) {
    CASE(bits);
    const std::vector<std::int32_t> lengths = {1300};
    AttentionCase c = make_case(stream, 64, bits, bits, 1, 2, 96, lengths);
    fill_random(c, lengths, 3);
    ask_random(c, 0, 1300, 30, 3);
    ask_random(c, 0, 700, 31, 3);
    ask_random(c, 0, 1, 32, 3);
    const std::vector<double> reference = c.reference();
    for (const std::int32_t splits : {0, 1, 5, 41})
      CHECK_AT(splits, test::worst_error(c.attend(splits), reference, 64) < 1e-3);
  }
}

TEST_CASE("attention: distributions that FP16 weights could lose") {
  axelram::kernels::Stream stream;
  constexpr int kDim = 128;
  const std::vector<std::int32_t> lengths = {420};
  std::mt19937_64 random(4);
  // Keys along the query, so that their scores are chosen; scores in nats after the scale.
  const std::vector<double> direction = gaussian(random, kDim, 1);
  double square = 0;
  for (const double x : direction) square += x * x;
  struct Adversary {
    const char* name;
    std::function<double(std::int32_t token)> score, value;  ///< and the size of the value
  };
  const std::vector<Adversary> all = {
      {"all equal", [](std::int32_t) { return 1.0; }, [](std::int32_t) { return 1.0; }},
      {"one key dominates, first", [](std::int32_t t) { return t == 0 ? 60.0 : 0.0; },
       [](std::int32_t) { return 1.0; }},
      {"one key dominates, last", [](std::int32_t t) { return t == 419 ? 60.0 : 0.0; },
       [](std::int32_t) { return 1.0; }},
      {"a flat tail 2^-16 below, values small at the top",
       [](std::int32_t t) { return t == 5 ? 11.0 : 0.0; },
       [](std::int32_t t) { return t == 5 ? 1e-4 : 1.0; }},
      {"the largest value has the smallest weight",
       [](std::int32_t t) { return t == 300 ? 0.0 : 9.0; },
       [](std::int32_t t) { return t == 300 ? 1000.0 : 0.001; }},
      {"rising scores", [](std::int32_t t) { return 0.15 * t; }, [](std::int32_t) { return 1.0; }},
      {"falling scores", [](std::int32_t t) { return -0.15 * t; },
       [](std::int32_t) { return 1.0; }},
      {"scores beyond FP32's integers", [](std::int32_t t) { return t == 100 ? 3e7 : 1e7; },
       [](std::int32_t) { return 30.0; }},
      {"tiny values", [](std::int32_t t) { return 0.01 * t; }, [](std::int32_t) { return 1e-6; }},
      {"huge values", [](std::int32_t t) { return 0.01 * t; }, [](std::int32_t) { return 2000.0; }},
      {"some values zero", [](std::int32_t t) { return t % 3 == 0 ? 20.0 : 5.0; },
       [](std::int32_t t) { return t % 3 == 0 ? 0.0 : 1.0; }},
  };
  for (const bool key_records : {true, false})
    for (const bool value_records : {true, false})
      for (const Adversary& adversary : all) {
        CASE(adversary.name, key_records, value_records);
        AttentionCase c =
            make_case(stream, kDim, key_records ? 3 : 0, value_records ? 3 : 0, 1, 1, 448, lengths);
        // Queries of size 100 if scores are huge, so that keys stay finite.
        const double query_size = adversary.score(100) > 1e6 ? 5000 : 1;
        c.fill(
            lengths,
            [&](std::int32_t, std::int32_t t, std::int32_t) {
              std::vector<double> x = direction;
              for (double& e : x) e *= adversary.score(t) * std::sqrt(kDim) / square / query_size;
              return x;
            },
            [&](std::int32_t, std::int32_t t, std::int32_t) {
              return gaussian(random, kDim, adversary.value(t));
            });
        c.ask(0, 420, [&](std::int32_t) {
          std::vector<double> x = direction;
          for (double& e : x) e *= query_size;
          return x;
        });
        CHECK(test::worst_error(c.attend(3), c.reference(), kDim) < 1e-3);
      }
}

TEST_CASE("attention: norms of every kind") {
  axelram::kernels::Stream stream;
  const std::vector<std::int32_t> lengths = {70};
  // Zero, the least and largest subnormals, the sign bit, 65504, exponent field 31.
  const std::vector<std::uint16_t> norms = {0x0000, 0x0001, 0x03FF, 0x8000, 0xBC00,
                                            0x7BFF, 0x7C00, 0x7FFF, 0xFFFF, 0x3C00};
  for (const bool all_zero : {false, true}) {
    CASE(all_zero);
    AttentionCase c = make_case(stream, 128, 3, 3, 1, 3, 96, lengths);
    fill_random(c, lengths, 5);
    for (std::int32_t t = 0; t < 70; ++t) {
      c.values.set_norm(
          0, t, 0, all_zero ? std::uint16_t{0} : norms[static_cast<std::size_t>(t) % norms.size()]);
      if (t % 7 < 3)
        c.keys.set_norm(0, t, 0, norms[static_cast<std::size_t>(t / 7) % norms.size()]);
    }
    ask_random(c, 0, 70, 50, 0.01);
    ask_random(c, 0, 69, 51, 0);
    ask_random(c, 0, 3, 52, 1e-7);
    CHECK(test::worst_error(c.attend(1), c.reference(), 128) < 1e-3);
  }
}

TEST_CASE("attention: the general kernel takes all parameters") {
  axelram::kernels::Stream stream;
  for (const int d : {32, 64, 128, 256})
    for (const bool wide : {false, true}) {
      CASE(d, wide);
      axelram::Parameters keys = test::parameters_of(d, 4), values = test::parameters_of(d, 2);
      if (wide) keys.query_bits = keys.centroid_bits = values.centroid_bits = 16;
      const std::vector<std::int32_t> lengths = {45};
      AttentionCase c(stream, 3, 2, keys, true, values, true, 64, lengths, 9);
      fill_random(c, lengths, 6);
      for (const std::int32_t visible : {0, 1, 45}) ask_random(c, 0, visible, 60, 2);
      CHECK(test::worst_error(c.attend(0), c.reference(), d) < 1e-3);
      CHECK(!c.fast);
      CHECK(test::worst_error(c.attend(0, true), c.reference(), d) < 1e-5);
    }
  for (const int bits : {0, 3}) {
    CASE(bits);
    const std::vector<std::int32_t> lengths = {45};
    AttentionCase c = make_case(stream, 64, bits, 3 - bits, 2, 2, 64, lengths);
    fill_random(c, lengths, 6);
    ask_random(c, 0, 45, 61, 2);
    CHECK(test::worst_error(c.attend(0, true), c.reference(), 64) < 1e-5);
  }
}

TEST_CASE("attention: nothing to do, and what cannot be done") {
  axelram::kernels::Stream stream;
  AttentionCase c = make_case(stream, 64, 3, 3, 1, 2, 32, {10});
  CHECK(c.attend(0).empty());
  c.shape.group = 17;
  CHECK_THROWS_WITH_AS(c.attend(0), doctest::Contains("1 to 16 query heads"),
                       axelram::kernels::DeviceError);
  c.shape.group = 2;
  c.shape.heads = 2;
  CHECK_THROWS_WITH_AS(c.attend(0), doctest::Contains("another number or size"),
                       axelram::kernels::DeviceError);
  c.shape.heads = 1;
  c.values.cache.pages.values = false;
  CHECK_THROWS_WITH_AS(c.attend(0), doctest::Contains("values lie in tiles of keys"),
                       axelram::kernels::DeviceError);
}
