#pragma once

#include "device/platform.cuh"

namespace axelram::kernels {

/// f(i, x[i]) for every value of a row that `step` threads share, of which the caller is number
/// `first`; by 16 bytes if rows have multiples of four values, so that all begin at multiples of 16
/// bytes.
template <class Function>
AXELRAM_DEVICE void visit_row(const float* x, std::uint32_t width, unsigned first, unsigned step,
                              const Function& f) {
  if (width % 4 != 0) {
    for (std::uint32_t i = first; i < width; i += step) f(i, x[i]);
    return;
  }
  for (std::uint32_t i = first; i < width / 4; i += step) {
    const Words4 four = reinterpret_cast<const Words4*>(x)[i];
    AXELRAM_UNROLL
    for (unsigned j = 0; j < 4; ++j) f(4 * i + j, float_of_bits(four.w[j]));
  }
}

/// y[i] = f(i, x[i], z[i]) likewise; y may be x.
template <class Function>
AXELRAM_DEVICE void transform_row(const float* x, const float* z, float* y, std::uint32_t width,
                                  unsigned first, unsigned step, const Function& f) {
  if (width % 4 != 0) {
    for (std::uint32_t i = first; i < width; i += step) y[i] = f(i, x[i], load(z + i));
    return;
  }
  for (std::uint32_t i = first; i < width / 4; i += step) {
    const Words4 a = reinterpret_cast<const Words4*>(x)[i];
    const Words4 b = load(reinterpret_cast<const Words4*>(z) + i);
    Words4 out;
    AXELRAM_UNROLL
    for (unsigned j = 0; j < 4; ++j)
      out.w[j] = bits_of_float(f(4 * i + j, float_of_bits(a.w[j]), float_of_bits(b.w[j])));
    store_vector(reinterpret_cast<Words4*>(y) + i, out);
  }
}

}  // namespace axelram::kernels
