#pragma once

#include <immintrin.h>

#include "block_coder.hpp"

namespace axelram::AXELRAM_LEVEL {
namespace {

/// Counts what a decoder of a level found, by the two bits of statuses.
class StatusCounts {
 public:
  /// Low bits of words, and their high bits at the same places.
  void add(std::uint64_t low, std::uint64_t high) {
    low_ += ones(low);
    high_ += ones(high);
    both_ += ones(low & high);
  }

  void add_to(ErrorCounts* errors) const {
    errors->corrected += low_ - both_;
    errors->parity_only += high_ - both_;
    errors->detected += both_;
  }

 private:
  static std::uint64_t ones(std::uint64_t bits) {
    return static_cast<std::uint64_t>(_mm_popcnt_u64(bits));
  }

  std::uint64_t low_ = 0, high_ = 0, both_ = 0;
};

}  // namespace
}  // namespace axelram::AXELRAM_LEVEL
