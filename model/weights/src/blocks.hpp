#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram::weights {

// Expansion of `count` values, whole blocks, one after the other. Layouts are those of ggml
// (references.md#gguf), little-endian:
//
// F16 d: scale of a block. F16 m: its minimum. Value i of 32 has its low four bits in nibble i / 16
// (0: low) of byte i % 16 of `quants`, and its fifth bit, if there is one, in bit i of `high`.
//   Q8_0  d, 32 I8            d * q
//   Q4_0  d, quants           d * (q - 8)
//   Q4_1  d, m, quants        d * q + m
//   Q5_0  d, U32 high, quants     d * (q - 16)
//   Q5_1  d, m, U32 high, quants  d * q + m
//
// Blocks of 256 are eight groups of 32 (Q6_K: 16 of 16) with a scale s of their own.
//   Q4_K  d, m, scales[12], quants[128]            d * s * q - m * t
//   Q5_K  d, m, scales[12], high[32], quants[128]  d * s * q - m * t
//   Q6_K  quants[128], high[64], I8 scales[16], d  d * s * (q - 32)
// `scales` packs eight s and eight t of six bits.

void expand_f32(const std::uint8_t* data, std::size_t count, float* values);
void expand_f16(const std::uint8_t* data, std::size_t count, float* values);
void expand_bf16(const std::uint8_t* data, std::size_t count, float* values);
void expand_q8_0(const std::uint8_t* data, std::size_t count, float* values);
void expand_q4_0(const std::uint8_t* data, std::size_t count, float* values);
void expand_q4_1(const std::uint8_t* data, std::size_t count, float* values);
void expand_q5_0(const std::uint8_t* data, std::size_t count, float* values);
void expand_q5_1(const std::uint8_t* data, std::size_t count, float* values);
void expand_q4_k(const std::uint8_t* data, std::size_t count, float* values);
void expand_q5_k(const std::uint8_t* data, std::size_t count, float* values);
void expand_q6_k(const std::uint8_t* data, std::size_t count, float* values);

}  // namespace axelram::weights
