#include "axelram/kernels/attend_in_order.hpp"

#include <cmath>
#include <random>

#include "axelram/signs.hpp"
#include "check.hpp"
#include "golden_scores.hpp"

using namespace axelram;
using namespace axelram::kernels;

namespace {

using namespace test;

struct Case {
  Parameters parameters;
  AttentionParameters attention;
  std::size_t queries, tokens;
  unsigned seed;
};

/// What golden gives for all query heads, one after the other.
struct Expected {
  std::vector<std::int32_t> logits, weight_references, maxima, output_shifts, rotated;
  std::vector<std::uint8_t> logit_saturated, output_saturated;
  std::vector<std::uint32_t> weights, reciprocals, outputs;
  std::vector<std::uint64_t> denominators;
  std::vector<std::int64_t> sums;
};

template <class T>
void append(std::vector<T>* to, const std::vector<T>& values) {
  to->insert(to->end(), values.begin(), values.end());
}

/// Scores of all binades, those of a softmax of a few, and one far above all others.
std::vector<float> scores_of(const Case& c) {
  std::mt19937_64 random(c.seed);
  std::vector<float> scores(c.queries * c.tokens);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const auto draw = static_cast<std::uint32_t>(random());
    const std::size_t query = i / c.tokens;
    if (query % 3 == 0)
      scores[i] = std::bit_cast<float>(draw & 0xff7fffffU);
    else
      scores[i] = std::ldexp(static_cast<float>(static_cast<std::int32_t>(draw) >> 8),
                             query % 3 == 1 ? -8 : -3);
    if (draw % 97 == 0) scores[i] = draw % 2 == 0 ? -0.0F : 0.0F;
    if (query % 4 == 1 && i % c.tokens == 2) scores[i] = 1e9F;
  }
  return scores;
}

std::vector<std::uint8_t> records_of(const Case& c) {
  const auto bytes = static_cast<std::size_t>(c.parameters.record_bytes());
  std::vector<std::uint8_t> records = random_bytes(c.tokens * bytes, c.seed + 1);
  for (std::size_t t = 0; t < c.tokens; ++t)
    if (t % 5 == c.seed % 5 || c.seed % 7 == 0)  // a norm of zero, of either sign
      records[(t + 1) * bytes - 2] = 0, records[(t + 1) * bytes - 1] = t % 2 == 0 ? 0 : 0x80;
  return records;
}

void check_equal(const Case& c) {
  Stream stream;
  const Parameters& p = c.parameters;
  const CodebookRom rom = codebook_rom(p);
  const auto d = static_cast<std::size_t>(p.head_dim), q = c.queries, t = c.tokens;
  const std::vector<float> scores = scores_of(c);
  const std::vector<std::uint8_t> records = records_of(c);
  std::vector<std::int8_t> signs(d);
  sign_vector(c.seed, 1, 2, p.head_dim, signs.data());
  Expected e;
  for (std::size_t query = 0; query < q; ++query) {
    AttentionResult result;
    attend_ref(c.attention, p, rom, signs.data(), scores.data() + query * t, records.data(), t,
               &result);
    append(&e.logits, result.logits);
    append(&e.logit_saturated, result.logit_saturated);
    append(&e.weights, result.weights);
    append(&e.weight_references, result.weight_references);
    e.maxima.push_back(result.maximum);
    e.denominators.push_back(result.denominator);
    append(&e.sums, result.sums);
    e.output_shifts.push_back(result.output_shift);
    append(&e.rotated, result.rotated);
    e.reciprocals.push_back(result.reciprocal);
    append(&e.outputs, result.outputs);
    e.output_saturated.push_back(result.output_saturated ? 1 : 0);
  }

  const Buffer<std::int8_t> device_signs(stream, signs);
  const Buffer<float> device_scores(stream, scores);
  const Buffer<std::uint8_t> device_records(stream, records);
  const Buffer<std::int32_t> logits(q * t), references(q * t), maxima(q), shifts(q), rotated(q * d);
  const Buffer<std::uint8_t> logit_saturated(q * t), output_saturated(q);
  const Buffer<std::uint32_t> weights(q * t), reciprocals(q), outputs(q * d);
  const Buffer<std::uint64_t> denominators(q);
  const Buffer<std::int64_t> sums(q * d);
  const AttendedInOrder out{logits.data(),      logit_saturated.data(), weights.data(),
                            references.data(),  maxima.data(),          denominators.data(),
                            sums.data(),        shifts.data(),          rotated.data(),
                            reciprocals.data(), outputs.data(),         output_saturated.data()};
  const MacroConstants constants = macro_constants(p, rom);
  const AttentionConstants attention = attention_constants(c.attention, rom);
  attend_in_order(stream, constants, attention, device_signs.data(), device_scores.data(), q,
                  device_records.data(), t, out);
  CHECK_SAME(logits.download(stream), e.logits);
  CHECK_SAME(logit_saturated.download(stream), e.logit_saturated);
  CHECK_SAME(weights.download(stream), e.weights);
  CHECK_SAME(references.download(stream), e.weight_references);
  CHECK_SAME(maxima.download(stream), e.maxima);
  CHECK_SAME(denominators.download(stream), e.denominators);
  CHECK_SAME(sums.download(stream), e.sums);
  CHECK_SAME(shifts.download(stream), e.output_shifts);
  CHECK_SAME(rotated.download(stream), e.rotated);
  CHECK_SAME(reciprocals.download(stream), e.reciprocals);
  CHECK_SAME(outputs.download(stream), e.outputs);
  CHECK_SAME(output_saturated.download(stream), e.output_saturated);

  const Buffer<std::uint32_t> alone(q * d);
  AttendedInOrder outputs_alone{.outputs = alone.data()};
  attend_in_order(stream, constants, attention, device_signs.data(), device_scores.data(), q,
                  device_records.data(), t, outputs_alone);
  CHECK_SAME(alone.download(stream), e.outputs);
}

}  // namespace

