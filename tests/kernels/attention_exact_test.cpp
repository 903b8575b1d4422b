#include "attention_case.hpp"
#include "attention_fill.hpp"
#include "check.hpp"
#include "golden_scores.hpp"

using namespace test;

namespace {

axelram::Parameters unbiased(int d, int bits, int states = 0) {
  axelram::Parameters p = test::with_trellis(test::parameters_of(d, bits), states);
  p.scale = axelram::ScaleKind::unbiased;
  p.exact_first = 1;  // so that golden writes copies
  return p;
}

struct Formats {
  int d, bits, states;
  bool keys, values;  ///< as records
};

/// S and R of keys and of values.
struct Counts {
  int key_first, key_last, value_first, value_last;
};

AttentionCase make_case(axelram::kernels::Stream& stream, const Formats& f, const Counts& n,
                        const std::vector<std::int32_t>& lengths, std::int32_t ring,
                        std::int32_t batch) {
  const axelram::Parameters p = unbiased(f.d, f.bits, f.states);
  AttentionCase c(stream, 3, 2, p, f.keys, p, f.values, 32, lengths, 7);
  test::fill_random(c, lengths, 1);
  if (n.key_first + n.key_last > 0)
    c.exact_keys = ExactSide(stream, c.keys, lengths, n.key_first, n.key_last, ring, batch);
  if (n.value_first + n.value_last > 0)
    c.exact_values = ExactSide(stream, c.values, lengths, n.value_first, n.value_last, ring, batch);
  return c;
}

void check_both(AttentionCase& c, bool fast, std::int32_t splits) {
  const std::vector<double> reference = c.reference();
  CHECK(test::worst_error(c.attend(splits), reference, c.shape.head_dim) < 1e-3);
  CHECK(c.fast == fast);
  CHECK(test::worst_error(c.attend(splits, true), reference, c.shape.head_dim) < 1e-5);
}

}  // namespace

TEST_CASE("attention: exact tokens of keys, of values and of both, at every moment of a prefill") {
  axelram::kernels::Stream stream;
  const std::vector<std::int32_t> lengths = {100, 7};
  const std::vector<Counts> counts = {{4, 8, 4, 8},     {1, 0, 1, 0},  {0, 16, 0, 16},
                                      {16, 64, 16, 64}, {4, 30, 2, 5}, {1, 3, 9, 40},
                                      {2, 5, 0, 0},     {0, 0, 2, 5}};
  for (const Counts& n : counts) {
    CASE(n.key_first, n.key_last, n.value_first);
    AttentionCase c = make_case(stream, {64, 3, 0, true, true}, n, lengths, 100, 100);
    std::uint64_t seed = 10;
    for (const std::int32_t visible : {0, 1, 2, 12, 13, 32, 33, 45, 64, 65, 80, 81, 100})
      test::ask_random(c, 0, visible, ++seed, 2);
    test::ask_random(c, 1, 7, ++seed, 2);
    check_both(c, true, 1);
    check_both(c, true, 2);
  }
}

TEST_CASE("attention: exact tokens beside every format of rows") {
  axelram::kernels::Stream stream;
  const std::vector<std::int32_t> lengths = {75};
  for (const int d : {32, 64, 128, 256})
    for (const int bits : {2, 3, 4})
      for (const int states : {0, 8})
        for (const auto& [keys, values] : {std::pair(true, true), {true, false}, {false, true}}) {
          CASE(d, bits, states, keys);
          const Counts n{keys ? 2 : 0, keys ? 9 : 0, values ? 3 : 0, values ? 8 : 0};
          AttentionCase c = make_case(stream, {d, bits, states, keys, values}, n, lengths, 75, 75);
          test::ask_random(c, 0, 75, 20, 2);
          test::ask_random(c, 0, 40, 21, 2);
          check_both(c, d == 64 || d == 128, 0);
        }
}

