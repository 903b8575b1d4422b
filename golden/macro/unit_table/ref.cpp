#include "axelram/unit_table.hpp"

namespace axelram {
namespace {

class ReferenceCoder final : public BulkCoder {
 public:
  explicit ReferenceCoder(const Code& code) : code_(code) {}

  void encode(const std::uint8_t* data, std::size_t bits, std::uint8_t* codewords) const override {
    encode_bulk_ref(code_, data, bits, codewords);
  }
  DecodeCounts decode(const std::uint8_t* codewords, std::size_t bits, std::uint8_t* data,
                      std::uint8_t* statuses) const override {
    return decode_bulk_ref(code_, codewords, bits, data, statuses);
  }
  std::uint64_t correct(std::uint8_t* codewords, std::size_t bits) const override {
    return correct_bulk_ref(code_, codewords, bits);
  }

 private:
  Code code_;
};

std::shared_ptr<const BulkCoder> reference_coder(const Code& code) {
  return std::make_shared<ReferenceCoder>(code);
}

constexpr UnitTable kReference{
    .align = align_ref,
    .center = center_ref,
    .square_sum = square_sum_ref,
    .root = root_ref,
    .norm = norm_ref,
    .rotate = rotate_ref,
    .quantize = quantize_ref,
    .encode_trellis = encode_trellis_ref,
    .trellis_level = trellis_level_ref,
    .encode_feedback = encode_feedback_ref,
    .correlation = correlation_ref,
    .unbiased_norm = unbiased_norm_ref,
    .residual = residual_ref,
    .residual_signs = residual_signs_ref,
    .pack_record = pack_record_ref,
    .pack_parts = pack_parts_ref,
    .round_query = round_query_ref,
    .score_keys = score_keys_ref,
    .score_parts = score_parts_ref,
    .accumulate_copy = accumulate_copy_ref,
    .attend = attend_ref,
    .fault_mask = fault_mask_ref,
    .quantize_int4_row = quantize_int4_row_ref,
    .dequantize_int4_row = dequantize_int4_row_ref,
    .encode_kivi = encode_kivi_ref,
    .decode_kivi = decode_kivi_ref,
    .nest_kivi = nest_kivi_ref,
    .encode_squat = encode_squat_ref,
    .encode_nuq_key = encode_nuq_key_ref,
    .encode_nuq_value = encode_nuq_value_ref,
    .decode_nuq = decode_nuq_ref,
    .score_kivi = score_kivi_ref,
    .sum_kivi = sum_kivi_ref,
    .score_nuq = score_nuq_ref,
    .sum_nuq = sum_nuq_ref,
    .sum_groups = sum_groups_ref,
    .dequantize = dequantize_ref,
    .begin_master = begin_master_ref,
    .blend = blend_ref,
    .bulk_coder = reference_coder,
};

}  // namespace

const UnitTable& reference_units() { return kReference; }

}  // namespace axelram
