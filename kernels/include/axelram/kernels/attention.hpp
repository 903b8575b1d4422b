#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/interpolate.hpp"
#include "axelram/kernels/codes.hpp"
#include "axelram/kernels/constants.hpp"
#include "axelram/kernels/device.hpp"
#include "axelram/kernels/exact.hpp"
#include "axelram/kernels/pages.hpp"
#include "axelram/kernels/rows.hpp"

namespace axelram::kernels {

struct AttentionShape {
  std::int32_t heads = 0;     ///< KV heads
  std::int32_t group = 1;     ///< query heads of a KV head, 1..16
  std::int32_t head_dim = 0;  ///< d
  float scale = 1;            ///< of <q, k>, such as 1/sqrt(d)
  std::int32_t splits = 0;    ///< splits of a context; 0: as many as fill the GPU
};

/// Query tokens; all memory on the device, vectors at multiples of 8 bytes. Query head h * group +
/// i belongs to KV head h.
struct AttentionQueries {
  std::size_t count = 0;
  const std::int32_t* sequence = nullptr;  ///< [count]
  /// [count]: visible tokens, the first ones of the sequence. 0 gives zeros.
  const std::int32_t* visible = nullptr;
  const std::uint16_t* fp16 = nullptr;      ///< [count, heads * group, d], for FP16 keys
  const std::int8_t* u8 = nullptr;          ///< the same, u_i for records with query_bits <= 8
  const std::int32_t* u = nullptr;          ///< the same, u_i of any width
  const std::int32_t* exponents = nullptr;  ///< [count, heads * group], e_u, for records
  // For records of the kind prod, as u8, u and exponents: v_i and e_v.
  const std::int8_t* v8 = nullptr;
  const std::int32_t* v = nullptr;
  const std::int32_t* residual_exponents = nullptr;
  /// [count]: sequences of the exact rows; null: those of the pages
  const std::int32_t* exact_sequence = nullptr;
};

struct AttentionCache {
  Pages keys, values;  ///< of the same pages and tokens
  BlockTable table;
  MacroConstants key_constants{}, value_constants{};  ///< of records
  Rotations value_rotations;                          ///< of the heads, for records of values
  const DeviceCode* code = nullptr;                   ///< of pages of codewords
  ErasurePolicy erasure = ErasurePolicy::keep;        ///< of their uncorrectable words
  CodeCounts* counts = nullptr;                       ///< added to at every reading; or null
  /// Rows of exact tokens, read in place of records: of the tokens that a query sees, the first
  /// exact_keys.first and the newest exact_keys.last are scored from their copies, and likewise
  /// values. Only with records, key_constants.unbiased for copies, and elements of values as
  /// value_constants.bf16 says.
  ExactRows exact_keys, exact_values;
};

/// True if attend() has a tensor-core kernel for these shapes: d of 64 or 128; u8 and 8-bit
/// centroids for records; as many index bits in keys as in values, if both are records; rows of
/// FP16 at multiples of 16 bytes. Records of two parts, in keys: beside values in FP16, or in
/// records of any bits and one part, of a trellis if the keys' are. Codewords: of hamming74,
/// hamming84 or golay24, in keys or in keys and values, the others FP16; rows at multiples of 4
/// bytes, 8 for golay24; no trellis. Records of a trellis: in keys and values, or one of them FP16.
bool has_fast_attention(const AttentionShape& shape, const AttentionCache& cache,
                        const AttentionQueries& queries);

/// Bytes of device memory that attend() needs for the parts of split contexts and of exact tokens;
/// may be 0.
std::size_t attention_workspace(const AttentionShape& shape, const AttentionCache& cache,
                                const AttentionQueries& queries, std::int32_t max_visible);

/// The same with exact tokens and one split, for `queries` query tokens.
std::size_t exact_workspace(const AttentionShape& shape, std::size_t queries);

/// out[i] = sum over tokens t < visible[i] of softmax(scale * <q, k_t>) v_t, FP32 [count,
/// heads * group, d]. Scores of records are exact integers times norm, 2^e_u and
/// score_scale (bit-contract.md#read-4, bit-contract.md#read-5); those of two parts are scores,
/// each rounded once, times score_scale (bit-contract.md#split-score). Weighted sums of value
/// records stay in the rotated domain and are rotated back once. Codewords are decoded as they are
/// loaded; an erasure is interpolated from the visible tokens: that of the last one from the token
/// before. Exact tokens are attended to by a kernel of their own, a warp per query head; both
/// results are merged by their softmax sums. max_visible: an upper bound of visible. workspace:
/// attention_workspace() bytes, 16-byte aligned. Throws DeviceError for shapes that contradict each
/// other, and for codewords without a fast kernel.
void attend(Stream& stream, const AttentionShape& shape, const AttentionCache& cache,
            const AttentionQueries& queries, std::int32_t max_visible, void* workspace, float* out);

/// The same for all legal parameters except codewords. One warp per query head; slow. Needs u or
/// u8 for records.
void attend_general(Stream& stream, const AttentionShape& shape, const AttentionCache& cache,
                    const AttentionQueries& queries, float* out);

}  // namespace axelram::kernels
