#pragma once

#include <cstdint>

#include "axelram/kernels/constants.hpp"
#include "axelram/kernels/device.hpp"
#include "axelram/kernels/rows.hpp"

namespace axelram::kernels {

/// No row: what first_rejected holds until a row is rejected.
constexpr std::uint32_t kNoRow = 0xFFFFFFFFU;

/// Events counted in device memory: each launch adds to them. Initialise with {}.
struct WriteEvents {
  std::uint32_t rejected = 0;             ///< rows with a NaN or an infinity
  std::uint32_t saturated = 0;            ///< rows, or sub-vectors, with a norm beyond 65504
  std::uint32_t first_rejected = kNoRow;  ///< the smallest number of a rejected row
};

/// Output of write_keys, in device memory, by row number; null pointers are skipped. A rejected row
/// becomes zeros. With a split, a row of d elements or of words of codebooks has those of
/// sub-vector 0, then those of 1; norms, correlations and path costs have two a row.
struct WrittenRows {
  std::uint8_t* records = nullptr;     ///< [rows, record_bytes], see pack_record_ref
  std::uint8_t* indices = nullptr;     ///< [rows, d]
  std::uint16_t* norms = nullptr;      ///< [rows] FP16 bits
  std::int32_t* thresholds = nullptr;  ///< [rows, boundary_count()] T_j; without a trellis
  WriteEvents* events = nullptr;
  std::int64_t* correlations = nullptr;  ///< [rows] A, if constants.unbiased; otherwise not written
  std::int16_t* copies = nullptr;        ///< [rows, d] h_i, of constants.exact_bits
  std::int32_t* copy_exponents = nullptr;   ///< [rows] e_k
  std::int32_t* reconstructions = nullptr;  ///< [rows, level_count()] R_j; a trellis, or prod
  // With a trellis.
  std::uint8_t* levels = nullptr;       ///< [rows, d]
  std::uint32_t* path_costs = nullptr;  ///< [rows]
  // With the kind prod.
  std::uint8_t* residual_signs = nullptr;   ///< [rows, d] t_i
  std::uint16_t* residual_norms = nullptr;  ///< [rows] FP16 bits
  std::int32_t* residual_shifts = nullptr;  ///< [rows] h

  constexpr bool has_copies() const { return copies != nullptr || copy_exponents != nullptr; }
};

/// The write path for every row: BALANCE if constants.balanced, ALIGN, CENTER if
/// constants.centered, ROTATE, norm, thresholds, indices, unbiased norm if constants.unbiased,
/// residual, record (bit-contract.md#exponents, bit-contract.md#write-1 to bit-contract.md#write-5,
/// bit-contract.md#residual, bit-contract.md#split). Copies need constants.unbiased
/// (bit-contract.md#exact).
///
/// keys: elements of the constants' format. center: [heads, d] elements in the order of the keys,
/// finite, if constants.centered; otherwise not read. With constants.balanced rotations.balance has
/// the exponents, and the center is that of balanced keys. All device memory; `keys` must not
/// overlap what is written.
///
/// Any legal parameters, strides and addresses give the same bits. It is fast for d of 64 and more
/// if keys, records, indices and centers, with balance signs and exponents, begin at multiples of
/// 16 bytes, key strides are multiples of 8 elements, aligned_bits - 1 + log2 d is at most 23,
/// there is no trellis, records have one part, no copy is wanted, and boundaries and centroids are
/// antisymmetric, as those of every codebook are; write_keys_general() serves the rest. Throws
/// DeviceError for constants out of range, null pointers, copies without constants.unbiased, or
/// 2^32 - 1 rows and more.
void write_keys(Stream& stream, const MacroConstants& constants, const ElementRows& keys,
                const KeyRotations& rotations, const std::uint16_t* center, const WrittenRows& out);

/// The same with one warp per row, in integer arithmetic.
void write_keys_general(Stream& stream, const MacroConstants& constants, const ElementRows& keys,
                        const KeyRotations& rotations, const std::uint16_t* center,
                        const WrittenRows& out);

}  // namespace axelram::kernels
