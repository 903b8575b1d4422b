#include <cmath>

#include "axelram/kernels/layers.hpp"
#include "common/reductions.cuh"
#include "common/row_launch.hpp"
#include "layers/row_values.cuh"

// 4 bytes a value read from memory, once more (twice if there is a mean) from the caches, 4
// written. Bound by memory.
namespace axelram::kernels {
namespace {

constexpr int kWarps = kRowThreads / 32;
constexpr std::size_t kWide = 512;  ///< values from which on a row has a block to itself

/// The threads that share a row: a warp, or a block.
template <bool wide>
struct Team {
  std::size_t row = wide ? std::size_t{block_x()} : std::size_t{block_x()} * kWarps + warp_index();
  unsigned first = wide ? thread_index() : lane_index();
  static constexpr unsigned kStep = wide ? kRowThreads : 32;

  AXELRAM_DEVICE double sum(double value) const {
    if constexpr (!wide) return over_warp(value, Sum());
    auto* const scratch = shared_memory<double>();
    sync_block();
    return over_block<kWarps>(value, scratch, Sum());
  }
};

template <bool wide>
AXELRAM_KERNEL void rms_norm_kernel(const float* x, std::size_t rows, std::uint32_t width,
                                    const float* weight, double epsilon, float* y) {
  const Team<wide> team;
  if (team.row >= rows) return;
  x += team.row * width;
  y += team.row * width;
  double squares = 0;
  visit_row(x, width, team.first, team.kStep,
            [&](std::uint32_t, float v) { squares += static_cast<double>(v) * v; });
  const auto scale = static_cast<float>(1 / sqrt(team.sum(squares) / width + epsilon));
  transform_row(x, weight, y, width, team.first, team.kStep,
                [&](std::uint32_t, float v, float w) { return v * scale * w; });
}

AXELRAM_KERNEL void layer_norm_kernel(const float* x, std::uint32_t width, const float* weight,
                                      const float* bias, double epsilon, float* y) {
  const Team<true> team;
  x += team.row * width;
  y += team.row * width;
  double sum = 0, squares = 0;
  visit_row(x, width, team.first, team.kStep, [&](std::uint32_t, float v) { sum += v; });
  const double mean = team.sum(sum) / width;
  visit_row(x, width, team.first, team.kStep,
            [&](std::uint32_t, float v) { squares += (v - mean) * (v - mean); });
  const auto scale = static_cast<float>(1 / sqrt(team.sum(squares) / width + epsilon));
  const auto center = static_cast<float>(mean);
  transform_row(
      x, weight, y, width, team.first, team.kStep,
      [&](std::uint32_t i, float v, float w) { return (v - center) * scale * w + load(bias + i); });
}

}  // namespace

void rms_norm(Stream& stream, const float* x, std::size_t rows, std::size_t width,
              const float* weight, double epsilon, float* y) {
  Launch l = row_launch("rms_norm", rows, width);
  const bool wide = width >= kWide;
  if (wide)
    l.shared_bytes = kWarps * sizeof(double);
  else
    l.grid_x = (rows + kWarps - 1) / kWarps;
  launch(stream, l, wide ? rms_norm_kernel<true> : rms_norm_kernel<false>, x, rows,
         static_cast<std::uint32_t>(width), weight, epsilon, y);
}

void layer_norm(Stream& stream, const float* x, std::size_t rows, std::size_t width,
                const float* weight, const float* bias, double epsilon, float* y) {
  Launch l = row_launch("layer_norm", rows, width);
  l.shared_bytes = kWarps * sizeof(double);
  launch(stream, l, layer_norm_kernel, x, static_cast<std::uint32_t>(width), weight, bias, epsilon,
         y);
}

}  // namespace axelram::kernels
