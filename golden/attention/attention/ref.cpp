#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "axelram/attention.hpp"
#include "axelram/logit.hpp"
#include "axelram/power_of_two.hpp"
#include "axelram/record.hpp"
#include "axelram/rounding.hpp"
#include "axelram/softmax.hpp"
#include "axelram/trellis.hpp"
#include "axelram/weighted_sum.hpp"

namespace axelram {
namespace {

/// ceil(log2(max_keys)).
int address_bits(std::size_t max_keys) { return bit_length(max_keys - 1); }

}  // namespace

int default_weight_bits(std::size_t max_keys) {
  return std::clamp(8 + address_bits(max_keys), 12, 28);
}

double default_attention_scale(int head_dim) { return 1 / std::sqrt(double(head_dim)); }

int weighted_sum_bits(const Parameters& parameters, int weight_bits, std::size_t max_keys) {
  return weight_bits + parameters.centroid_bits + address_bits(max_keys);
}

void check(const AttentionParameters& attention, const Parameters& parameters,
           std::size_t max_keys) {
  const int group = attention.group;
  if (group != 1 && group != 2 && group != 4 && group != 8)
    throw std::invalid_argument("group is " + std::to_string(group) + "; it must be 1, 2, 4 or 8");
  if (attention.weight_bits < 12 || attention.weight_bits > 28)
    throw std::invalid_argument("weight_bits is " + std::to_string(attention.weight_bits) +
                                "; it must lie in 12..28");
  if (!std::isfinite(attention.scale) || attention.scale <= 0)
    throw std::invalid_argument("the attention's scale must be finite and above 0");
  if (parameters.two_parts())
    throw std::invalid_argument("attention excludes the kind prod and a split");
  const int bits = weighted_sum_bits(parameters, attention.weight_bits, max_keys);
  if (bits > 63)
    throw std::invalid_argument(
        "sums of values have " + std::to_string(bits) +
        " bits: weight_bits, centroid_bits and those of max_keys; they must be 63 or less");
  softmax_scale(codebook_rom(parameters).score_scale, attention.scale);
}

void attend_ref(const AttentionParameters& attention, const Parameters& parameters,
                const CodebookRom& rom, const std::int8_t* signs, const float* scores,
                const std::uint8_t* records, std::size_t count, AttentionResult* result) {
  const int d = parameters.head_dim;
  const auto elements = static_cast<std::size_t>(d);
  const BinaryScale of_scores = softmax_scale(rom.score_scale, attention.scale);
  *result = {};
  result->sums.resize(elements);
  std::vector<std::uint8_t> levels(elements);
  SoftmaxState state;
  for (std::size_t t = 0; t < count; ++t) {
    bool saturated = false;
    const std::int32_t z = logit_ref(scores[t], of_scores, &saturated);
    std::uint16_t norm = 0;
    unpack_record_ref(records + t * static_cast<std::size_t>(parameters.record_bytes()), d,
                      parameters.index_bits, levels.data(), &norm);
    if (parameters.trellis()) trellis_level_ref(levels.data(), d, parameters.states, levels.data());
    const TokenWeight token = softmax_ref(&state, power_of_two_ref(z), norm, attention.weight_bits);
    weighted_sum_ref(result->sums.data(), d, token, rom.centroids.data(), levels.data());
    result->logit_saturated.push_back(saturated ? 1 : 0);
    result->logits.push_back(z);
    result->weights.push_back(token.weight);
    result->weight_references.push_back(state.weight_reference);
  }
  finish_attention(attention, parameters, rom, signs, state, result);
}

void finish_attention(const AttentionParameters& attention, const Parameters& parameters,
                      const CodebookRom& rom, const std::int8_t* signs, const SoftmaxState& state,
                      AttentionResult* result) {
  const int d = parameters.head_dim;
  const BinaryScale of_values = value_scale(rom.score_scale);
  result->maximum = state.maximum;
  result->denominator = state.denominator;
  result->rotated.resize(static_cast<std::size_t>(d));
  result->output_shift =
      align_sums_ref(result->sums.data(), d, parameters.significand_bits, result->rotated.data());
  rotate_back_ref(signs, result->rotated.data(), d);
  result->reciprocal = reciprocal_ref(state.denominator, of_values.significand);
  const int exponent =
      output_exponent(state, of_values, result->output_shift, attention.weight_bits);
  for (const std::int32_t y : result->rotated) {
    bool saturated = false;
    result->outputs.push_back(
        output_ref(y, result->reciprocal, exponent, attention.output, &saturated));
    result->output_saturated = result->output_saturated || saturated;
  }
}

}  // namespace axelram
