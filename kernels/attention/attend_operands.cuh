#pragma once

#include <cstdint>
#include <type_traits>

#include "attention/attend_arguments.cuh"
#include "units/coded_tile.cuh"
#include "units/fragments.cuh"
#include "units/part_fragments.cuh"

/// Operands load tiles of keys or values for a warp of attend_split. Every operand has
///   kGroups    groups of asynchronous copies that begin() commits, 0 or 1;
///   kEarly     true if the next tile may begin as soon as arrive() returns, before this one has
///              been multiplied;
///   tile       the input of the tensor cores, after arrive();
///   dimension(j, half, g)  the dimension of row 8 * half + g of TileSums::c[j].
namespace axelram::kernels {

/// Position of a tile: 32 tokens from `first` on. The query sees those before `visible`.
struct TileAt {
  std::int32_t sequence, head, first, visible;
};

/// Shared memory of one warp's operands.
struct WarpShared {
  unsigned char* staged;   ///< an operand's own
  std::uint32_t* scratch;  ///< of the warp: decoded records and statuses
};

/// The code of uncoded pages.
struct Uncoded {
  static constexpr int kTableBytes = 0;
};
/// The same for records of a trellis.
struct UncodedTrellis : Uncoded {};

/// The same for keys whose records have two parts.
template <PartKind kTheKind>
struct UncodedParts : Uncoded {
  static constexpr PartKind kKind = kTheKind;
};
/// Bits of such keys as a constant of kernels, which take those of both parts as they come.
constexpr int kTwoParts = 8;

template <class Coder>
constexpr bool kHasTrellis = std::is_same_v<Coder, UncodedTrellis> ||
                             std::is_same_v<Coder, UncodedParts<PartKind::split_trellis>>;

template <class Coder>
constexpr bool kUncoded = std::is_base_of_v<Uncoded, Coder>;

/// Records, loaded into registers directly.
template <int kDim, int kBits, TileLevels kLevels>
struct RecordOperand {
  static constexpr int kGroups = 0;
  static constexpr bool kEarly = false;
  static constexpr int kScratchBytes = 0;
  TileWords<kDim, kBits, kLevels> tile;

  static AXELRAM_HD int staged_bytes(const Pages&) { return 0; }
  static AXELRAM_DEVICE int dimension(int j, int half, int g) { return 16 * j + 8 * half + g; }
  AXELRAM_DEVICE explicit RecordOperand(const WarpShared&) {}
  AXELRAM_DEVICE void begin(const Pages& pages, const TileWalk& walk, const TileAt& at) {
    tile.load_tile(head_of_page(pages, walk.page, at.head) +
                   static_cast<std::size_t>(walk.tile_in_page) * tile_bytes(kDim, kBits));
  }
  template <int kPending, class Coder>
  AXELRAM_DEVICE void arrive(const AttendArguments&, const Pages&, const Coder&, const TileAt&,
                             StatusCounts*) {}
};

/// Records of two parts, likewise.
template <int kDim, PartKind kKind>
struct PartsOperand {
  static constexpr int kGroups = 0;
  static constexpr bool kEarly = false;
  static constexpr int kScratchBytes = 0;
  PartWords<kDim, kKind> tile;

  static AXELRAM_HD int staged_bytes(const Pages&) { return 0; }
  AXELRAM_DEVICE explicit PartsOperand(const WarpShared&) {}
  AXELRAM_DEVICE void begin(const Pages& pages, const TileWalk& walk, const TileAt& at) {
    tile.load_tile(pages, head_of_page(pages, walk.page, at.head) +
                              static_cast<std::size_t>(walk.tile_in_page) * tile_bytes(pages));
  }
  template <int kPending, class Coder>
  AXELRAM_DEVICE void arrive(const AttendArguments&, const Pages&, const Coder&, const TileAt&,
                             StatusCounts*) {}
};

/// FP16 rows, staged in shared memory.
template <int kDim>
struct RowOperand {
  static constexpr int kGroups = 1;
  static constexpr bool kEarly = false;
  static constexpr int kScratchBytes = 0;
  StagedTile<kDim> tile;

  static AXELRAM_HD int staged_bytes(const Pages&) { return StagedTile<kDim>::kBytes; }
  static AXELRAM_DEVICE int dimension(int j, int half, int g) { return 16 * j + 8 * half + g; }
  AXELRAM_DEVICE explicit RowOperand(const WarpShared& shared) : tile{shared.staged} {}
  AXELRAM_DEVICE void begin(const Pages& pages, const TileWalk& walk, const TileAt& at) {
    sync_warp();
    tile.stage(head_of_page(pages, walk.page, at.head) +
                   static_cast<std::int64_t>(walk.tile_in_page) * (kTileTokens * pages.row_stride),
               pages.row_stride, at.visible - walk.tile * kTileTokens);
  }
  template <int kPending, class Coder>
  AXELRAM_DEVICE void arrive(const AttendArguments&, const Pages&, const Coder&, const TileAt&,
                             StatusCounts*) {
    wait_async<kPending>();
    sync_warp();
  }
};

/// Coded records: the codewords of 32 tokens are staged in shared memory and decoded there into
/// row-major records. The two operands of a warp use the same scratch in turn.
template <int kDim, int kBits, class Coder>
struct CodedOperand {
  using Tile = RowMajorTile<kDim, kBits>;
  static constexpr int kGroups = 1;
  static constexpr bool kEarly = true;
  static constexpr bool kPairs = kFetchesPairs<Coder>;
  static constexpr int kBitsOfRecord = kDim * kBits + 16;
  static constexpr std::uint32_t kWords =
      (kBitsOfRecord + Coder::kDataBytes - 1) / Coder::kDataBytes;
  static constexpr int kStatusStride = static_cast<int>(kWords + 15) / 16 | 1;
  static constexpr int kRows = kTileTokens + 2;
  static constexpr int kScratchBytes = (4 * kRows * (Tile::kStride + kStatusStride) + 15) / 16 * 16;
  Tile tile;
  CodedTile coded{};

