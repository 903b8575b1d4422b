#pragma once

#include "axelram/kernels/attention.hpp"
#include "caches.hpp"

namespace bench {

/// One query token a sequence, in every form, and what a decode step asks with it.
class DecodeQueries {
 public:
  DecodeQueries(axelram::kernels::Stream& stream, const Shape& shape);

  axelram::kernels::AttentionQueries queries() const;
  const std::int32_t* lengths() const { return visible_.data(); }
  const std::int8_t* u8() const { return u8_.data(); }
  const std::int32_t* exponents() const { return exponents_.data(); }

 private:
  std::size_t count_;
  axelram::kernels::Buffer<std::int32_t> sequence_, visible_, exponents_;
  axelram::kernels::Buffer<std::uint16_t> fp16_;
  axelram::kernels::Buffer<std::int8_t> u8_;
};

}  // namespace bench
