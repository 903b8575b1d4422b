#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/head_rotation.hpp"
#include "axelram/turboquant/quantizer.hpp"
#include "axelram/turboquant/settings.hpp"

namespace axelram::turboquant {

/// One layer and KV head: all that is random about it has a stream of its own.
struct Site {
  std::uint64_t seed = kDefaultSeed;
  int layer = 0;
  int head = 0;
};

/// A sub-vector: its number of channels and the bits of each, signs of a residual included.
struct Part {
  int channels;
  int bits;
};

/// The sub-vectors of vectors of d elements: one, or two if the bits are no whole number.
std::vector<Part> parts_of(const Settings& settings, int d);

/// Bytes of a record: indices and signs of every sub-vector, and one or two FP16 norms.
std::size_t record_bytes(const Settings& settings, int d);

/// The vectors of a head as records of bits, and back. A record holds all that is kept of a vector;
/// its norms are rounded to FP16 and saturate.
class HeadQuantizer {
 public:
  /// high: the channels of sub-vector 0, ascending; none without a split. Signs are those of the
  /// macro of the same seed and site (bit-contract.md#signs, bit-contract.md#split); dense matrices
  /// come from streams of the same numbers. Throws std::invalid_argument.
  HeadQuantizer(const Settings& settings, int d, const std::vector<std::uint16_t>& high,
                const Site& site);

  /// records: count * record_bytes().
  void write(const float* rows, std::size_t count, std::uint8_t* records) const;
  /// rows: [count, d], rounded to FP32.
  void read(const std::uint8_t* records, std::size_t count, float* rows) const;

 private:
  struct SubVector {
    Quantizer quantizer;
    std::vector<std::uint16_t> channels;
    std::size_t first_bit;  ///< in a record
  };

  std::size_t d_, record_bytes_;
  std::vector<SubVector> parts_;
};

}  // namespace axelram::turboquant
