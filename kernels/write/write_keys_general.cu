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
#include "units/trellis.cuh"

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

/// Shared memory of the search through a trellis by one warp.
struct SearchMemory {
  std::uint32_t costs[kMaxDim][4];  ///< of the branch of each subset
  std::uint8_t mus[kMaxDim][4];     ///< index of that branch without its lowest bit
  std::uint16_t upper[kMaxDim];     ///< a bit for each state: it is reached from the upper half
};

/// The indices of a rotated key, one a byte, and the cost of their path: a warp finds the branches
/// of all elements, a lane for each state follows the paths, and one lane traces the best one back.
template <int kCount>
AXELRAM_DEVICE std::uint32_t search_trellis(const MacroConstants& c,
                                            const std::int32_t (&y)[kCount], std::uint32_t n,
                                            const std::int32_t* upper, SearchMemory& memory,
                                            std::uint8_t* indices) {
  constexpr int kDim = 32 * kCount;
  constexpr std::uint32_t kUnreached = 0x80000000U;  // no path of few elements costs as much
  const int places = 22 - leading_zeros(n), shift = places > 0 ? places : 0;
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i)
    for (int subset = 0; subset < 4; ++subset) {
      const unsigned at = lane_index() + 32U * static_cast<unsigned>(i);
      const TrellisBranch branch = trellis_branch(y[i], upper, 1 << c.index_bits, subset, shift);
      memory.costs[at][subset] = branch.cost;
      memory.mus[at][subset] = static_cast<std::uint8_t>(branch.mu);
    }
  sync_warp();

  const auto states = static_cast<unsigned>(c.states);
  const unsigned state = lane_index() % states;
  const unsigned below = state / 2, above = state / 2 + states / 2;
  const std::uint32_t from_below = trellis_subset(c.states, below, state % 2);
  const std::uint32_t from_above = trellis_subset(c.states, above, state % 2);
  std::uint32_t cost = state == 0 ? 0 : kUnreached;
  for (int i = 0; i < kDim; ++i) {
    const std::uint32_t low = shuffle(cost, below) + memory.costs[i][from_below];
    const std::uint32_t high = shuffle(cost, above) + memory.costs[i][from_above];
    const bool is_upper = high < low;  // a tie: the lower one
    cost = is_upper ? high : low;
    const std::uint32_t bits = ballot(is_upper);
    if (lane_index() == 0) memory.upper[i] = static_cast<std::uint16_t>(bits);
  }
  std::uint32_t best = shuffle(cost, 0U);
  unsigned end = 0;
  for (unsigned s = 1; s < states; ++s) {
    const std::uint32_t other = shuffle(cost, s);
    if (other < best) end = s;
    best = other < best ? other : best;
  }
  if (lane_index() == 0)
    for (int i = kDim - 1; i >= 0; --i) {
      const unsigned from = end / 2 + ((memory.upper[i] >> end & 1U) != 0 ? states / 2 : 0);
      const std::uint32_t subset = trellis_subset(c.states, from, end % 2);
      indices[i] = static_cast<std::uint8_t>(2U * memory.mus[i][subset] + end % 2);
      end = from;
    }
  sync_warp();
  return best;
}

/// Thresholds, and the number of them that each element exceeds.
template <int kCount>
AXELRAM_DEVICE void quantize(const MacroConstants& c, const WrittenRows& out, std::size_t row,
                             const std::int32_t (&y)[kCount], std::uint32_t n,
                             std::uint8_t (&index)[kCount]) {
  const int boundaries = (1 << c.index_bits) - 1;
  for (int j = 0; j < boundaries; ++j) {
    const std::int32_t t = threshold(c.boundaries[j], n, c.boundary_fraction_bits);
    AXELRAM_UNROLL
    for (int i = 0; i < kCount; ++i) index[i] = static_cast<std::uint8_t>(index[i] + (y[i] > t));
    if (out.thresholds != nullptr && lane_index() == 0)
      out.thresholds[row * static_cast<std::size_t>(boundaries) + static_cast<std::size_t>(j)] = t;
  }
}

