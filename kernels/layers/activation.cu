#include <cmath>

#include "axelram/kernels/layers.hpp"
#include "common/row_launch.hpp"
#include "layers/row_values.cuh"

// 4 bytes read of each operand and 4 written a value. Bound by memory.
namespace axelram::kernels {
namespace {

/// x = f(x, z) over a row of the block's own.
template <class Function>
AXELRAM_DEVICE void update(float* x, const float* z, std::uint32_t width, const Function& f) {
  transform_row(x, z, x, width, thread_index(), kRowThreads,
                [&](std::uint32_t, float a, float b) { return f(a, b); });
}

AXELRAM_KERNEL void add_bias_kernel(float* x, std::uint32_t width, const float* bias) {
  update(x + std::size_t{block_x()} * width, bias, width, [](float a, float b) { return a + b; });
}

AXELRAM_KERNEL void silu_multiply_kernel(const float* gate, std::uint32_t width, float* up) {
  const std::size_t at = std::size_t{block_x()} * width;
  update(up + at, gate + at, width, [](float u, float g) { return u * (g / (1.0F + expf(-g))); });
}

AXELRAM_DEVICE float gelu(float v) {
  constexpr float kRoot = 0.7978845608028654F;  // sqrt(2 / pi)
  return 0.5F * v * (1.0F + tanhf(kRoot * (v + 0.044715F * (v * v * v))));
}

AXELRAM_KERNEL void gelu_tanh_kernel(float* x, std::uint32_t width) {
  x += std::size_t{block_x()} * width;
  for (std::uint32_t i = thread_index(); i < width; i += kRowThreads) x[i] = gelu(x[i]);
}

AXELRAM_KERNEL void gelu_multiply_kernel(const float* gate, std::uint32_t width, float* up) {
  const std::size_t at = std::size_t{block_x()} * width;
  update(up + at, gate + at, width, [](float u, float g) { return u * gelu(g); });
}

AXELRAM_KERNEL void add_rows_kernel(const float* x, std::uint32_t width, float* y) {
  const std::size_t at = std::size_t{block_x()} * width;
  update(y + at, x + at, width, [](float a, float b) { return a + b; });
}

AXELRAM_KERNEL void scale_rows_kernel(float* x, std::uint32_t width, float factor) {
  x += std::size_t{block_x()} * width;
  for (std::uint32_t i = thread_index(); i < width; i += kRowThreads) x[i] *= factor;
}

}  // namespace

void add_bias(Stream& stream, float* x, std::size_t rows, std::size_t width, const float* bias) {
  launch(stream, row_launch("add_bias", rows, width), add_bias_kernel, x,
         static_cast<std::uint32_t>(width), bias);
}

void silu_multiply(Stream& stream, const float* gate, std::size_t rows, std::size_t width,
                   float* up) {
  launch(stream, row_launch("silu_multiply", rows, width), silu_multiply_kernel, gate,
         static_cast<std::uint32_t>(width), up);
}

void gelu_tanh(Stream& stream, float* x, std::size_t rows, std::size_t width) {
  launch(stream, row_launch("gelu_tanh", rows, width), gelu_tanh_kernel, x,
         static_cast<std::uint32_t>(width));
}

void gelu_multiply(Stream& stream, const float* gate, std::size_t rows, std::size_t width,
                   float* up) {
  launch(stream, row_launch("gelu_multiply", rows, width), gelu_multiply_kernel, gate,
         static_cast<std::uint32_t>(width), up);
}

void add_rows(Stream& stream, const float* x, std::size_t rows, std::size_t width, float* y) {
  launch(stream, row_launch("add_rows", rows, width), add_rows_kernel, x,
         static_cast<std::uint32_t>(width), y);
}

void scale_rows(Stream& stream, float* x, std::size_t rows, std::size_t width, float factor) {
  launch(stream, row_launch("scale_rows", rows, width), scale_rows_kernel, x,
         static_cast<std::uint32_t>(width), factor);
}

}  // namespace axelram::kernels
