#pragma once

#include "axelram/kernels/attention.hpp"
#include "axelram/kernels/rows.hpp"
#include "axelram/kernels/scores.hpp"
#include "caches.hpp"

namespace bench {

/// One query token a sequence, in every form, and what a decode step asks with it.
class DecodeQueries {
 public:
  DecodeQueries(axelram::kernels::Stream& stream, const Shape& shape);

  axelram::kernels::AttentionQueries queries() const;
  /// Rounds the elements of queries() again to its integers. rotations: of the shape's KV heads.
  void round(axelram::kernels::Stream& stream, const axelram::kernels::MacroConstants& constants,
             const axelram::kernels::KeyRotations& rotations) const;
  const std::int32_t* lengths() const { return visible_.data(); }
  const std::int8_t* u8() const { return u8_.data(); }
  const std::int32_t* exponents() const { return exponents_.data(); }
  /// Those of records of two parts. The second rotation is another query of the same size.
  axelram::kernels::TileQueries parts(bool prod) const;

 private:
  Shape shape_;
  axelram::kernels::Buffer<std::int32_t> sequence_, visible_, exponents_, residual_exponents_;
  axelram::kernels::Buffer<std::uint16_t> fp16_;
  axelram::kernels::Buffer<std::int8_t> u8_;
};

}  // namespace bench
