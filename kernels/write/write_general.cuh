#pragma once

#include <cstdint>

#include "axelram/kernels/write.hpp"
#include "common/general_row.cuh"
#include "common/write_events.cuh"
#include "device/launch.cuh"
#include "units/norm.cuh"
#include "units/residual.cuh"
#include "units/scale.cuh"
#include "write/general_indices.cuh"
#include "write/general_key.cuh"

/// The kernel of keys of all parameters: a warp to each row.
namespace axelram::kernels {

constexpr unsigned kGeneralThreads = 128, kGeneralWarps = kGeneralThreads / 32;

/// A warp's indices and t_i, one a byte, and the upper half of the R_j of a residual.
template <int kDim>
struct IndexMemory {
  std::uint8_t indices[kDim], signs[kDim];
  std::int32_t levels[4];
};

/// Signs and norm of the residual of a rotated key whose indices are chosen
/// (bit-contract.md#residual). Returns the norm.
template <int kCount>
AXELRAM_DEVICE std::uint16_t quantize_residual(const MacroConstants& c, const WrittenRows& out,
                                               std::size_t row, const std::int8_t* signs,
                                               const GeneralRow<kCount>& key, std::uint32_t n,
                                               const std::uint8_t (&index)[kCount],
                                               IndexMemory<32 * kCount>& memory, bool* saturated) {
  const int half = 1 << (c.index_bits - 1);
  reconstruct<32>(c, out, row, n, half, c.residual_levels[lane_index() % 4], memory.levels);
  std::int32_t rho[kCount];
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i)
    rho[i] = residual_element(key.m[i], index[i], memory.levels, half);
  const int shift = round_row(rho, c.aligned_bits);
  const std::uint32_t rho_root = root(square_sum(rho));
  rotate(signs, rho);
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i) {
    const std::size_t at = place_in_row<kCount, 32>(i);
    const auto sign = std::uint8_t{rho[i] < 0};
    memory.signs[at] = sign;
    if (out.residual_signs != nullptr) out.residual_signs[row * (32 * kCount) + at] = sign;
  }
  bool beyond = false;
  const std::uint16_t bits = norm(rho_root, key.e + shift - c.log2_dim / 2, &beyond);
  *saturated = *saturated || beyond;
  if (lane_index() == 0) {
    if (out.residual_norms != nullptr) out.residual_norms[row] = bits;
    if (out.residual_shifts != nullptr) out.residual_shifts[row] = shift;
  }
  return bits;
}

/// One warp per row, bytes to and from memory: 2d in, those of a record out, and 2d + 4 of a copy.
/// Its limit is the issue of instructions, about six times those of the fast kernel. kLanes: of a
/// vector, 16 with a split, both of whose sub-vectors take every step side by side.
template <int kDim, unsigned kLanes, QuantizerKind kKind, bool kBalanced>
AXELRAM_KERNEL void AXELRAM_BOUNDS(kGeneralThreads, 1)
    write_general(MacroConstants c, ElementRows keys, Rotations rotations,
                  const std::uint16_t* center, WrittenRows out, Exponents<kBalanced> exponents) {
  constexpr int kCount = kDim / 32;
  constexpr bool kTrellis = kKind == QuantizerKind::trellis, kSplit = kLanes < 32;
  const std::uint32_t number = block_x() * kGeneralWarps + warp_index();  // below 2^32 - 1
  if (number >= keys.rows()) return;
  const bool first_lane = lane_index() % kLanes == 0;
  const auto heads = static_cast<std::uint32_t>(keys.heads);
  const std::size_t row = number, token = number / heads, head = number % heads;
  const VectorCodebook<kLanes> codebook(c);

  GeneralRow<kCount> key =
      align_row<kCount, kLanes>(c, keys.data + token * keys.token_stride + head * keys.head_stride,
                                c.centered ? center + head * kDim : nullptr,
                                kSplit ? rotations.channels + head * kDim : nullptr,
                                RowPowers<kBalanced>::of_key(exponents, head * kDim));
  const std::uint64_t squares = square_sum<kLanes>(key.m);
  const std::uint32_t n = root(squares);

  rotate<kLanes>(rotations.signs + head * kDim, key.m);
  auto& memory = shared_memory<IndexMemory<kDim>>()[warp_index()];
  std::uint8_t index[kCount] = {}, level[kCount] = {};
  if constexpr (kTrellis) {
    auto* const search =
        reinterpret_cast<SearchMemory<kDim>*>(shared_memory<IndexMemory<kDim>>() + kGeneralWarps);
    encode<kLanes>(c, out, row, key.m, n, search[warp_index()], memory.indices, index, level);
  } else {
    quantize<kLanes>(c, out, row, key.m, n, index);
  }

  bool saturated = false;
  std::uint16_t half = 0, residual_half = 0;
  if (c.unbiased) {
    const std::int64_t a = correlation<kLanes>(c, key.m, kTrellis ? level : index);
    const int log2_dim = c.log2_dim - (kSplit ? 1 : 0);
    half = unbiased_norm(squares, a, log2_dim + c.centroid_bits - 2 + key.e, &saturated);
    if (out.correlations != nullptr && first_lane) out.correlations[codebook.number(row)] = a;
  } else {
    half = norm(n, key.e, &saturated);
  }
  if constexpr (kKind == QuantizerKind::prod)
    residual_half = quantize_residual(c, out, row, rotations.residual_signs + head * kDim, key, n,
                                      index, memory, &saturated);
  // A row is rejected once.
  if (out.events != nullptr && first_lane)
    count_events(out.events, number, key.finite || codebook.second(), saturated);
  if (out.norms != nullptr && first_lane) out.norms[codebook.number(row)] = half;
  if (out.has_copies()) store_copy(c, out, row, key);

  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i) {
    const std::size_t at = place_in_row<kCount, kLanes>(i);
    memory.indices[at] = index[i];
    if (out.indices != nullptr) out.indices[row * kDim + at] = index[i];
  }
  if (out.records == nullptr) return;
  sync_warp();
  if constexpr (kKind == QuantizerKind::prod)
    store_record<kDim>(c, out, row, memory.indices, memory.signs, half, residual_half);
  else if constexpr (kSplit)
    store_record<kDim / 2>(c, out, row, memory.indices, memory.indices + kDim / 2,
                           shuffle(half, 0U), shuffle(half, kLanes));
  else
    store_record<kDim>(c, out, row, memory.indices, half);
}

