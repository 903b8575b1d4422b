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
};

/// Rounds every row: ALIGN, ROTATE, u_i and e_u (bit-contract.md#read-1). Queries are never
/// centered.
///
/// queries: elements of the constants' format, query heads as their heads; query head h uses the
/// signs of KV head h / group. signs: [heads / group, d], +1 or -1, device memory.
/// events: rejected rows, or null.
/// Throws DeviceError for constants out of range, null pointers, a group that does not divide the
/// heads, u8 with query_bits > 8, or 2^32 - 1 rows and more.
void round_queries(Stream& stream, const MacroConstants& constants, const ElementRows& queries,
                   std::int32_t group, const std::int8_t* signs, const RoundedQueries& out,
                   WriteEvents* events);

}  // namespace axelram::kernels
