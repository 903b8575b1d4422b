#pragma once

#include <cstdint>

#include "axelram/kernels/constants.hpp"
#include "axelram/kernels/device.hpp"
#include "axelram/kernels/rows.hpp"
#include "axelram/kernels/write.hpp"

namespace axelram::kernels {

/// Output of round_queries, in device memory, by row number; null pointers are skipped. A rejected
/// row becomes zeros.
struct RoundedQueries {
  std::int32_t* u = nullptr;          ///< [rows, d]
  std::int8_t* u8 = nullptr;          ///< [rows, d], only if query_bits <= 8
  std::int32_t* exponents = nullptr;  ///< [rows] e_u
  // With the kind prod (bit-contract.md#residual-5).
  std::int32_t* v = nullptr;                   ///< [rows, d]
  std::int8_t* v8 = nullptr;                   ///< [rows, d], only if query_bits <= 8
  std::int32_t* residual_exponents = nullptr;  ///< [rows] e_v
};

/// Rounds every row: BALANCE if constants.balanced, ALIGN, ROTATE, u_i and e_u
/// (bit-contract.md#exponents, bit-contract.md#read-1); with a split u_i of sub-vector 0 first
/// (bit-contract.md#split). Queries are never centered.
///
/// queries: elements of the constants' format, query heads as their heads; query head h uses the
/// rotation of KV head h / group.
/// events: rejected rows, or null.
/// Throws DeviceError for constants out of range, null pointers, a group that does not divide the
/// heads, u8 or v8 with query_bits > 8, or 2^32 - 1 rows and more.
void round_queries(Stream& stream, const MacroConstants& constants, const ElementRows& queries,
                   std::int32_t group, const KeyRotations& rotations, const RoundedQueries& out,
                   WriteEvents* events);

}  // namespace axelram::kernels
