#include <immintrin.h>

#include "kernels.hpp"

namespace axelram::avx2 {
namespace {

__m256i load(const std::int32_t* x) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x));
}

void store(std::int32_t* x, __m256i value) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(x), value);
}

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

template <int registers>
void butterflies(__m256i* y) {
#pragma GCC unroll 3
  for (int stride = 1; stride < registers; stride *= 2) {
#pragma GCC unroll 8
    for (int i = 0; i < registers; ++i) {
      if ((i & stride) != 0) continue;
      const __m256i sum = _mm256_add_epi32(y[i], y[i + stride]);
      y[i + stride] = _mm256_sub_epi32(y[i], y[i + stride]);
      y[i] = sum;
    }
  }
}

/// 8 * registers neighbours, half of the register file.
template <int registers>
void transform(std::int32_t* x) {
  __m256i y[registers];
#pragma GCC unroll 8
  for (int i = 0; i < registers; ++i) y[i] = stage<4>(stage<2>(stage<1>(load(x + 8 * i))));
  butterflies<registers>(y);
#pragma GCC unroll 8
  for (int i = 0; i < registers; ++i) store(x + 8 * i, y[i]);
}

/// The last stages of `blocks` transformed blocks of 64.
template <int blocks>
void combine(std::int32_t* x) {
  for (int i = 0; i < 64; i += 8) {
    __m256i y[blocks];
#pragma GCC unroll 4
    for (int block = 0; block < blocks; ++block) y[block] = load(x + 64 * block + i);
    butterflies<blocks>(y);
#pragma GCC unroll 4
    for (int block = 0; block < blocks; ++block) store(x + 64 * block + i, y[block]);
  }
}

}  // namespace

void hadamard(std::int32_t* x, int d) {
  switch (d) {
    case 32:
      return transform<4>(x);
    case 64:
    case 128:
    case 256:
      for (int i = 0; i < d; i += 64) transform<8>(x + i);
      if (d == 128) combine<2>(x);
      if (d == 256) combine<4>(x);
      return;
    default:
      return portable::hadamard(x, d);
  }
}

void apply_signs(const std::int8_t* signs, std::int32_t* x, int d) {
  for (int i = 0; i < d; i += 8) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(signs + i));
    store(x + i, _mm256_sign_epi32(load(x + i), _mm256_cvtepi8_epi32(bytes)));
  }
}

}  // namespace axelram::avx2
