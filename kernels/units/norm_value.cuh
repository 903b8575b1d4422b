#pragma once

#include <cstdint>

#include "device/platform.cuh"

namespace axelram::kernels {

/// A stored norm as the read path takes it (golden's decode_norm: no sign, no special values),
/// exact.
AXELRAM_HD float norm_value(std::uint16_t norm) {
  // The bits as those of a float, its exponent 112 less.
  return float_of_bits(static_cast<std::uint32_t>(norm & 0x7FFF) << 13) * 0x1p112F;
}

}  // namespace axelram::kernels
