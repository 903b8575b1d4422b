#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "memory.hpp"

namespace axelram::gpu {

/// Device memory for the rows of a chunk, used by one PagedRows at a time.
class Scratch {
 public:
  enum Part {
    elements,  ///< rows as raw elements
    queries,   ///< queries as raw elements
    rounded,   ///< and as integers
    exponents,
    rotated_again,  ///< and after the second rotation, as integers
    residual_exponents,
    records,  ///< rows as records
    copies,   ///< copies of keys, and their exponents
    copy_exponents,
    stored,  ///< as codewords
    padded,  ///< decoded, with the padding of the last word
    statuses,
    decoded,
    repaired,
    moved,
    parts
  };

  void need(Part part, std::size_t bytes) { bytes_[part] = std::max(bytes_[part], bytes); }
  /// Allocates, after all calls of need().
  void take(Memory* memory) {
    for (std::size_t part = 0; part < parts; ++part)
      memory_[part] = memory->take<std::uint8_t>(bytes_[part]);
  }
  template <class T = std::uint8_t>
  T* at(Part part) const {
    return reinterpret_cast<T*>(memory_[part].data());
  }

 private:
  std::array<std::size_t, parts> bytes_{};
  std::array<kernels::Buffer<std::uint8_t>, parts> memory_;
};

}  // namespace axelram::gpu
