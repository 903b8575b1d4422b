#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace axelram::draws {

/// What random numbers are for: streams of different purposes are independent.
enum class Purpose : std::uint32_t {
  pairs,
  scales,
  channels,
  offset,
  rotation,
  projection,
  needles
};

/// Random numbers for one purpose in one layer and head, by Philox4x32-10
/// (bit-contract.md#philox). Each depends only on its index.
class Draws {
 public:
  Draws(std::uint64_t seed, Purpose purpose, std::size_t layer, std::size_t head);

  /// Uniform number `index` in (0, 1).
  double uniform(std::size_t index) const;
  /// Normal number `index` with mean 0 and variance 1 (Box and Muller).
  double normal(std::size_t index) const;
  /// `count` different numbers below `below`, in the order drawn; a larger count extends the list.
  std::vector<std::size_t> choose(std::size_t count, std::size_t below) const;

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
};

}  // namespace axelram::draws
