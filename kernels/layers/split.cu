#include "common/reductions.cuh"
#include "common/row_launch.hpp"
#include "layers/split.hpp"
#include "layers/value.cuh"

// A block for every row, four values a thread at a time if rows have multiples of four values: 16
// bytes loaded, two times 8 stored; for F16 another 16 loaded for the largest magnitude. Bound by
// memory.
namespace axelram::kernels {
namespace {

AXELRAM_KERNEL void largest_kernel(const float* x, std::size_t width, std::uint32_t* largest) {
  x += block_x() * width;
  std::uint32_t largest_bits = 0;
  const auto take = [&](std::uint32_t bits) {
    largest_bits = Larger()(largest_bits, bits & 0x7FFFFFFF);
  };
  if (width % 4 == 0)
    for (std::size_t i = thread_index(); i < width / 4; i += kRowThreads) {
      const Words4 four = load(reinterpret_cast<const Words4*>(x) + i);
      AXELRAM_UNROLL
      for (int j = 0; j < 4; ++j) take(four.w[j]);
    }
  else
    for (std::size_t i = thread_index(); i < width; i += kRowThreads) take(bits_of_float(x[i]));
  largest_bits = over_warp(largest_bits, Larger());
  if (lane_index() == 0 && largest_bits != 0) atomic_max(largest, largest_bits);
}

/// The exponent of the power of two; its inverse must be a normal number.
AXELRAM_HD int scale_exponent(std::uint32_t largest) {
  const int exponent = 14 - (static_cast<int>(largest >> 23) - 127);
  return largest == 0 ? 0 : exponent < 126 ? exponent : 126;
}

struct Parts {
  std::uint32_t high, low;
};
template <WeightType kType>
AXELRAM_HD Parts parts_of(float x) {
  const std::uint16_t high = raw_of_float<kType>(x);
  return {high, raw_of_float<kType>(x - float_of_raw<kType>(high))};
}

template <WeightType kType>
AXELRAM_KERNEL void split_kernel(const float* x, std::size_t width, const std::uint32_t* largest,
                                 std::uint16_t* high, std::uint16_t* low, float* inverse) {
  const int exponent = kType == WeightType::f16 ? scale_exponent(load(largest)) : 0;
  const float scale = power_of_two(exponent);
  if (block_x() == 0 && thread_index() == 0) *inverse = power_of_two(-exponent);
  const std::size_t at = block_x() * width;
  if (width % 4 == 0) {
    for (std::size_t i = thread_index(); i < width / 4; i += kRowThreads) {
      const Words4 four = load(reinterpret_cast<const Words4*>(x + at) + i);
      Parts p[4];
      AXELRAM_UNROLL
      for (int j = 0; j < 4; ++j) p[j] = parts_of<kType>(float_of_bits(four.w[j]) * scale);
      store_vector(reinterpret_cast<Words2*>(high + at) + i,
                   Words2{{p[1].high << 16 | p[0].high, p[3].high << 16 | p[2].high}});
      store_vector(reinterpret_cast<Words2*>(low + at) + i,
                   Words2{{p[1].low << 16 | p[0].low, p[3].low << 16 | p[2].low}});
    }
    return;
  }
  for (std::size_t i = thread_index(); i < width; i += kRowThreads) {
    const Parts p = parts_of<kType>(x[at + i] * scale);
    high[at + i] = static_cast<std::uint16_t>(p.high);
    low[at + i] = static_cast<std::uint16_t>(p.low);
  }
}

}  // namespace

void split(Stream& stream, const float* x, std::size_t rows, std::size_t width, WeightType type,
           std::uint16_t* high, std::uint16_t* low, float* inverse, std::uint32_t* largest) {
  if (type == WeightType::f32) throw DeviceError("split: F32 needs no parts");
  if (type == WeightType::f16) {
    fill_bytes(stream, largest, 0, sizeof *largest);
    launch(stream, row_launch("largest", rows, width), largest_kernel, x, width, largest);
  }
  launch(stream, row_launch("split", rows, width),
         type == WeightType::f16 ? split_kernel<WeightType::f16> : split_kernel<WeightType::bf16>,
         x, width, largest, high, low, inverse);
}

}  // namespace axelram::kernels
