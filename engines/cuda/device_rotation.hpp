#pragma once

#include <cstdint>

#include "axelram/files/errors.hpp"
#include "axelram/head_rotation.hpp"
#include "axelram/kernels/device.hpp"
#include "axelram/kernels/rows.hpp"

namespace axelram::engines {

/// The rotation of one layer and KV head in device memory. Exponents are rejected.
class DeviceRotation {
 public:
  DeviceRotation(kernels::Stream& stream, const HeadRotation& rotation, int head_dim)
      : signs_(stream, rotation.signs),
        residual_signs_(stream, rotation.residual_signs),
        channels_(stream, channel_order(rotation.high_channels, head_dim)) {
    if (!rotation.balance.empty())
      throw files::InputError(
          "rotation.balance: the engine cuda applies no exponents; use engine golden or fast");
  }

  kernels::Rotations rotations() const {
    return {signs_.data(), residual_signs_.data(), channels_.data()};
  }

 private:
  kernels::Buffer<std::int8_t> signs_, residual_signs_;
  kernels::Buffer<std::uint16_t> channels_;
};

}  // namespace axelram::engines
