#include "axelram/fast.hpp"

#include "axelram/fast_attention.hpp"
#include "axelram/fast_codes.hpp"
#include "axelram/fast_fault.hpp"
#include "axelram/fast_group_sums.hpp"
#include "axelram/fast_int4.hpp"
#include "axelram/fast_kivi.hpp"
#include "axelram/fast_kivi_read.hpp"
#include "axelram/fast_nuq.hpp"
#include "axelram/fast_nuq_read.hpp"
#include "axelram/fast_rows.hpp"
#include "axelram/fast_squat.hpp"
#include "axelram/unit_table.hpp"

namespace axelram {
namespace {

/// The fast unit at the default level, in the shape of its reference.
template <auto unit>
constexpr auto on_default_level =
    [](auto... arguments) { return unit(arguments..., simd_level()); };

std::shared_ptr<const BulkCoder> fast_coder(const Code& code) {
  return std::make_shared<BulkCode>(code);
}

constexpr UnitTable kFast{
    .align = on_default_level<align>,
    .center = on_default_level<center>,
    .square_sum = on_default_level<square_sum>,
    .root = root,
    .norm = norm,
    .rotate = on_default_level<rotate>,
    .quantize = on_default_level<quantize>,
    .encode_trellis = on_default_level<encode_trellis>,
    .trellis_level = trellis_level,
    .encode_feedback = on_default_level<encode_feedback>,
    .correlation = on_default_level<correlation>,
    .unbiased_norm = unbiased_norm,
    .residual = on_default_level<residual>,
    .residual_signs = residual_signs,
    .pack_record = on_default_level<pack_record>,
    .pack_parts = on_default_level<pack_parts>,
    .round_query = on_default_level<round_query>,
    .score_keys = [](const ScoreQuery& query, const std::uint8_t* records, std::size_t count,
                     float* scores,
                     std::int64_t* acc) { return score_keys(query, records, count, scores, acc); },
    .score_parts = on_default_level<score_parts>,
    .accumulate_copy = on_default_level<accumulate_copy>,
    .attend =
        [](const AttentionParameters& attention, const Parameters& parameters,
           const CodebookRom& rom, const std::int8_t* signs, const float* scores,
           const std::uint8_t* records, std::size_t count, AttentionResult* result) {
          attend(attention, parameters, rom, signs, scores, records, count, result);
        },
    .fault_mask = [](const FaultSite& site, std::size_t bits, std::uint64_t threshold,
                     std::uint8_t* mask) { fault_mask(site, bits, threshold, mask); },
    .quantize_int4_row = quantize_int4_row,
    .dequantize_int4_row = dequantize_int4_row,
    .encode_kivi = on_default_level<encode_kivi>,
    .decode_kivi = on_default_level<decode_kivi>,
    .nest_kivi = nest_kivi,
    .encode_squat = on_default_level<encode_squat>,
    .encode_nuq_key = on_default_level<encode_nuq_key>,
    .encode_nuq_value = on_default_level<encode_nuq_value>,
    .decode_nuq = on_default_level<decode_nuq>,
    .score_kivi = on_default_level<score_kivi>,
    .sum_kivi = on_default_level<sum_kivi>,
    .score_nuq = on_default_level<score_nuq>,
    .sum_nuq = on_default_level<sum_nuq>,
    .sum_groups = on_default_level<sum_groups>,
    .dequantize = on_default_level<dequantize>,
    .begin_master = on_default_level<begin_master>,
    .blend = on_default_level<blend>,
    .bulk_coder = fast_coder,
};

}  // namespace

const UnitTable& fast_units() { return kFast; }

}  // namespace axelram
