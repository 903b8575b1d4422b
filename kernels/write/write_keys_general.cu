#include <cstdint>

#include "axelram/kernels/write.hpp"
#include "common/general_row.cuh"
#include "common/row_checks.hpp"
#include "common/write_events.cuh"
#include "device/launch.cuh"
#include "units/norm.cuh"
#include "units/scale.cuh"
#include "write/general_indices.cuh"
#include "write/general_key.cuh"

namespace axelram::kernels {
namespace {

constexpr unsigned kThreads = 128, kWarps = kThreads / 32;
constexpr int kMaxDim = 256;

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
        reinterpret_cast<SearchMemory<kDim>*>(shared_memory<std::uint8_t>() + kWarps * kMaxDim);
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
  store_record<kDim>(c, out, row, indices, half);
}

}  // namespace

void write_keys_general(Stream& stream, const MacroConstants& c, const ElementRows& keys,
                        const std::int8_t* signs, const std::uint16_t* center,
                        const WrittenRows& out) {
  constexpr const char* kName = "write_keys_general";
  const std::string shapes = check_keys(kName, c, keys, signs, center, out);
  if (keys.rows() == 0) return;
  const std::size_t search = c.states != 0 ? sizeof(SearchMemory<kMaxDim>) : 0;
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