/// Indices and levels by a trellis; the indices lie in shared memory too.
template <int kCount>
AXELRAM_DEVICE void encode(const MacroConstants& c, const WrittenRows& out, std::size_t row,
                           const std::int32_t (&y)[kCount], std::uint32_t n, SearchMemory& memory,
                           std::uint8_t* indices, std::uint8_t (&index)[kCount],
                           std::uint8_t (&level)[kCount]) {
  const int half = 1 << c.index_bits;
  std::int32_t upper[16];
  for (int j = 0; j < half; ++j) {
    upper[j] = reconstruction(c.boundaries[j], n, c.boundary_fraction_bits);
    if (out.reconstructions == nullptr || lane_index() != 0) continue;
    std::int32_t* const to = out.reconstructions + row * static_cast<std::size_t>(2 * half) + half;
    to[j] = upper[j];
    to[-1 - j] = -upper[j];
  }
  const std::uint32_t cost = search_trellis(c, y, n, upper, memory, indices);
  if (out.path_costs != nullptr && lane_index() == 0) out.path_costs[row] = cost;
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i) {
    const int at = static_cast<int>(lane_index()) + 32 * i;
    index[i] = indices[at];
    level[i] = trellis_level(c.states, indices, at);
    if (out.levels != nullptr)
      out.levels[row * (32 * kCount) + static_cast<std::size_t>(at)] = level[i];
  }
  sync_warp();
}

/// One warp per row, bytes to and from memory: 2d in, (d b + 16) / 8 out, and 2d + 4 of a copy. Its
/// limit is the issue of instructions, about six times those of the fast kernel.
template <int kDim, bool kTrellis>
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
  std::uint8_t* const indices = shared_memory<std::uint8_t>() + warp_index() * kMaxDim;
  std::uint8_t index[kCount] = {}, level[kCount] = {};
  if constexpr (kTrellis) {
    auto* const memory =
        reinterpret_cast<SearchMemory*>(shared_memory<std::uint8_t>() + kWarps * kMaxDim);
    encode(c, out, row, key.m, n, memory[warp_index()], indices, index, level);
  } else {
    quantize(c, out, row, key.m, n, index);
  }

  bool saturated = false;
  std::uint16_t half = 0;
  if (c.unbiased) {
    const std::int64_t a = correlation(c, key.m, kTrellis ? level : index);
    half = unbiased_norm(squares, a, c.log2_dim + c.centroid_bits - 2 + key.e, &saturated);
    if (out.correlations != nullptr && lane == 0) out.correlations[row] = a;
  } else {
    half = norm(n, key.e, &saturated);
  }
  if (out.events != nullptr && lane == 0) count_events(out.events, number, key.finite, saturated);
  if (out.norms != nullptr && lane == 0) out.norms[row] = half;
  if (out.has_copies()) store_copy(c, out, row, key);

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
  const std::size_t search = c.states != 0 ? sizeof(SearchMemory) : 0;
  const Launch l{kName, shapes,   (keys.rows() + kWarps - 1) / kWarps, 1,
                 1,     kThreads, kWarps * (kMaxDim + search)};
  const auto run = [&](auto plain, auto trellis) {
    if (c.states != 0)
      launch(stream, l, trellis, c, keys, signs, center, out);
    else
      launch(stream, l, plain, c, keys, signs, center, out);
  };
  if (c.head_dim == 32) return run(write_general<32, false>, write_general<32, true>);
  if (c.head_dim == 64) return run(write_general<64, false>, write_general<64, true>);
  if (c.head_dim == 128) return run(write_general<128, false>, write_general<128, true>);
  run(write_general<256, false>, write_general<256, true>);
}

}  // namespace axelram::kernels