/// Launches write_general for checked constants and rows, at least one of them.
template <unsigned kLanes, QuantizerKind kKind, bool kBalanced>
void launch_general(Stream& stream, const char* name, const std::string& shapes,
                    const MacroConstants& c, const ElementRows& keys, const KeyRotations& rotations,
                    const std::uint16_t* center, const WrittenRows& out) {
  const auto run = [&]<int kDim>(std::integral_constant<int, kDim>) {
    const std::size_t search = kKind == QuantizerKind::trellis ? sizeof(SearchMemory<kDim>) : 0;
    launch(stream,
           {name, shapes, (keys.rows() + kGeneralWarps - 1) / kGeneralWarps, 1, 1, kGeneralThreads,
            kGeneralWarps * (sizeof(IndexMemory<kDim>) + search)},
           write_general<kDim, kLanes, kKind, kBalanced>, c, keys, rotations, center, out,
           Exponents<kBalanced>(rotations.balance));
  };
  if (c.head_dim == 32) return run(std::integral_constant<int, 32>());
  if (c.head_dim == 64) return run(std::integral_constant<int, 64>());
  if (c.head_dim == 128) return run(std::integral_constant<int, 128>());
  run(std::integral_constant<int, 256>());
}

/// Launches the kernel of the constants' kind, of one part or of two.
template <bool kBalanced>
void launch_one_part(Stream& stream, const char* name, const std::string& shapes,
                     const MacroConstants& c, const ElementRows& keys,
                     const KeyRotations& rotations, const std::uint16_t* center,
                     const WrittenRows& out) {
  const auto write = c.states != 0 ? launch_general<32, QuantizerKind::trellis, kBalanced>
                                   : launch_general<32, QuantizerKind::mse, kBalanced>;
  write(stream, name, shapes, c, keys, rotations, center, out);
}
template <bool kBalanced>
void launch_two_parts(Stream& stream, const char* name, const std::string& shapes,
                      const MacroConstants& c, const ElementRows& keys,
                      const KeyRotations& rotations, const std::uint16_t* center,
                      const WrittenRows& out) {
  const auto write = c.prod          ? launch_general<32, QuantizerKind::prod, kBalanced>
                     : c.states != 0 ? launch_general<16, QuantizerKind::trellis, kBalanced>
                                     : launch_general<16, QuantizerKind::mse, kBalanced>;
  write(stream, name, shapes, c, keys, rotations, center, out);
}

/// One source for each, since each takes long to compile.
using GeneralWrite = void(Stream& stream, const char* name, const std::string& shapes,
                          const MacroConstants& c, const ElementRows& keys,
                          const KeyRotations& rotations, const std::uint16_t* center,
                          const WrittenRows& out);
GeneralWrite write_two_parts, write_one_part_balanced, write_two_parts_balanced;

}  // namespace axelram::kernels
