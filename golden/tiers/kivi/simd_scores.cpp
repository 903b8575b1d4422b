#include "simd/floats.hpp"
#include "simd/level_units.hpp"
#include "tiers/kivi/arguments.hpp"

/// Scores of KIVI key blocks: tokens in the lanes, channels one after another.

namespace axelram::AXELRAM_LEVEL {
namespace {

constexpr std::size_t kRuns = 8;   // kKiviScoreRuns
constexpr std::size_t kLine = 64;  // bytes of a cache line

/// Fetches lines of a block to come. ahead: its distance; 0: none.
inline void fetch(const std::uint8_t* from, std::size_t ahead, std::size_t bytes) {
  if (ahead == 0) return;
  for (std::size_t byte = 0; byte < bytes; byte += kLine) __builtin_prefetch(from + ahead + byte);
}

/// Codes of the tokens of a channel as floats, in one register or two.
template <int bits, std::size_t registers>
class CodeFloats {
 public:
  /// x: `registers`. Reads up to 4 bytes behind the codes.
  void at(const std::uint8_t* from, Floats* x) const {
    for (std::size_t r = 0; r < registers; ++r) x[r] = one(from + r * CodeWindows<bits>::kBytes);
  }
  /// Sums of such registers in the order of the tokens.
  void in_order(Floats*) const {}

 private:
  Floats one(const std::uint8_t* from) const {
    const Integers codes = windows_.at(from);
    if constexpr ((1U << bits) <= kFloats)
      return floats_.at(codes);
    else
      return floats_of<bits>(codes);
  }

  CodeWindows<bits> windows_;
  FloatTable<bits> floats_{counted_codes<bits>()};
};

#ifdef __AVX512F__
/// 32 tokens without shifts: codes stay where they lie in words of 32 bits, become the low part of
/// the significand of a power of two in which their lowest bit is 1, and this power is subtracted.
/// A register has codes at bits 0 .. 15 of each word, the other, which is loaded 2 bytes later,
/// those at bits 16 .. 31.
template <int bits>
class SpreadCodes {
  static constexpr unsigned kWords = bits;         // that hold 32 codes
  static constexpr unsigned kOfWord = 16U / bits;  // codes that a register has of a word
  static_assert(kWords * kOfWord == kFloats);

 public:
  SpreadCodes() {
    alignas(64) std::uint32_t masks[kFloats], powers[kFloats], order[2][kFloats];
    for (unsigned lane = 0; lane < kFloats; ++lane) {
      const unsigned first_bit = lane / kWords * bits;
      masks[lane] = ((1U << bits) - 1) << first_bit;
      powers[lane] = (127 + 23 - first_bit) << 23;
    }
    for (unsigned t = 0; t < 2 * kFloats; ++t) {
      const unsigned word = t / (2 * kOfWord), place = t % (2 * kOfWord);
      const unsigned lane = place % kOfWord * kWords + word;
      order[t / kFloats][t % kFloats] = place / kOfWord * unsigned{kFloats} + lane;
    }
    masks_ = load(masks), powers_ = load(powers);
    order_[0] = load(order[0]), order_[1] = load(order[1]);
  }

  void at(const std::uint8_t* from, Floats* x) const {
    x[0] = one(words(from));
    x[1] = one(words(from + 2));
  }
  void in_order(Floats* v) const {
    const Floats first = v[0];
    v[0] = _mm512_permutex2var_ps(first, order_[0], v[1]);
    v[1] = _mm512_permutex2var_ps(first, order_[1], v[1]);
  }

 private:
  static Integers words(const std::uint8_t* from) {
    if constexpr (bits == 4)
      return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    std::uint64_t codes;
    __builtin_memcpy(&codes, from, sizeof codes);
    return broadcast64(codes);
  }
  Floats one(Integers words) const {
    constexpr int kAndOr = 0xEA;  // words & masks | powers
    const Integers v = _mm512_ternarylogic_epi32(words, masks_, powers_, kAndOr);
    return _mm512_sub_ps(_mm512_castsi512_ps(v), _mm512_castsi512_ps(powers_));
  }

  Integers masks_, powers_, order_[2];
};
template <>
class CodeFloats<2, 2> : public SpreadCodes<2> {};
template <>
class CodeFloats<4, 2> : public SpreadCodes<4> {};
#endif

/// What `queries` queries have of a block.
template <std::size_t queries>
struct BlockQueries {
  float scaled[queries][kWidest];
  float base[queries];

