#include <immintrin.h>

#include "kernels.hpp"

namespace axelram::avx512 {
namespace {

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

/// All of d elements in d / 16 registers, at most half of the register file.
template <int d>
void transform(std::int32_t* x) {
  constexpr int kRegisters = d / 16;
  __m512i y[kRegisters];
#pragma GCC unroll 16
  for (int i = 0; i < kRegisters; ++i)
    y[i] = stage<8>(stage<4>(stage<2>(stage<1>(_mm512_loadu_si512(x + 16 * i)))));
#pragma GCC unroll 4
  for (int stride = 1; stride < kRegisters; stride *= 2) {
#pragma GCC unroll 16
    for (int i = 0; i < kRegisters; ++i) {
      if ((i & stride) != 0) continue;
      const __m512i sum = _mm512_add_epi32(y[i], y[i + stride]);
      y[i + stride] = _mm512_sub_epi32(y[i], y[i + stride]);
      y[i] = sum;
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < kRegisters; ++i) _mm512_storeu_si512(x + 16 * i, y[i]);
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
  const __m512i zero = _mm512_setzero_si512();
  for (int i = 0; i < d; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(signs + i));
    const __mmask16 negative = _mm_movepi8_mask(bytes);
    const __m512i value = _mm512_loadu_si512(x + i);
    _mm512_storeu_si512(x + i, _mm512_mask_sub_epi32(value, negative, zero, value));
  }
}

}  // namespace axelram::avx512
