#include "blocks.hpp"

#include <bit>
#include <cstring>

#include "axelram/weights/load.hpp"

namespace axelram::weights {
namespace {

/// Shifted into the fields of an FP32 and scaled by 2^112, subnormals come out right as well; a
/// field of all ones is infinity or NaN and keeps its meaning.
float from_half(std::uint16_t half) {
  const auto magnitude = static_cast<std::uint32_t>(half & 0x7FFF) << 13;
  const auto sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
  const std::uint32_t special = magnitude >= 0x0F800000U ? 0x7F800000U : 0U;
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112F;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign);
}

float half_at(const std::uint8_t* place) { return from_half(load<std::uint16_t>(place)); }

/// The 32 values of a block: q(i) = nibble i of `quants`, with bit i of `high` above it.
template <class Value>
void expand_nibbles(const std::uint8_t* quants, std::uint32_t high, float* values,
                    const Value& value) {
  for (std::size_t i = 0; i < 16; ++i) {
    const std::uint32_t low = (quants[i] & 15U) | (high >> i & 1U) << 4;
    values[i] = value(static_cast<float>(low));
  }
  for (std::size_t i = 0; i < 16; ++i) {
    const std::uint32_t low = static_cast<std::uint32_t>(quants[i] >> 4) | (high >> (16 + i) & 1U)
                                                                               << 4;
    values[16 + i] = value(static_cast<float>(low));
  }
}

/// Blocks of d * (q - zero).
template <std::size_t bytes, int zero, bool fifth_bit>
void expand_symmetric(const std::uint8_t* data, std::size_t count, float* values) {
  for (std::size_t block = 0; block < count / 32; ++block, data += bytes, values += 32) {
    const float d = half_at(data);
    const std::uint32_t high = fifth_bit ? load<std::uint32_t>(data + 2) : 0;
    expand_nibbles(data + (fifth_bit ? 6 : 2), high, values,
                   [d](float q) { return d * (q - static_cast<float>(zero)); });
  }
}

/// Blocks of d * q + m.
template <std::size_t bytes, bool fifth_bit>
void expand_affine(const std::uint8_t* data, std::size_t count, float* values) {
  for (std::size_t block = 0; block < count / 32; ++block, data += bytes, values += 32) {
    const float d = half_at(data), m = half_at(data + 2);
    const std::uint32_t high = fifth_bit ? load<std::uint32_t>(data + 4) : 0;
    expand_nibbles(data + (fifth_bit ? 8 : 4), high, values, [d, m](float q) { return d * q + m; });
  }
}

struct ScaleAndMinimum {
  float scale, minimum;
};

/// Group g of the eight whose numbers of six bits `packed` holds: those of groups 0 to 3 are the
/// low bits of bytes g (scale) and g + 4 (minimum); those of groups 4 to 7 have their low four bits
/// in byte g + 4 and the upper two above the numbers of group g - 4.
ScaleAndMinimum group_of(const std::uint8_t* packed, std::size_t g) {
  if (g < 4) return {static_cast<float>(packed[g] & 63U), static_cast<float>(packed[g + 4] & 63U)};
  const std::uint32_t low = packed[g + 4];
  return {static_cast<float>((low & 15U) | (packed[g - 4] & 0xC0U) >> 2),
          static_cast<float>(low >> 4 | (packed[g] & 0xC0U) >> 2)};
}

template <std::size_t bytes, bool fifth_bit>
void expand_groups(const std::uint8_t* data, std::size_t count, float* values) {
  for (std::size_t block = 0; block < count / 256; ++block, data += bytes) {
    const float d = half_at(data), m = half_at(data + 2);
    const std::uint8_t* const packed = data + 4;
    const std::uint8_t* const high = data + 16;
    const std::uint8_t* const quants = data + (fifth_bit ? 48 : 16);
    for (std::size_t g = 0; g < 8; ++g, values += 32) {
      const ScaleAndMinimum group = group_of(packed, g);
      const float scale = d * group.scale, minimum = m * group.minimum;
      const std::uint8_t* const pair = quants + g / 2 * 32;  // two groups share 32 bytes
      for (std::size_t i = 0; i < 32; ++i) {
        std::uint32_t q = pair[i] >> (g % 2 * 4) & 15U;
        if (fifth_bit) q |= (high[i] >> g & 1U) << 4;
        values[i] = scale * static_cast<float>(q) - minimum;
      }
    }
  }
}

}  // namespace

void expand_f32(const std::uint8_t* data, std::size_t count, float* values) {
  if (count != 0) std::memcpy(values, data, count * sizeof(float));
}

void expand_f16(const std::uint8_t* data, std::size_t count, float* values) {
  for (std::size_t i = 0; i < count; ++i) values[i] = half_at(data + 2 * i);
}

void expand_bf16(const std::uint8_t* data, std::size_t count, float* values) {
  for (std::size_t i = 0; i < count; ++i)
    values[i] =
        std::bit_cast<float>(static_cast<std::uint32_t>(load<std::uint16_t>(data + 2 * i)) << 16);
}

void expand_q8_0(const std::uint8_t* data, std::size_t count, float* values) {
  for (std::size_t block = 0; block < count / 32; ++block, data += 34, values += 32) {
    const float d = half_at(data);
    for (std::size_t i = 0; i < 32; ++i)
      values[i] = d * static_cast<float>(static_cast<std::int8_t>(data[2 + i]));
  }
}

void expand_q4_0(const std::uint8_t* data, std::size_t count, float* values) {
  expand_symmetric<18, 8, false>(data, count, values);
}
void expand_q4_1(const std::uint8_t* data, std::size_t count, float* values) {
  expand_affine<20, false>(data, count, values);
}
void expand_q5_0(const std::uint8_t* data, std::size_t count, float* values) {
  expand_symmetric<22, 16, true>(data, count, values);
}
void expand_q5_1(const std::uint8_t* data, std::size_t count, float* values) {
  expand_affine<24, true>(data, count, values);
}
void expand_q4_k(const std::uint8_t* data, std::size_t count, float* values) {
  expand_groups<144, false>(data, count, values);
}
void expand_q5_k(const std::uint8_t* data, std::size_t count, float* values) {
  expand_groups<176, true>(data, count, values);
}

void expand_q6_k(const std::uint8_t* data, std::size_t count, float* values) {
  for (std::size_t block = 0; block < count / 256; ++block, data += 210, values += 256) {
    const float d = half_at(data + 208);
    for (std::size_t i = 0; i < 256; ++i) {
      // Each half of 128 values has 64 bytes of low and 32 bytes of high bits: value 32k + j of it
      // has its low bits in nibble k / 2 of byte 32 (k % 2) + j, its high ones in bits 2k of byte
      // j.
      const std::size_t half = i / 128, k = i % 128 / 32, j = i % 32;
      const std::uint32_t low = data[64 * half + 32 * (k % 2) + j] >> (k / 2 * 4) & 15U;
      const std::uint32_t high = data[128 + 32 * half + j] >> (2 * k) & 3U;
      const auto scale = static_cast<float>(static_cast<std::int8_t>(data[192 + i / 16]));
      values[i] = d * scale * (static_cast<float>(low | high << 4) - 32);
    }
  }
}

}  // namespace axelram::weights
