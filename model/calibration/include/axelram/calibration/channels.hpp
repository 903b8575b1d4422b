#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/calibration/queries.hpp"
#include "axelram/checkpoints/architecture.hpp"
#include "axelram/names.hpp"

namespace axelram::calibration {

/// What makes a channel one of sub-vector 0.
enum class ChannelRule { scores, magnitude };

/// Bits of sub-vector 0 and of sub-vector 1: 1 <= low <= high <= 4.
struct SplitBits {
  int high = 4, low = 2;
};

/// The channels of sub-vector 0 of every layer and KV head (bit-contract.md#split).
struct Channels {
  std::vector<std::int32_t> high;  ///< [layers, heads, d / 2], ascending
  /// [layers, heads]: predicted mean square of score errors with the split, over that of one vector
  /// whose quantizer has the geometric mean of both errors.
  std::vector<double> factors;
};

/// scores: the pairs of largest sqrt(E_k E_q), which a rotation of a pair does not change.
/// magnitude: the channels of largest mean square of the keys as they are
/// (references.md#turboquant-corrections, section 7). Ties: the lower one.
Channels choose_channels(const Keys& keys, const Queries& queries, checkpoints::Positions positions,
                         ChannelRule rule, SplitBits bits);

}  // namespace axelram::calibration

namespace axelram {

template <>
struct EnumNames<calibration::ChannelRule> {
  static constexpr EnumRow<calibration::ChannelRule> rows[] = {
      {calibration::ChannelRule::scores, "scores",
       "pairs of channels by the root of the energy of keys times that of queries"},
      {calibration::ChannelRule::magnitude, "magnitude",
       "channels by the mean square of the keys"}};
};

}  // namespace axelram
