#include "simd/level_units.hpp"
#include "simd/vector.hpp"

/// Transform of 32-bit elements in registers.

namespace axelram::AXELRAM_LEVEL {
namespace {

/// Elements in half of the register file.
constexpr int kBlock = kRegisters / 2 * kLanes32;

#ifdef __AVX512F__
/// One stage inside a register: lanes whose bit `stride` is clear in `upper` become x + partner,
/// the others partner - x.
template <int stride>
__m512i stage(__m512i x) {
  constexpr __mmask16 kUpper = stride == 1   ? 0xAAAA
                               : stride == 2 ? 0xCCCC
                               : stride == 4 ? 0xF0F0
                                             : 0xFF00;
  __m512i partner;
  if constexpr (stride == 1) {
    partner = _mm512_rol_epi64(x, 32);  // the shift port is idle otherwise
  } else if constexpr (stride == 2) {
    partner = _mm512_shuffle_epi32(x, _MM_PERM_BADC);
  } else if constexpr (stride == 4) {
    partner = _mm512_shuffle_i64x2(x, x, 0xB1);
  } else {
    partner = _mm512_shuffle_i64x2(x, x, 0x4E);
  }
  return _mm512_mask_sub_epi32(_mm512_add_epi32(x, partner), kUpper, partner, x);
}
Integers stages(Integers x) { return stage<8>(stage<4>(stage<2>(stage<1>(x)))); }

/// x where the sign is +1, -x where it is -1.
Integers with_signs(Integers x, const std::int8_t* signs) {
  const __mmask16 negative =
      _mm_movepi8_mask(_mm_loadu_si128(reinterpret_cast<const __m128i*>(signs)));
  return _mm512_mask_sub_epi32(x, negative, _mm512_setzero_si512(), x);
}
#else
/// One stage inside a register: partner plus or minus x, by the signs of the lanes.
template <int stride>
__m256i stage(__m256i x) {
  if constexpr (stride == 1) {
    const __m256i signs = _mm256_setr_epi32(1, -1, 1, -1, 1, -1, 1, -1);
    return _mm256_add_epi32(_mm256_shuffle_epi32(x, 0xB1), _mm256_sign_epi32(x, signs));
  } else if constexpr (stride == 2) {
    const __m256i signs = _mm256_setr_epi32(1, 1, -1, -1, 1, 1, -1, -1);
    return _mm256_add_epi32(_mm256_shuffle_epi32(x, 0x4E), _mm256_sign_epi32(x, signs));
  } else {
    const __m256i signs = _mm256_setr_epi32(1, 1, 1, 1, -1, -1, -1, -1);
    return _mm256_add_epi32(_mm256_permute4x64_epi64(x, 0x4E), _mm256_sign_epi32(x, signs));
  }
}
Integers stages(Integers x) { return stage<4>(stage<2>(stage<1>(x))); }

/// x where the sign is +1, -x where it is -1.
Integers with_signs(Integers x, const std::int8_t* signs) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(signs));
  return _mm256_sign_epi32(x, _mm256_cvtepi8_epi32(bytes));
}
#endif

template <int registers>
void butterflies(Integers* y) {
#pragma GCC unroll 4
  for (int stride = 1; stride < registers; stride *= 2) {
#pragma GCC unroll 16
    for (int i = 0; i < registers; ++i) {
      if ((i & stride) != 0) continue;
      const Integers sum = add32(y[i], y[i + stride]);
      y[i + stride] = sub32(y[i], y[i + stride]);
      y[i] = sum;
    }
  }
}

/// `size` neighbours, at most kBlock.
template <int size>
[[gnu::always_inline]] inline void transform_block(std::int32_t* x) {
  constexpr int kCount = size / kLanes32;
  Integers y[kCount];
#pragma GCC unroll 16
  for (int i = 0; i < kCount; ++i) y[i] = stages(load(x + kLanes32 * i));
  butterflies<kCount>(y);
#pragma GCC unroll 16
  for (int i = 0; i < kCount; ++i) store(x + kLanes32 * i, y[i]);
}

/// The last stages of `blocks` transformed blocks.
template <int blocks>
void combine(std::int32_t* x) {
  for (int i = 0; i < kBlock; i += kLanes32) {
    Integers y[blocks];
#pragma GCC unroll 4
    for (int block = 0; block < blocks; ++block) y[block] = load(x + kBlock * block + i);
    butterflies<blocks>(y);
#pragma GCC unroll 4
    for (int block = 0; block < blocks; ++block) store(x + kBlock * block + i, y[block]);
  }
}

template <int d>
void transform(std::int32_t* x) {
  if constexpr (d <= kBlock) {
    transform_block<d>(x);
  } else {
#pragma GCC unroll 1
    for (int i = 0; i < d; i += kBlock) transform_block<kBlock>(x + i);
    combine<d / kBlock>(x);
  }
}

}  // namespace

void hadamard(std::int32_t* x, int d) {
  switch (d) {
    case 32:
      return transform<32>(x);
    case 64:
      return transform<64>(x);
    case 128:
      return transform<128>(x);
    case 256:
      return transform<256>(x);
    default:
      return portable::hadamard(x, d);
  }
}

void apply_signs(const std::int8_t* signs, std::int32_t* x, int d) {
  for (int i = 0; i < d; i += kLanes32) store(x + i, with_signs(load(x + i), signs + i));
}

}  // namespace axelram::AXELRAM_LEVEL
