#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "axelram/files/safetensors.hpp"

namespace axelram::files {

/// Centers of keys that follow the position (bit-contract.md#position-centers), of every layer and
/// KV head, row-major: `centers` F32 [layers, heads, d], before rotary embedding; `frequencies` F32
/// [layers, d / 2], radians a position, 0 without rotary embedding; `block` and `interleaved` I32
/// [1].
struct PositionCenters {
  static constexpr int kMostBlock = 1 << 20;

  std::size_t layers = 0, heads = 0, d = 0;
  std::vector<float> centers, frequencies;
  int block = 32;            ///< neighbouring positions that share a center, 1..kMostBlock
  bool interleaved = false;  ///< pair i: channels 2i and 2i + 1; otherwise i and i + d / 2
};

/// Throws InputError: other tensors, another d, a value that is not finite, a block out of range.
PositionCenters read_position_centers(const std::string& path, int head_dim);

/// Throws like write_safetensors.
void write_position_centers(const std::string& path, const PositionCenters& all,
                            const Metadata& metadata, bool force);

}  // namespace axelram::files
