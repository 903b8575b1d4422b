#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "axelram/files/safetensors.hpp"

namespace axelram::files {

/// Keys, values and queries of one layer and KV head for a tiered cache
/// (bit-contract.md#tier-trace). FP16 raw, row-major; T = tokens, Q = queries.
struct TierTrace {
  std::size_t d = 128;
  std::vector<std::uint16_t> keys, values;  ///< [T, d]; keys as the store wants them
  std::vector<std::uint16_t> queries;       ///< [Q, d], after rotation
  std::vector<std::int32_t> query_tokens;   ///< [Q], 0 .. T - 1, not descending
  std::vector<float> cosines, sines;        ///< [T, d / 2] of the tokens; keys before rotation only
  bool interleaved = false;                 ///< pair i: channels 2i and 2i + 1, else i and i + d/2
  std::vector<float> key_offset;            ///< d, added behind the rotation; or none
  int layer = 0, head = 0;                  ///< row of constants, signs and center

  std::size_t tokens() const { return keys.size() / d; }
};

/// Reads a trace for a store of keys after the rotation of positions or, if `before_rotary`, before
/// it. Other tensors are ignored; no tokens and no queries are valid. Throws InputError for a NaN
/// or infinity (with tensor, row and column), another d than 32, 64, 128 or 256, wrong shapes,
/// types or metadata, a missing tensor, query_tokens out of range or descending.
TierTrace read_tier_trace(const std::string& path, bool before_rotary);
TierTrace tier_trace_from(const Safetensors& file, bool before_rotary);

}  // namespace axelram::files
