#pragma once

#include <cstdint>

#include "axelram/head_rotation.hpp"
#include "axelram/kernels/device.hpp"
#include "axelram/kernels/rows.hpp"

namespace axelram::engines {

/// The rotation of one layer and KV head in device memory, with the exponents of its keys.
class DeviceRotation {
 public:
  DeviceRotation(kernels::Stream& stream, const HeadRotation& rotation, int head_dim)
      : signs_(stream, rotation.signs),
        residual_signs_(stream, rotation.residual_signs),
        channels_(stream, channel_order(rotation.high_channels, head_dim)),
        balance_(stream, rotation.balance) {}

  /// Of keys and queries; values take them with constants that are not balanced.
  kernels::KeyRotations rotations() const {
    return {signs_.data(), residual_signs_.data(), channels_.data(), balance_.data()};
  }

 private:
  kernels::Buffer<std::int8_t> signs_, residual_signs_;
  kernels::Buffer<std::uint16_t> channels_;
  kernels::Buffer<std::int8_t> balance_;
};

}  // namespace axelram::engines
