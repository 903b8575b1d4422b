#include <cstdint>

#include "axelram/kernels/write.hpp"
#include "launch.cuh"
#include "record.cuh"
#include "row_checks.hpp"
#include "write_row.cuh"

namespace axelram::kernels {
namespace {

constexpr unsigned kWarps = 4, kThreads = 32 * kWarps, kStages = 3;

/// A thread's key, from one step of the grid to the next: the head stays, the token moves on.
struct Step {
  std::size_t rows;      ///< a multiple of the heads
  std::size_t elements;  ///< from a token's row to that of the next step
};

template <int kDim, int kBits>
struct Shared {
  using Layout = WriteLayout<kDim>;
  static constexpr unsigned kRecordBytes = (kDim * kBits + 16) / 8;
  static constexpr unsigned kRecords = Layout::kKeys * kRecordBytes;
  static constexpr unsigned kStage = Layout::kKeys * Layout::kStagedBytes;
  static constexpr unsigned kExchange = 4 * Layout::kKeys * Layout::kExchangeKey;
  static constexpr unsigned kWarpBytes = kStages * kStage + kExchange + (kRecords + 15) / 16 * 16;
};

AXELRAM_DEVICE void count_events(WriteEvents* events, std::uint32_t row, bool finite,
                                 bool saturated) {
  if (!finite) {
    atomic_add(&events->refused, 1U);
    atomic_min(&events->first_refused, row);
  }
  if (saturated) atomic_add(&events->saturated, 1U);
}

/// Copies a warp's records, of which `bytes` are wanted, to where they belong.
template <class Piece, unsigned kBytes>
AXELRAM_DEVICE void store_records(std::uint8_t* to, const std::uint8_t* from, std::size_t bytes) {
  static_assert(kBytes % sizeof(Piece) == 0);
  if (bytes >= kBytes) {
    AXELRAM_UNROLL
    for (unsigned i = 0; i < kBytes / sizeof(Piece); i += 32) {
      const unsigned at = i + lane_index();
      if (at < kBytes / sizeof(Piece))
        reinterpret_cast<Piece*>(to)[at] = reinterpret_cast<const Piece*>(from)[at];
    }
  } else {
    for (unsigned at = lane_index(); at < bytes; at += 32) to[at] = from[at];
  }
}

/// What a warp's records are multiples of.
template <unsigned kBytes>
using PieceOf = std::conditional_t<kBytes % 16 == 0, Words4,
                                   std::conditional_t<kBytes % 8 == 0, Words2, std::uint32_t>>;

/// Bytes to and from memory per key: 2d in, (d b + 16) / 8 out, 306 at d = 128 and b = 3. Its limit
/// is the issue of instructions. Keys come through shared memory in kStages asynchronous stages,
/// 16 bytes per copy; records leave a warp together.
template <int kDim, int kBits>
AXELRAM_KERNEL void AXELRAM_BOUNDS(kThreads, 8)
    write_fast(MacroConstants c, ElementRows keys, const std::int8_t* signs,
               const std::uint16_t* center, WrittenRows out, Step step) {
  using Layout = WriteLayout<kDim>;
  using Memory = Shared<kDim, kBits>;
  constexpr unsigned kLanes = Layout::kLanes, kKeys = Layout::kKeys;
  constexpr int kPositive = (1 << (kBits - 1)) - 1;

  std::uint8_t* const staged = shared_memory<std::uint8_t>() + warp_index() * Memory::kWarpBytes;
  auto* const exchange = reinterpret_cast<float*>(staged + kStages * Memory::kStage);
  std::uint8_t* const records = staged + kStages * Memory::kStage + Memory::kExchange;

  const unsigned lane = lane_index() % kLanes, key_of_warp = lane_index() / kLanes;
  const std::size_t rows = keys.rows();
  std::size_t base = (static_cast<std::size_t>(block_x()) * kWarps + warp_index()) * kKeys;
  std::size_t ahead = base + key_of_warp;
  const std::size_t head = ahead % keys.heads;
  const std::uint16_t* source =
      keys.data + ahead / keys.heads * keys.token_stride + head * keys.head_stride + 8 * lane;

  std::uint8_t* const my_stage = staged + key_of_warp * Layout::kStagedBytes;
  unsigned stage_out = 0, stage_in = 0;
  const auto fetch = [&] {
    if (ahead < rows) {
      std::uint8_t* const to = my_stage + stage_in * Memory::kStage + 16 * lane;
      copy_async16(to, source);
      copy_async16(to + kDim, source + kDim / 2);
    }
    commit_async();
    ahead += step.rows;
    source += step.elements;
    stage_in = stage_in + 1 == kStages ? 0 : stage_in + 1;
  };
  AXELRAM_UNROLL
  for (unsigned i = 0; i + 1 < kStages; ++i) fetch();

  std::uint32_t sign_bits[8];
  AXELRAM_UNROLL
  for (unsigned j = 0; j < 8; ++j) {
    const std::int8_t* const pair = signs + head * kDim + 2 * (j * kLanes + lane);
    sign_bits[j] = (load(pair) < 0 ? 0x8000U : 0) | (load(pair + 1) < 0 ? 0x80000000U : 0);
  }
  const auto* const center_words =
      c.centered ? reinterpret_cast<const std::uint32_t*>(center + head * kDim) + lane : nullptr;
  const std::int32_t my_boundary =
      c.boundaries[kPositive + 1 + static_cast<int>(lane % (kPositive + 1)) -
                   (lane % (kPositive + 1) == kPositive ? 1 : 0)];
  const float quarter = lane == 0 ? kQuarter : 0.0F;

  for (; base < rows; base += step.rows) {
    wait_async<kStages - 2>();
    sync_warp();
    std::uint32_t words[8];
    AXELRAM_UNROLL
    for (unsigned j = 0; j < 8; ++j)
      words[j] = reinterpret_cast<const std::uint32_t*>(
          my_stage + stage_out * Memory::kStage)[j * kLanes + lane];
    stage_out = stage_out + 1 == kStages ? 0 : stage_out + 1;
    fetch();

    float x[16];
    const AlignedKey key =
        c.bf16 ? align_key<true, kLanes>(words, sign_bits, center_words, c.significand_bits, x)
               : align_key<false, kLanes>(words, sign_bits, center_words, c.significand_bits, x);
    // Element 0 enters every y: taking 1/4 off it takes 1/4 off them all.
    x[0] -= quarter;
    butterfly_stages<1, 16>(x);
    const std::uint64_t square_sum =
        sum_over_lanes<kLanes>(square_share(key.shifted_squares, x[0]));

    float* const mine = exchange + key_of_warp * Layout::kExchangeKey;
    AXELRAM_UNROLL
    for (unsigned j = 0; j < 8; ++j) {
      Words2 pair;
      pair.w[0] = bits_of_float(x[2 * j]);
      pair.w[1] = bits_of_float(x[2 * j + 1]);
      store_vector(reinterpret_cast<Words2*>(mine + Layout::exchange_word(2 * lane) +
                                             Layout::exchange_word(2 * j * kLanes)),
                   pair);
    }
    sync_warp();
    AXELRAM_UNROLL
    for (unsigned q = 0; q < 4; ++q) {
      const Words4 four =
          *reinterpret_cast<const Words4*>(mine + Layout::kExchangeRow * lane + 4 * q);
      AXELRAM_UNROLL
      for (unsigned i = 0; i < 4; ++i) x[4 * q + i] = float_of_bits(four.w[i]);
    }
    butterfly_stages<2, kDim >= 128 ? 16 : kDim / 8>(x);
    if constexpr (kDim == 256) lane_butterflies<1>(x);

    // N <= 2^(23 - n/2) < 2^22: one step.
    const std::uint32_t n = root<1>(square_sum);
    bool saturated = false;
    const std::uint16_t half = norm(n, key.e, &saturated);
    float a[kPositive];
    magnitude_thresholds<kPositive, kLanes>(c, my_boundary, n, a);
    AXELRAM_UNROLL
    for (int i = 0; i < 16; ++i) x[i] = centered_index<kBits>(x[i], a);
    std::uint32_t pieces[kBits];
    pack_indices<kBits>(x, pieces);

    if (out.records != nullptr) {
      auto* const record =
          reinterpret_cast<std::uint16_t*>(records + key_of_warp * Memory::kRecordBytes);
      AXELRAM_UNROLL
      for (int i = 0; i < kBits; ++i)
        record[lane * kBits + static_cast<unsigned>(i)] = static_cast<std::uint16_t>(pieces[i]);
      if (lane == 0) record[kDim / 16 * kBits] = half;
      sync_warp();
      store_records<PieceOf<Memory::kRecords>, Memory::kRecords>(
          out.records + base * Memory::kRecordBytes, records, (rows - base) * Memory::kRecordBytes);
    }
    const std::size_t row = base + key_of_warp;
    if (row >= rows) continue;
    if (out.norms != nullptr && lane == 0) out.norms[row] = half;
    if (out.indices != nullptr) {
      Words4 bytes;
      AXELRAM_UNROLL
      for (int i = 0; i < 4; ++i) bytes.w[i] = unpack_four<kBits>(pieces, 4 * i);
      store_vector(reinterpret_cast<Words4*>(out.indices + row * kDim + 16 * lane), bytes);
    }
    if (out.thresholds != nullptr)
      for (unsigned j = lane; j < 2 * kPositive + 1; j += kLanes)
        out.thresholds[row * (2 * kPositive + 1) + j] =
            threshold(c.boundaries[j], n, c.boundary_fraction_bits);
    if (out.events != nullptr && lane == 0 && (saturated || !key.finite))
      count_events(out.events, static_cast<std::uint32_t>(row), key.finite, saturated);
  }
  wait_async<0>();
}

template <int kDim, int kBits>
void launch_fast(Stream& stream, const MacroConstants& c, const ElementRows& keys,
                 const std::int8_t* signs, const std::uint16_t* center, const WrittenRows& out) {
  constexpr std::size_t kBlockKeys = kWarps * WriteLayout<kDim>::kKeys;
  // Steps of a warp: enough to keep its stages full, few enough that the last blocks of a device
  // end together. A step is a multiple of the heads, so that a thread's head never changes.
  constexpr std::size_t kSteps = 16, kFewBlocks = 4096;
  const std::size_t blocks = (keys.rows() + kBlockKeys - 1) / kBlockKeys;
  std::size_t wanted = blocks / kSteps > kFewBlocks ? blocks / kSteps
                       : blocks < kFewBlocks        ? blocks
                                                    : kFewBlocks;
  std::size_t multiple = 1;
  while (multiple * kBlockKeys % keys.heads != 0) ++multiple;
  wanted = (wanted + multiple - 1) / multiple * multiple;
  const Step step{wanted * kBlockKeys, wanted * kBlockKeys / keys.heads * keys.token_stride};
  launch(stream,
         {"write_keys", shape_text("keys", keys, kDim), wanted, 1, 1, kThreads,
          kWarps * Shared<kDim, kBits>::kWarpBytes},
         write_fast<kDim, kBits>, c, keys, signs, center, out, step);
}

template <int kDim>
void launch_fast(Stream& stream, const MacroConstants& c, const ElementRows& keys,
                 const std::int8_t* signs, const std::uint16_t* center, const WrittenRows& out) {
  const auto run = c.index_bits == 2   ? launch_fast<kDim, 2>
                   : c.index_bits == 3 ? launch_fast<kDim, 3>
                                       : launch_fast<kDim, 4>;
  run(stream, c, keys, signs, center, out);
}

bool aligned(const void* address, std::uintptr_t bytes) {
  return reinterpret_cast<std::uintptr_t>(address) % bytes == 0;
}

/// See write.hpp. Boundaries below 2.8 keep every A_j below 2^22, as N <= 2^(23 - n/2), n >= 5.
bool fits(const MacroConstants& c, const ElementRows& keys, const std::uint16_t* center,
          const WrittenRows& out) {
  const int count = (1 << c.index_bits) - 1;
  for (int j = 0; j <= count / 2; ++j)
    if (c.boundaries[j] != -c.boundaries[count - 1 - j] || c.boundaries[j] > 0) return false;
  return c.aligned_bits - 1 + c.log2_dim <= 23 &&
         5 * c.boundaries[count - 1] < 14 << c.boundary_fraction_bits && aligned(keys.data, 16) &&
         keys.token_stride % 8 == 0 && keys.head_stride % 8 == 0 && aligned(center, 4) &&
         aligned(out.records, 16) && aligned(out.indices, 16);
}

}  // namespace

void write_keys(Stream& stream, const MacroConstants& c, const ElementRows& keys,
                const std::int8_t* signs, const std::uint16_t* center, const WrittenRows& out) {
  constexpr const char* kName = "write_keys";
  check_constants(kName, c);
  const std::string shapes = shape_text("keys", keys, c.head_dim);
  check_rows(kName, shapes, keys);
  if (keys.rows() == 0) return;
  require(signs != nullptr, kName, shapes, "no signs");
  require(!c.centered || center != nullptr, kName, shapes, "no center, though constants.centered");
  if (!fits(c, keys, center, out)) return write_keys_general(stream, c, keys, signs, center, out);
  const auto run = c.head_dim == 32    ? launch_fast<32>
                   : c.head_dim == 64  ? launch_fast<64>
                   : c.head_dim == 128 ? launch_fast<128>
                                       : launch_fast<256>;
  run(stream, c, keys, signs, center, out);
}

}  // namespace axelram::kernels