  static AXELRAM_HD int staged_bytes(const Pages& pages) { return kTileTokens * pages.row_stride; }
  /// For values.
  static AXELRAM_DEVICE int dimension(int j, int half, int g) {
    return kDim / 8 * g + 2 * j + half;
  }
  AXELRAM_DEVICE explicit CodedOperand(const WarpShared& shared) {
    coded.bits = kBitsOfRecord;
    coded.codewords = reinterpret_cast<std::uint32_t*>(shared.staged);
    coded.records = shared.scratch;
    coded.record_stride = Tile::kStride;
    coded.statuses = shared.scratch + kRows * Tile::kStride;
    coded.status_stride = kStatusStride;
    tile.records = coded.record(0);
  }
  AXELRAM_DEVICE void begin(const Pages& pages, const TileWalk& walk, const TileAt& at) {
    const int bytes = staged_bytes(pages);
    coded.codeword_stride = pages.row_stride / 4;
    const std::uint8_t* const from = head_of_page(pages, walk.page, at.head) +
                                     static_cast<std::int64_t>(walk.tile_in_page) * bytes;
    auto* const to = reinterpret_cast<unsigned char*>(coded.codewords);
    for (int i = 16 * static_cast<int>(lane_index()); i < bytes; i += 16 * 32)
      copy_async16(to + i, from + i);
  }
  template <int kPending>
  AXELRAM_DEVICE void arrive(const AttendArguments& a, const Pages& pages, const Coder& coder,
                             const TileAt& at, StatusCounts* counts) {
    wait_async<kPending>();
    sync_warp();
    const std::int32_t end = at.first + kTileTokens;
    coded.tokens = at.visible < end ? at.visible - at.first : kTileTokens;
    const std::uint32_t detected = decode_tile<Coder, kPairs>(coder, coded, counts);
    sync_warp();
    if (detected == 0 || a.policy == ErasurePolicy::keep) return;
    if (a.policy == ErasurePolicy::interpolate) {
      const BlockTable table{a.table, 0, a.max_pages};
      const auto row = [&](std::int32_t token) {
        const PageSlot slot = page_slot(pages, table, at.sequence, token);
        return reinterpret_cast<const std::uint32_t*>(head_of_page(pages, slot.page, at.head) +
                                                      static_cast<std::int64_t>(slot.token) *
                                                          pages.row_stride);
      };
      coded.before = at.first > 0 ? row(at.first - 1) : nullptr;
      coded.after = at.visible > end ? row(end) : nullptr;
    }
    repair_tile<Coder, kPairs>(coder, coded, a.policy, kDim, kBits, detected);
  }
};

/// Codewords per token that an operand decodes.
template <class Operand>
constexpr std::uint32_t coded_words() {
  if constexpr (Operand::kEarly)
    return Operand::kWords;
  else
    return 0;
}

/// Adds a warp's counts. words: words that this lane decoded.
AXELRAM_DEVICE void add_counts(const StatusCounts& counted, std::uint32_t words,
                               CodeCounts* counts) {
  const auto add = [](std::uint32_t value, unsigned long long* to) {
    unsigned long long sum = value;
    for (unsigned mask = 1; mask < 32; mask *= 2) sum += shuffle_xor(sum, mask);
    if (lane_index() == 0 && sum != 0) atomic_add(to, sum);
  };
  add(words - counted.corrected - counted.parity_only - counted.detected, &counts->clean);
  add(counted.corrected, &counts->corrected);
  add(counted.parity_only, &counts->parity_only);
  add(counted.detected, &counts->detected);
}

template <int kDim, int kBits, class Coder, bool kValues>
struct OperandOf {
  using Type = std::conditional_t<kUncoded<Coder>,
                                  RecordOperand<kDim, kBits,
                                                !kHasTrellis<Coder> ? TileLevels::alone
                                                : kValues           ? TileLevels::of_values
                                                                    : TileLevels::of_keys>,
                                  CodedOperand<kDim, kBits, Coder>>;
};
template <int kDim, class Coder, bool kValues>
struct OperandOf<kDim, 0, Coder, kValues> {
  using Type = RowOperand<kDim>;
};
template <int kDim, PartKind kKind>
struct OperandOf<kDim, kTwoParts, UncodedParts<kKind>, false> {
  using Type = PartsOperand<kDim, kKind>;
};
/// kBits = 0: FP16.
template <int kDim, int kBits, class Coder, bool kValues>
using TileOperand = typename OperandOf<kDim, kBits, Coder, kValues>::Type;

/// The scores of keys.
template <int kDim, int kBits, class Coder>
struct ScoresOf {
  using Type = RecordScores<kDim>;
};
template <int kDim, class Coder>
struct ScoresOf<kDim, 0, Coder> {
  using Type = RowScores<kDim>;
};
template <int kDim, PartKind kKind>
struct ScoresOf<kDim, kTwoParts, UncodedParts<kKind>> {
  using Type = PartScores<kDim, kKind>;
};

}  // namespace axelram::kernels
