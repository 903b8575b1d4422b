#include "axelram/kernels/layers.hpp"
#include "common/row_launch.hpp"
#include "layers/value.cuh"

// A block for every row, a warp for every head of it at a time. Bound by memory: 8 bytes a value
// turned, 6 a value that becomes an element, 8 a value moved.
namespace axelram::kernels {
namespace {

constexpr unsigned kWarps = kRowThreads / 32;

AXELRAM_KERNEL void rotate_pairs_kernel(float* x, std::uint32_t heads, RotaryAngles angles,
                                        const std::int32_t* position) {
  const auto pairs = static_cast<std::uint32_t>(angles.pairs);
  const std::size_t at = static_cast<std::size_t>(load(position + block_x())) * pairs;
  const float* const cosines = angles.cosines + at;
  const float* const sines = angles.sines + at;
  const std::uint32_t step = angles.interleaved ? 2 : 1, apart = angles.interleaved ? 1 : pairs;
  for (std::uint32_t head = warp_index(); head < heads; head += kWarps) {
    float* const values = x + (std::size_t{block_x()} * heads + head) * (2 * pairs);
    for (std::uint32_t i = lane_index(); i < pairs; i += 32) {
      const float a = values[i * step], b = values[i * step + apart];
      const float cosine = load(cosines + i), sine = load(sines + i);
      values[i * step] = a * cosine - b * sine;
      values[i * step + apart] = a * sine + b * cosine;
    }
  }
}

template <WeightType kType>
AXELRAM_KERNEL void to_elements_kernel(const float* x, std::uint32_t heads, std::uint32_t d,
                                       std::uint32_t padded_d, std::size_t first_row,
                                       std::uint16_t* elements,
                                       unsigned long long* out_of_range_value) {
  // The first magnitudes that RNE takes to infinity.
  constexpr std::uint32_t kOverflow = kType == WeightType::f16 ? 0x477FF000 : 0x7F7F8000;
  for (std::uint32_t head = warp_index(); head < heads; head += kWarps) {
    const std::size_t row = std::size_t{block_x()} * heads + head;
    for (std::uint32_t i = lane_index(); i < padded_d; i += 32) {
      const float value = i < d ? x[row * d + i] : 0.0F;
      elements[row * padded_d + i] = raw_of_float<kType>(value);
      const std::uint32_t bits = bits_of_float(value);
      if ((bits & 0x7FFFFFFF) < kOverflow) continue;
      const unsigned long long number = (first_row * heads + row) * d + i;
      atomic_min(out_of_range_value, number << 32 | bits);
    }
  }
}

AXELRAM_KERNEL void drop_padding_kernel(const float* x, std::uint32_t heads, std::uint32_t padded_d,
                                        std::uint32_t d, float* y) {
  for (std::uint32_t head = warp_index(); head < heads; head += kWarps) {
    const std::size_t row = std::size_t{block_x()} * heads + head;
    for (std::uint32_t i = lane_index(); i < d; i += 32) y[row * d + i] = x[row * padded_d + i];
  }
}

/// Heads and their sizes are counted with 32 bits.
void check_sizes(const Launch& l, std::size_t heads, std::size_t d) {
  if (heads > 0xFFFFFF || d > 0xFFFF)
    throw DeviceError(l.text() + ": at most 16777215 heads of 65535 values fit");
}

}  // namespace

void rotate_pairs(Stream& stream, float* x, std::size_t rows, std::size_t heads,
                  const RotaryAngles& angles, const std::int32_t* position) {
  const Launch l = row_launch("rotate_pairs", rows, heads, 2 * angles.pairs);
  check_sizes(l, heads, 2 * angles.pairs);
  launch(stream, l, rotate_pairs_kernel, x, static_cast<std::uint32_t>(heads), angles, position);
}

void to_elements(Stream& stream, const float* x, std::size_t rows, std::size_t heads, std::size_t d,
                 ElementFormat format, std::uint16_t* elements, std::size_t padded_d,
                 std::size_t first_row, unsigned long long* out_of_range_value) {
  const Launch l = row_launch("to_elements", rows, heads, padded_d);
  check_sizes(l, heads, padded_d);
  if (d > padded_d || (first_row + rows) * heads * d > std::size_t{1} << 32)
    throw DeviceError(l.text() + ": from row " + std::to_string(first_row) + ", of " +
                      std::to_string(d) + " values a head; at most 2^32 values fit");
  launch(stream, l,
         format == ElementFormat::fp16 ? to_elements_kernel<WeightType::f16>
                                       : to_elements_kernel<WeightType::bf16>,
         x, static_cast<std::uint32_t>(heads), static_cast<std::uint32_t>(d),
         static_cast<std::uint32_t>(padded_d), first_row, elements, out_of_range_value);
}

void drop_padding(Stream& stream, const float* x, std::size_t rows, std::size_t heads,
                  std::size_t padded_d, std::size_t d, float* y) {
  const Launch l = row_launch("drop_padding", rows, heads, padded_d);
  check_sizes(l, heads, padded_d);
  launch(stream, l, drop_padding_kernel, x, static_cast<std::uint32_t>(heads),
         static_cast<std::uint32_t>(padded_d), static_cast<std::uint32_t>(d), y);
}

}  // namespace axelram::kernels
