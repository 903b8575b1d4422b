#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/attention_output.hpp"
#include "axelram/binary_scale.hpp"
#include "axelram/codebook.hpp"
#include "axelram/parameters.hpp"

namespace axelram {

/// Parameters of the attention behind the scores (bit-contract.md#attention-parameters).
struct AttentionParameters {
  int group = 1;         ///< G: 1, 2, 4, 8; no bit of a result depends on it
  int weight_bits = 20;  ///< FW: 12..28
  double scale = 0;      ///< of <q, k> in the softmax; finite, > 0
  OutputFormat output = OutputFormat::fp16;
};

/// 8 + ceil(log2 max_keys), not below 12 nor above 28.
int default_weight_bits(std::size_t max_keys);
/// 1 / sqrt(d), a quotient of doubles.
double default_attention_scale(int head_dim);
/// Bits of a sum, its sign included: FW + WC + ceil(log2 max_keys) (bit-contract.md#weighted-sum).
int weighted_sum_bits(const Parameters& parameters, int weight_bits, std::size_t max_keys);

/// Throws std::invalid_argument naming what is out of range: a parameter, sums of more than 63
/// bits, the exponent of the softmax scale, or records of two parts.
void check(const AttentionParameters& attention, const Parameters& parameters,
           std::size_t max_keys);

/// Results of the attention of one query head (bit-contract.md#attention).
struct AttentionResult {
  std::vector<std::int32_t> logits;             ///< z, one per visible token
  std::vector<std::uint32_t> weights;           ///< w, likewise
  std::vector<std::int32_t> weight_references;  ///< r after each token, likewise
  std::int32_t maximum = 0;                     ///< m
  std::uint64_t denominator = 0;                ///< L
  std::vector<std::int64_t> sums;               ///< acc, d
  int output_shift = 0;                         ///< sh
  std::vector<std::int32_t> rotated;            ///< y, d
  std::uint32_t reciprocal = 0;                 ///< R
  std::vector<std::uint32_t> outputs;           ///< bits in the output format, d
  std::vector<std::uint8_t> logit_saturated;    ///< 1 or 0, one per visible token
  bool output_saturated = false;
};

/// The attention of one query head over `count` tokens, the oldest first, by logit_ref,
/// power_of_two_ref, softmax_ref, weighted_sum_ref and the units of attention_output.hpp. signs: d,
/// those of the query; scores: of the read path; records: of the values, one after the other, of
/// one part.
void attend_ref(const AttentionParameters& attention, const Parameters& parameters,
                const CodebookRom& rom, const std::int8_t* signs, const float* scores,
                const std::uint8_t* records, std::size_t count, AttentionResult* result);

/// Ends a query behind its last token (bit-contract.md#attention-output). Sets maximum,
/// denominator, shift, rotated sums, reciprocal and outputs of a result whose sums are there.
void finish_attention(const AttentionParameters& attention, const Parameters& parameters,
                      const CodebookRom& rom, const std::int8_t* signs, const SoftmaxState& state,
                      AttentionResult* result);

}  // namespace axelram
