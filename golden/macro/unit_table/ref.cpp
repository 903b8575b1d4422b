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

constexpr UnitTable kReference{align_ref,
                               center_ref,
                               square_sum_ref,
                               root_ref,
                               norm_ref,
                               rotate_ref,
                               quantize_ref,
                               encode_trellis_ref,
                               trellis_level_ref,
                               encode_feedback_ref,
                               correlation_ref,
                               unbiased_norm_ref,
                               residual_ref,
                               residual_signs_ref,
                               pack_record_ref,
                               pack_parts_ref,
                               round_query_ref,
                               score_keys_ref,
                               score_parts_ref,
                               accumulate_copy_ref,
                               attend_ref,
                               fault_mask_ref,
                               quantize_int4_row_ref,
                               dequantize_int4_row_ref,
                               encode_kivi_ref,
                               decode_kivi_ref,
                               nest_kivi_ref,
                               encode_squat_ref,
                               encode_nuq_key_ref,
                               encode_nuq_value_ref,
                               decode_nuq_ref,
                               score_kivi_ref,
                               sum_kivi_ref,
                               score_nuq_ref,
                               sum_nuq_ref,
                               sum_groups_ref,
                               dequantize_ref,
                               begin_master_ref,
                               blend_ref,
                               reference_coder};

}  // namespace

const UnitTable& reference_units() { return kReference; }

}  // namespace axelram
