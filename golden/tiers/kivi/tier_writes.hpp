#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram {

// Arguments of the units that code tiers, by level (level_units.hpp), as those of tier_reads.hpp.

/// encode_kivi_ref: groups of elements next to each other in memory (values), or elements of groups
/// that are next to each other (keys: next_group is 1, groups a multiple of 8). At most 256 groups,
/// and elements of a group.
struct KiviEncoding {
  int bits;
  std::size_t groups, size, next_element, next_group;
  const std::uint16_t* x;
  std::uint8_t* block;
};

/// Feedback from a run of channels of a key block to those behind it, as encode_squat_ref does it.
/// current: the elements [tokens, d], of which those from first + channels on change. tokens and
/// channels are multiples of 8, channels up to 128.
struct SquatFeedbackStep {
  int bits;
  std::size_t tokens, d, first, channels;
  const std::uint8_t* run;  ///< block of the run alone
  int exponent;
  const std::int16_t* matrix;
  std::uint16_t* current;
};

/// encode_nuq_key_ref, or encode_nuq_value_ref where middles are null; d up to 256, a multiple
/// of 8. Four bytes may be written behind the indices before what belongs there is.
struct NuqEncoding {
  int bits;
  std::size_t d, outliers;
  const double* boundaries;
  const std::uint16_t *middles, *radii, *x;
  std::uint8_t* row;
};

}  // namespace axelram