  BlockQueries(const KiviBlockScores& of, const std::uint8_t* scales, const float* first,
               std::size_t ahead) {
    fetch(scales, ahead, 4 * of.d);
    const std::uint8_t* const minima = scales + 2 * of.d;
    const Floats step = broadcast(static_cast<float>(of.step));
    Floats sums[queries][kSumRegisters];
    for (std::size_t q = 0; q < queries; ++q)
      for (std::size_t r = 0; r < kSumRegisters; ++r) sums[q][r] = no_floats();
    for (std::size_t c = 0; c < of.d; c += kSumLanes)
      for (std::size_t r = 0; r < kSumRegisters; ++r) {
        const std::size_t at = c + r * kFloats;
        const Floats steps = multiply(load_halfs(scales + 2 * at), step);
        const Floats least = load_halfs(minima + 2 * at);
        for (std::size_t q = 0; q < queries; ++q) {
          const Floats query = load_floats(first + q * of.query_stride + at);
          store_floats(scaled[q] + at, multiply(query, steps));
          sums[q][r] = multiply_add(query, least, sums[q][r]);
        }
      }
    for (std::size_t q = 0; q < queries; ++q) base[q] = sum_lanes(sums[q]);
  }
};

/// Scores of `registers` * kFloats tokens of a block. `together` runs go side by side, so that
/// there are enough sums for the latency of an addition. codes: of the first token in channel 0.
template <int bits, std::size_t queries, std::size_t registers, std::size_t together>
void score_tokens(const KiviBlockScores& of, const CodeFloats<bits, registers>& floats,
                  const BlockQueries<queries>& block, const std::uint8_t* codes, float* scores,
                  std::size_t lanes, std::size_t ahead) {
  const std::size_t next = of.group * bits / 8;
  Floats sums[queries][registers];
  for (std::size_t run = 0; run < kRuns; run += together) {
    Floats parts[together][queries][registers];
#pragma GCC unroll 8
    for (std::size_t p = 0; p < together; ++p)
#pragma GCC unroll 4
      for (std::size_t q = 0; q < queries; ++q)
#pragma GCC unroll 2
        for (std::size_t r = 0; r < registers; ++r) parts[p][q][r] = no_floats();
    const std::uint8_t* from = codes + run * next;
    for (std::size_t c = run; c < of.d; c += kRuns, from += kRuns * next) {
      fetch(from, ahead, together * next);
#pragma GCC unroll 8
      for (std::size_t p = 0; p < together; ++p) {
        Floats x[registers];
        floats.at(from + p * next, x);
#pragma GCC unroll 4
        for (std::size_t q = 0; q < queries; ++q)
#pragma GCC unroll 2
          for (std::size_t r = 0; r < registers; ++r)
            parts[p][q][r] = multiply_add(broadcast(block.scaled[q][c + p]), x[r], parts[p][q][r]);
      }
    }
#pragma GCC unroll 8
    for (std::size_t p = 0; p < together; ++p)
#pragma GCC unroll 4
      for (std::size_t q = 0; q < queries; ++q)
#pragma GCC unroll 2
        for (std::size_t r = 0; r < registers; ++r)
          sums[q][r] = run == 0 && p == 0 ? parts[p][q][r] : add(sums[q][r], parts[p][q][r]);
  }
  for (std::size_t q = 0; q < queries; ++q) {
    floats.in_order(sums[q]);
    for (std::size_t r = 0; r < registers; ++r)
      store_floats(scores + q * of.score_stride + r * kFloats,
                   add(broadcast(block.base[q]), sums[q][r]), lanes);
  }
}

template <int bits>
struct Codes {
  CodeFloats<bits, 1> narrow;
  CodeFloats<bits, 2> wide;
};

template <int bits, std::size_t queries>
void score_block(const KiviBlockScores& of, const Codes<bits>& codes, const std::uint8_t* block,
                 std::size_t ahead, const float* first, float* scores) {
  constexpr std::size_t kSums = kRegisters / 2;  // registers of sums that go side by side
  constexpr std::size_t kOfOne = kSums / (queries == 3 ? 4 : queries);
  const BlockQueries<queries> of_block(of, block + of.d * of.group * bits / 8, first, ahead);
  if (of.group < 2 * kFloats) {
    constexpr std::size_t kTogether = kOfOne < kRuns ? kOfOne : kRuns;
    return score_tokens<bits, queries, 1, kTogether>(
        of, codes.narrow, of_block, block, scores, of.group < kFloats ? of.group : kFloats, ahead);
  }
  for (std::size_t t = 0; t < of.group; t += 2 * kFloats)
    score_tokens<bits, queries, 2, kOfOne / 2>(of, codes.wide, of_block, block + t * bits / 8,
                                               scores + t, kFloats, t == 0 ? ahead : 0);
}

template <int bits>
void score_blocks(const KiviBlockScores& of) {
  constexpr std::size_t kAhead = 8192;  // bytes that memory delivers late, at least
  const Codes<bits> codes;
  const std::size_t blocks_ahead = 1 + kAhead / of.block_bytes;
  for (std::size_t b = 0; b < of.block_count; ++b) {
    const std::uint8_t* const block = of.blocks + b * of.block_bytes;
    const std::size_t ahead = b + blocks_ahead < of.block_count ? blocks_ahead * of.block_bytes : 0;
    for (std::size_t i = 0; i < of.count; i += 4) {
      const float* const queries = of.queries + i * of.query_stride;
      float* const scores = of.scores + i * of.score_stride + b * of.group;
      switch (of.count - i) {
        case 1:
          score_block<bits, 1>(of, codes, block, i == 0 ? ahead : 0, queries, scores);
          break;
        case 2:
          score_block<bits, 2>(of, codes, block, i == 0 ? ahead : 0, queries, scores);
          break;
        case 3:
          score_block<bits, 3>(of, codes, block, i == 0 ? ahead : 0, queries, scores);
          break;
        default:
          score_block<bits, 4>(of, codes, block, i == 0 ? ahead : 0, queries, scores);
      }
    }
  }
}

}  // namespace

void score_kivi(const KiviBlockScores& of) {
  if (of.bits == 2) return score_blocks<2>(of);
  if (of.bits == 3) return score_blocks<3>(of);
  score_blocks<4>(of);
}

}  // namespace axelram::AXELRAM_LEVEL
