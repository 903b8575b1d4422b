#include "axelram/fast_attention.hpp"

#include <cfloat>
#include <cmath>

#include "axelram/attention_macro.hpp"
#include "axelram/fast.hpp"
#include "check.hpp"
#include "golden/oracle.hpp"

using namespace axelram;

namespace {

void check_equal(const AttentionResult& a, const AttentionResult& b) {
  REQUIRE_SAME(a.logits, b.logits);
  REQUIRE_SAME(a.weights, b.weights);
  REQUIRE_SAME(a.weight_references, b.weight_references);
  REQUIRE_SAME(a.logit_saturated, b.logit_saturated);
  REQUIRE(a.maximum == b.maximum);
  REQUIRE(a.denominator == b.denominator);
  REQUIRE_SAME(a.sums, b.sums);
  REQUIRE(a.output_shift == b.output_shift);
  REQUIRE_SAME(a.rotated, b.rotated);
  REQUIRE(a.reciprocal == b.reciprocal);
  REQUIRE_SAME(a.outputs, b.outputs);
  REQUIRE(a.output_saturated == b.output_saturated);
}

/// Scores of one of several characters: any float, random, rising or falling at every token, equal,
/// one far above the others, all saturated.
std::vector<float> drawn_scores(oracle::Rng& rng, std::size_t count, int character) {
  std::vector<float> scores;
  for (std::size_t t = 0; t < count; ++t) {
    const auto at = static_cast<float>(t);
    float score = static_cast<float>(oracle::uniform(rng, -3000000, 3000000));
    if (character == 0) score = std::ldexp(score, oracle::uniform(rng, -100, 100));
    if (character == 2) score = 100000 * at;
    if (character == 3) score = -100000 * at;
    if (character == 4) score = -1234567;
    if (character == 5) score = t == count / 2 ? 3e7F : 0;
    if (character == 6) score = t % 2 == 0 ? FLT_MAX : -FLT_MAX;
    scores.push_back(score);
  }
  return scores;
}

}  // namespace

TEST_CASE("fast attention equals its reference") {
  oracle::Rng rng(61);
  for (int trial = 0; trial < 400; ++trial) {
    CASE(trial);
    Parameters p{.head_dim = 32 << oracle::uniform(rng, 0, 3),
                 .index_bits = oracle::uniform(rng, 2, 4),
                 .significand_bits = oracle::uniform(rng, 12, 20),
                 .centroid_bits = oracle::uniform(rng, 6, 16)};
    if (trial % 4 == 0) p.kind = QuantizerKind::trellis;
    p.states = 4 << oracle::uniform(rng, 0, 2);
    const AttentionParameters attention{1, oracle::uniform(rng, 12, 28),
                                        std::ldexp(1.0, oracle::uniform(rng, -8, 2)),
                                        trial % 2 == 0 ? OutputFormat::fp16 : OutputFormat::fp32};
    const auto count =
        static_cast<std::size_t>(oracle::uniform(rng, 0, trial % 10 == 0 ? 700 : 70));
    const std::vector<float> scores = drawn_scores(rng, count, trial % 7);
    const auto stride = static_cast<std::size_t>(p.record_bytes());
    std::vector<std::uint8_t> records(count * stride);
    for (std::uint8_t& byte : records) byte = static_cast<std::uint8_t>(rng());
    for (std::size_t t = 0; t < count; ++t)
      if (oracle::uniform(rng, 0, 5) == 0 || (trial % 11 == 0 && t + 1 < count))
        records[(t + 1) * stride - 1] = records[(t + 1) * stride - 2] = 0;
    std::vector<std::int8_t> signs(static_cast<std::size_t>(p.head_dim));
    for (std::int8_t& sign : signs) sign = oracle::uniform(rng, 0, 1) != 0 ? 1 : -1;
    const CodebookRom rom = codebook_rom(p);
    AttentionResult expected;
    attend_ref(attention, p, rom, signs.data(), scores.data(), records.data(), count, &expected);
    for (const SimdLevel level : {SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512}) {
      CASE(static_cast<int>(level));
      AttentionResult found;
      attend(attention, p, rom, signs.data(), scores.data(), records.data(), count, &found, level);
      check_equal(found, expected);
    }
  }
}

TEST_CASE("a macro of fast units attends as one of reference units") {
  oracle::Rng rng(62);
  Parameters p{.head_dim = 64};
  const AttentionParameters attention{2, 12, default_attention_scale(64), OutputFormat::fp32};
  const std::vector<RotationRow> rows{{seeded_rotation(p, kDefaultSeed, 0, 0), {}}};
  AttentionMacro reference(p, attention, rows, 1, 16, {"golay24", ErasurePolicy::keep, true}),
      fast(p, attention, rows, 1, 16, {"golay24", ErasurePolicy::keep, true}, fast_units());
  for (AttentionMacro* macro : {&reference, &fast})
    REQUIRE_AT(macro, macro->allocate(0, {0, 9, 1, 0, true}));
  for (int step = 0; step < 30; ++step) {
    CASE(step);
    const auto key = oracle::vector(rng, 64, p.element_format);
    const auto value = oracle::vector(rng, 64, p.element_format);
    const TokenResult a = reference.append(0, key.data(), value.data());
    const TokenResult b = fast.append(0, key.data(), value.data());
    REQUIRE_SAME(a.value.record, b.value.record);
    auto queries = oracle::vector(rng, 64, p.element_format);
    queries.insert(queries.end(), key.begin(), key.end());
    const GroupResult c = reference.attend(0, queries.data()), d = fast.attend(0, queries.data());
    for (std::size_t g = 0; g < 2; ++g) {
      CASE(g);
      check_equal(c.outputs[g], d.outputs[g]);
    }
  }
}
