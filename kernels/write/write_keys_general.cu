#include <cstdint>

#include "axelram/kernels/write.hpp"
#include "common/general_row.cuh"
#include "common/row_checks.hpp"
#include "common/write_events.cuh"
#include "device/launch.cuh"
#include "units/norm.cuh"
#include "units/quantizer.cuh"
#include "units/query_rounding.cuh"
#include "units/record.cuh"
#include "units/scale.cuh"

namespace axelram::kernels {
namespace {

constexpr unsigned kThreads = 128, kWarps = kThreads / 32;
constexpr int kMaxDim = 256;

AXELRAM_DEVICE std::uint64_t sum_over_warp(std::uint64_t sum) {
  for (unsigned mask = 1; mask < 32; mask *= 2)
    sum += std::uint64_t{shuffle_xor(static_cast<std::uint32_t>(sum >> 32), mask)} << 32 |
           shuffle_xor(static_cast<std::uint32_t>(sum), mask);
  return sum;
}

/// S over a warp.
template <int kCount>
AXELRAM_DEVICE std::uint64_t square_sum(const std::int32_t (&m)[kCount]) {
  std::uint64_t sum = 0;
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i)
    sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(m[i]) * m[i]);
  return sum_over_warp(sum);
}

/// A over a warp.
template <int kCount>
AXELRAM_DEVICE std::int64_t correlation(const MacroConstants& c, const std::int32_t (&y)[kCount],
                                        const std::uint8_t (&index)[kCount]) {
  std::int64_t sum = 0;
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i) sum += std::int64_t{y[i]} * c.centroids[index[i]];
  return static_cast<std::int64_t>(sum_over_warp(static_cast<std::uint64_t>(sum)));
}

/// The copy of a rotated key, which is rounded as a query of X bits is.
template <int kCount>
AXELRAM_DEVICE void store_copy(const MacroConstants& c, const WrittenRows& out, std::size_t row,
                               const GeneralRow<kCount>& key) {
  const int shift = row_shift(key.m, c.exact_bits);
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i)
    if (out.copies != nullptr)
      out.copies[row * (32 * kCount) + lane_index() + 32U * static_cast<unsigned>(i)] =
          static_cast<std::int16_t>(round_query_element(key.m[i], shift, c.exact_bits));
  if (out.copy_exponents != nullptr && lane_index() == 0)
    out.copy_exponents[row] = key.finite ? key.e + shift : 0;
}

/// One warp per row, bytes to and from memory: 2d in, (d b + 16) / 8 out, and 2d + 4 of a copy. Its
/// limit is the issue of instructions, about six times those of the fast kernel.
template <int kDim>
AXELRAM_KERNEL void AXELRAM_BOUNDS(kThreads, 1)
    write_general(MacroConstants c, ElementRows keys, const std::int8_t* signs,
                  const std::uint16_t* center, WrittenRows out) {
  constexpr int kCount = kDim / 32;
  const std::uint32_t number = block_x() * kWarps + warp_index();  // fewer than 2^32 - 1 rows
  if (number >= keys.rows()) return;
  const unsigned lane = lane_index();
  const auto heads = static_cast<std::uint32_t>(keys.heads);
  const std::size_t row = number, token = number / heads, head = number % heads;

  GeneralRow<kCount> key =
      align_row<kCount>(c, keys.data + token * keys.token_stride + head * keys.head_stride,
                        c.centered ? center + head * kDim : nullptr);
  const std::uint64_t squares = square_sum(key.m);
  const std::uint32_t n = root(squares);

  rotate(signs + head * kDim, key.m);
  std::uint8_t index[kCount] = {};
  const int boundaries = (1 << c.index_bits) - 1;
  for (int j = 0; j < boundaries; ++j) {
    const std::int32_t t = threshold(c.boundaries[j], n, c.boundary_fraction_bits);
    AXELRAM_UNROLL
    for (int i = 0; i < kCount; ++i)
      index[i] = static_cast<std::uint8_t>(index[i] + (key.m[i] > t));
    if (out.thresholds != nullptr && lane == 0)
      out.thresholds[row * static_cast<std::size_t>(boundaries) + static_cast<std::size_t>(j)] = t;
  }

  bool saturated = false;
  std::uint16_t half = 0;
  if (c.unbiased) {
    const std::int64_t a = correlation(c, key.m, index);
    half = unbiased_norm(squares, a, c.log2_dim + c.centroid_bits - 2 + key.e, &saturated);
    if (out.correlations != nullptr && lane == 0) out.correlations[row] = a;
  } else {
    half = norm(n, key.e, &saturated);
  }
  if (out.events != nullptr && lane == 0) count_events(out.events, number, key.finite, saturated);
  if (out.norms != nullptr && lane == 0) out.norms[row] = half;
  if (out.has_copies()) store_copy(c, out, row, key);

  std::uint8_t* const indices = shared_memory<std::uint8_t>() + warp_index() * kMaxDim;
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i) {
    const unsigned at = lane + 32U * static_cast<unsigned>(i);
    indices[at] = index[i];
    if (out.indices != nullptr) out.indices[row * kDim + at] = index[i];
  }
  if (out.records == nullptr) return;
  sync_warp();
  const auto bits = static_cast<unsigned>(c.index_bits);
  std::uint8_t* const record =
      out.records + row * static_cast<std::size_t>((kDim * c.index_bits + 16) / 8);
  if (lane < kDim / 8) {
    const std::uint32_t word = pack_eight(indices + 8 * lane, c.index_bits);
    for (unsigned i = 0; i < bits; ++i)
      record[lane * bits + i] = static_cast<std::uint8_t>(word >> (8 * i));
  }
  if (lane < 2) record[kDim / 8 * bits + lane] = static_cast<std::uint8_t>(half >> (8 * lane));
}

}  // namespace

void write_keys_general(Stream& stream, const MacroConstants& c, const ElementRows& keys,
                        const std::int8_t* signs, const std::uint16_t* center,
                        const WrittenRows& out) {
  constexpr const char* kName = "write_keys_general";
  const std::string shapes = check_keys(kName, c, keys, signs, center, out);
  if (keys.rows() == 0) return;
  const Launch l{kName,    shapes,          (keys.rows() + kWarps - 1) / kWarps, 1, 1,
                 kThreads, kWarps * kMaxDim};
  const auto run = [&](auto kernel) { launch(stream, l, kernel, c, keys, signs, center, out); };
  if (c.head_dim == 32) return run(write_general<32>);
  if (c.head_dim == 64) return run(write_general<64>);
  if (c.head_dim == 128) return run(write_general<128>);
  run(write_general<256>);
}

}  // namespace axelram::kernels
