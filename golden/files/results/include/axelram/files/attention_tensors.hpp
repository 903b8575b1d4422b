#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "axelram/attention_output.hpp"
#include "axelram/binary_scale.hpp"

namespace axelram::files {

/// Tensors that a result with attention has besides (bit-contract.md#result-attention). T = tokens,
/// Q = queries, n = rows of `commands`. Members are in the order of the file.
struct AttentionTensors {
  OutputFormat output = OutputFormat::fp16;

  std::vector<std::uint8_t> value_indices;           ///< U8 [T, d]
  std::vector<std::uint16_t> value_norms;            ///< F16 [T], raw
  std::vector<std::uint8_t> value_records;           ///< U8 [T, record_bytes()]
  std::vector<std::uint8_t> value_codewords;         ///< U8 [T, codeword_bytes]
  std::vector<std::int32_t> logits;                  ///< I32 [Q, T]
  std::vector<std::int32_t> weights;                 ///< I32 [Q, T]
  std::vector<std::int32_t> weight_references;       ///< I32 [Q, T], r after each token
  std::vector<std::int32_t> maxima;                  ///< I32 [Q], m
  std::vector<std::uint64_t> denominators;           ///< U64 [Q], L
  std::vector<std::int64_t> sums;                    ///< I64 [Q, d]
  std::vector<std::int32_t> output_shifts;           ///< I32 [Q], sh
  std::vector<std::int32_t> rotated_outputs;         ///< I32 [Q, d], y
  std::vector<std::uint32_t> reciprocals;            ///< U32 [Q], R
  std::vector<std::uint16_t> half_outputs;           ///< F16 [Q, d], raw; tensor `outputs`
  std::vector<float> float_outputs;                  ///< F32 [Q, d]; tensor `outputs`
  std::optional<std::vector<std::uint8_t>> refused;  ///< U8 [n]; only of a trace with commands

  /// Element `at` of `outputs`; exact in either format.
  float output_at(std::size_t at) const;

  BinaryScale softmax_scale, value_scale;
  int weight_bits = 0;
};

}  // namespace axelram::files
