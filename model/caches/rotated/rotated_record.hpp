#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/caches/axelram_setup.hpp"
#include "axelram/caches/cache_site.hpp"
#include "axelram/record.hpp"

namespace axelram::caches {

/// The vector that a record stands for, before it is rotated back: sums of such vectors need one
/// inverse rotation. A value is norm * score_scale * diag(s) H C[idx] (bit-contract.md#read-5); of
/// a split each sub-vector is one; with the kind prod norm * C[idx] is joined by the projected
/// residual (bit-contract.md#residual-6).
class RotatedRecord {
 public:
  RotatedRecord(const AxelramSetup& setup, const CacheSite& site);

  /// rotated: d floats, overwritten.
  void unpack(const std::uint8_t* record, float* rotated);
  /// In place: a vector that unpack() wrote, or a sum of them, to a vector of the model.
  void rotate_back(float* rotated);

 private:
  /// Elements that share indices of one width, and a norm.
  struct Part {
    RecordField field;
    const CodebookRom* rom;
    std::size_t norm;  ///< byte of the record
  };

  void unpack_part(const Part& part, const std::uint8_t* record, float* rotated);
  void add_residual(const std::uint8_t* record, float* rotated);

  Parameters parameters_;
  std::shared_ptr<const CodebookRom> rom_;
  std::vector<Part> parts_;
  std::vector<float> scale_;             ///< signs * score_scale
  std::vector<float> residual_scale_;    ///< residual signs of the head, times their factor
  std::vector<std::uint16_t> channels_;  ///< in the order of the rotated elements; with a split
  std::vector<float> scratch_, residual_;
  std::vector<std::uint8_t> levels_;  ///< of one part of a trellis
};

}  // namespace axelram::caches
