#pragma once

#include "axelram/align.hpp"
#include "axelram/center.hpp"
#include "axelram/fast.hpp"
#include "axelram/hadamard.hpp"
#include "axelram/macro.hpp"
#include "axelram/norm.hpp"
#include "axelram/quantizer.hpp"
#include "axelram/query_rounding.hpp"
#include "axelram/record.hpp"

namespace axelram {

/// score_keys out of the reference units; query rounded.
std::size_t score_keys_ref(const ScoreQuery& query, const std::uint8_t* records, std::size_t count,
                           float* scores, std::int64_t* acc);

/// The units of a macro that exist twice.
struct UnitTable {
  decltype(&align_ref) align;
  decltype(&center_ref) center;
  decltype(&square_sum_ref) square_sum;
  decltype(&root_ref) root;
  decltype(&norm_ref) norm;
  decltype(&rotate_ref) rotate;
  decltype(&quantize_ref) quantize;
  decltype(&pack_record_ref) pack_record;
  decltype(&round_query_ref) round_query;
  decltype(&score_keys_ref) score_keys;
};

const UnitTable& unit_table(Units units);

}  // namespace axelram
