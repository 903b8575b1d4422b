#include "attention_case.hpp"
#include "attention_fill.hpp"
#include "axelram/exact.hpp"
#include "check.hpp"
#include "golden_scores.hpp"

using test::AttentionCase;

namespace {

using namespace axelram;

constexpr int kHeads = 2, kGroup = 3;

/// Records of one part; S first and R newest tokens have copies.
Parameters records(int d, int bits, int states, int first = 0, int last = 0) {
  Parameters p = test::with_trellis(test::parameters_of(d, bits), states);
  p.scale = ScaleKind::unbiased;
  p.exact_first = first;
  p.exact_last = last;
  return p;
}

float value_of(OutputFormat format, std::uint32_t bits) {
  if (format == OutputFormat::fp32) return std::bit_cast<float>(bits);
  return static_cast<float>(half_to_double(static_cast<std::uint16_t>(bits)));
}

/// What golden gives for all query heads of a case, one after the other.
std::vector<float> golden(const AttentionCase& c, const AttentionParameters& attention) {
  const Parameters& p = c.keys.parameters;
  const auto d = static_cast<std::size_t>(p.head_dim);
  std::vector<float> out;
  for (std::size_t row = 0; row < c.sequence.size() * kHeads * kGroup; ++row) {
    const std::int32_t head = static_cast<std::int32_t>(row % (kHeads * kGroup)) / kGroup;
    const std::size_t query = row / (kHeads * kGroup);
    const std::int32_t tokens = c.visible[query];
    std::vector<float> scores;
    std::vector<std::uint8_t> values;
    for (std::int32_t token = 0; token < tokens; ++token) {
      const test::CacheSide::Given& key = c.keys.given.at({c.sequence[query], token, head});
      if (token < c.exact_keys.rows.first || token >= tokens - c.exact_keys.rows.last) {
        const std::int64_t acc =
            accumulate_copy_ref(&c.u[row * d], key.copy.elements.data(), p.head_dim);
        bool saturated = false;
        scores.push_back(
            score_copy_ref(acc, c.exponents[row], key.copy.exponent, p.centroid_bits, &saturated));
      } else {
        scores.push_back(
            test::golden_score(p, *c.keys.rom, &c.u[row * d], c.exponents[row], key.record.data())
                .score);
      }
      const auto& value = c.values.given.at({c.sequence[query], token, head}).record;
      values.insert(values.end(), value.begin(), value.end());
    }
    AttentionResult result;
    attend_ref(attention, p, *c.values.rom,
               c.values.rotations[static_cast<std::size_t>(head)].signs.data(), scores.data(),
               values.data(), static_cast<std::size_t>(tokens), &result);
    for (const std::uint32_t bits : result.outputs) out.push_back(value_of(attention.output, bits));
  }
  return out;
}

void check_equal(AttentionCase& c, const AttentionParameters& attention) {
  const kernels::AttentionConstants constants =
      kernels::attention_constants(attention, *c.values.rom);
  const std::vector<float> expected = golden(c, attention);
  for (const bool wide : {false, true})  // elements of queries as bytes, and as words
  {
    CASE(wide);
    CHECK(test::same_bits(c.attend(1, wide, &constants), expected));
  }
}

}  // namespace

TEST_CASE("attention in order over pages: every output is golden's") {
  kernels::Stream stream;
  const std::vector<std::int32_t> lengths = {70, 7};
  std::uint64_t seed = 1;
  for (const int d : {32, 64, 128, 256})
    for (const int bits : {2, 3, 4})
      for (const int states : {0, 4, 16}) {
        CASE(d, bits, states);
        const Parameters p = records(d, bits, states);
        AttentionCase c(stream, kGroup, kHeads, p, true, p, true, 32, lengths, ++seed);
        test::fill_random(c, lengths, ++seed);
        for (const std::int32_t visible : {0, 1, 33, 70})
          test::ask_random(c, 0, visible, ++seed, 3);
        test::ask_random(c, 1, 7, ++seed, 3);
        check_equal(c, {1, static_cast<int>(12 + seed % 17), default_attention_scale(d),
                        seed % 2 == 0 ? OutputFormat::fp16 : OutputFormat::fp32});
      }
}

TEST_CASE("attention in order over pages: copies of exact tokens") {
  kernels::Stream stream;
  const std::vector<std::int32_t> lengths = {50, 9};
  for (const auto& [first, last] : {std::pair(2, 5), {0, 8}, {3, 0}}) {
    CASE(first, last);
    const Parameters p = records(64, 3, 0, first, last);
    AttentionCase c(stream, kGroup, kHeads, p, true, p, true, 32, lengths, 3);
    test::fill_random(c, lengths, 4);
    c.exact_keys = test::ExactSide(stream, c.keys, lengths, first, last, 50, 50);
    for (const std::int32_t visible : {0, 1, 6, 7, 8, 33, 50})
      test::ask_random(c, 0, visible, static_cast<std::uint64_t>(visible) + 1, 3);
    test::ask_random(c, 1, 9, 77, 3);
    check_equal(c, {1, 20, default_attention_scale(64), OutputFormat::fp32});
  }
}

TEST_CASE("attention in order over pages: rows that are no records of one part") {
  kernels::Stream stream;
  const Parameters p = records(32, 3, 0);
  const kernels::AttentionConstants constants = kernels::attention_constants(
      {1, 20, default_attention_scale(32), OutputFormat::fp16}, codebook_rom(p));
  AttentionCase c(stream, kGroup, kHeads, p, true, p, false, 32, {4}, 3);
  test::fill_random(c, {4}, 4);
  test::ask_random(c, 0, 4, 5);
  CHECK_THROWS_AS(c.attend(1, false, &constants), kernels::DeviceError);
}