TEST_CASE("attention in order: every tensor is golden's, for all shapes and formats") {
  unsigned seed = 1;
  for (const int d : {32, 64, 128, 256})
    for (const int b : {2, 3, 4})
      for (const int states : {0, 4, 8, 16}) {
        Parameters p =
            with_trellis(parameters_of(d, b, 8, static_cast<int>(6 + seed % 11)), states);
        p.significand_bits = static_cast<int>(12 + seed % 9);
        const AttentionParameters attention{
            1, static_cast<int>(12 + seed % 17), std::ldexp(1.0, static_cast<int>(seed % 12) - 6),
            seed % 2 == 0 ? OutputFormat::fp16 : OutputFormat::fp32};
        CASE(d, b, states, seed);
        check_equal({p, attention, 1 + seed % 6, std::size_t{1} + seed * 7 % 40, seed});
        ++seed;
      }
}

TEST_CASE("attention in order: no tokens, no queries, many tokens") {
  const Parameters p = parameters_of(64, 3, 8, 8);
  const AttentionParameters attention{1, 20, default_attention_scale(64), OutputFormat::fp16};
  check_equal({p, attention, 3, 0, 3});
  check_equal({p, attention, 0, 5, 4});
  check_equal({p, attention, 2, 700, 5});
}

TEST_CASE("attention in order: arguments that are no attention") {
  Stream stream;
  const Parameters p = parameters_of(32, 3, 8, 8);
  const CodebookRom rom = codebook_rom(p);
  const MacroConstants constants = macro_constants(p, rom);
  const AttentionConstants attention =
      attention_constants({1, 20, default_attention_scale(32), OutputFormat::fp16}, rom);
  const Buffer<std::int8_t> signs(stream, std::vector<std::int8_t>(32, 1));
  const Buffer<float> scores(stream, std::vector<float>(2));
  const Buffer<std::uint8_t> records(stream, std::vector<std::uint8_t>(28));
  const auto run = [&](const MacroConstants& c, const AttentionConstants& a, const std::int8_t* s,
                       const float* x,
                       const std::uint8_t* r) { attend_in_order(stream, c, a, s, x, 1, r, 2, {}); };
  run(constants, attention, signs.data(), scores.data(), records.data());
  CHECK_THROWS_AS(run(constants, attention, nullptr, scores.data(), records.data()), DeviceError);
  CHECK_THROWS_AS(run(constants, attention, signs.data(), nullptr, records.data()), DeviceError);
  CHECK_THROWS_AS(run(constants, attention, signs.data(), scores.data(), nullptr), DeviceError);
  AttentionConstants narrow = attention;
  narrow.weight_bits = 11;
  CHECK_THROWS_AS(run(constants, narrow, signs.data(), scores.data(), records.data()), DeviceError);
  MacroConstants split = constants;
  split.split = true;
  CHECK_THROWS_AS(run(split, attention, signs.data(), scores.data(), records.data()), DeviceError);
}
