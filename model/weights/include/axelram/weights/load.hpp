#pragma once

#include <cstdint>
#include <cstring>

namespace axelram::weights {

/// The value at `place`, which may be unaligned.
template <class T>
T load(const std::uint8_t* place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return value;
}

}  // namespace axelram::weights