TEST_CASE("attention: a ring holds the newest tokens of a batch and what the first of it sees") {
  axelram::kernels::Stream stream;
  const std::vector<std::int32_t> lengths = {150, 149};
  for (const std::int32_t batch : {1, 10, 50}) {
    CASE(batch);
    AttentionCase c =
        make_case(stream, {64, 3, 0, true, true}, {4, 16, 4, 16}, lengths, 16 + batch - 1, batch);
    // All queries of the last batch.
    for (std::int32_t visible = 150 - batch + 1; visible <= 150; visible += 3)
      test::ask_random(c, 0, visible, static_cast<std::uint64_t>(visible), 2);
    check_both(c, true, 0);
  }
}

TEST_CASE("attention: weights that are all with exact tokens, or all with the others") {
  axelram::kernels::Stream stream;
  const std::vector<std::int32_t> lengths = {90};
  for (const std::int32_t strong : {0, 40, 89}) {
    CASE(strong);
    std::mt19937_64 random(3);
    const std::vector<double> direction = test::gaussian(random, 64, 1);
    AttentionCase c = make_case(stream, {64, 3, 0, true, true}, {0, 0, 0, 0}, lengths, 0, 90);
    c.fill(
        lengths,
        [&](std::int32_t, std::int32_t t, std::int32_t) {
          std::vector<double> x = direction;
          for (double& e : x) e *= t == strong ? 30 : -30;
          return x;
        },
        [&](std::int32_t, std::int32_t t, std::int32_t) {
          return test::gaussian(random, 64, t == strong ? 1 : 50);
        });
    c.exact_keys = ExactSide(stream, c.keys, lengths, 4, 8, 90, 90);
    c.exact_values = ExactSide(stream, c.values, lengths, 4, 8, 90, 90);
    c.ask(0, 90, [&](std::int32_t) {
      std::vector<double> x = direction;
      for (double& e : x) e *= 3;
      return x;
    });
    check_both(c, true, 2);
  }
}

TEST_CASE("attention: exact tokens that cannot be") {
  axelram::kernels::Stream stream;
  const std::vector<std::int32_t> lengths = {40};
  const auto rejected = [&](AttentionCase& c, const char* why) {
    test::ask_random(c, 0, 40, 5);
    for (const bool general : {false, true}) {
      CASE(general);
      CHECK_THROWS_WITH_AS(c.attend(0, general), doctest::Contains(why),
                           axelram::kernels::DeviceError);
    }
  };
  const Formats formats{64, 3, 0, true, true};
  AttentionCase biased = make_case(stream, formats, {1, 2, 0, 0}, lengths, 40, 40);
  biased.keys.parameters.scale = axelram::ScaleKind::norm;
  rejected(biased, "copies need constants.unbiased");
  AttentionCase ring = make_case(stream, formats, {1, 2, 0, 0}, lengths, 40, 40);
  ring.exact_keys.rows.ring = 1;
  rejected(ring, "a ring holds at least the newest tokens");
  AttentionCase many = make_case(stream, formats, {1, 2, 1, 2}, lengths, 40, 40);
  many.exact_values.rows.first = 17;
  rejected(many, "the first ones are 0..16");
  AttentionCase none = make_case(stream, formats, {1, 2, 0, 0}, lengths, 40, 40);
  none.exact_keys.rows.exponents = nullptr;
  rejected(none, "copies of keys need exponents");
  AttentionCase other = make_case(stream, formats, {1, 2, 0, 0}, lengths, 40, 40);
  other.exact_keys.rows.heads = 1;
  rejected(other, "the exact rows of keys hold heads of another number or size");
  AttentionCase rows = make_case(stream, {64, 3, 0, true, false}, {0, 0, 0, 0}, lengths, 40, 40);
  rows.exact_values.rows = {2, 64, 1, 0, 0, none.exact_keys.rows.elements, nullptr};
  rejected(rows, "exact rows of values stand in place of records in tiles");
}
