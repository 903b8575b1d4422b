#pragma once

#include <memory>

#include "axelram/align.hpp"
#include "axelram/attention.hpp"
#include "axelram/blend.hpp"
#include "axelram/center.hpp"
#include "axelram/codewords.hpp"
#include "axelram/dequantize.hpp"
#include "axelram/exact.hpp"
#include "axelram/fault.hpp"
#include "axelram/feedback.hpp"
#include "axelram/group_sums.hpp"
#include "axelram/hadamard.hpp"
#include "axelram/int4_row.hpp"
#include "axelram/kivi.hpp"
#include "axelram/kivi_read.hpp"
#include "axelram/norm.hpp"
#include "axelram/nuq.hpp"
#include "axelram/nuq_read.hpp"
#include "axelram/quantizer.hpp"
#include "axelram/query_rounding.hpp"
#include "axelram/record.hpp"
#include "axelram/residual.hpp"
#include "axelram/scale.hpp"
#include "axelram/score.hpp"
#include "axelram/squat.hpp"
#include "axelram/trellis.hpp"

namespace axelram {

/// Units that have a reference and a fast twin. A macro, a datapath and a key store are built from
/// a table; the results are the same with both tables.
struct UnitTable {
  decltype(&align_ref) align;
  decltype(&center_ref) center;
  decltype(&square_sum_ref) square_sum;
  decltype(&root_ref) root;
  decltype(&norm_ref) norm;
  decltype(&rotate_ref) rotate;
  decltype(&quantize_ref) quantize;
  decltype(&encode_trellis_ref) encode_trellis;
  decltype(&trellis_level_ref) trellis_level;
  decltype(&encode_feedback_ref) encode_feedback;
  decltype(&correlation_ref) correlation;
  decltype(&unbiased_norm_ref) unbiased_norm;
  decltype(&residual_ref) residual;
  decltype(&residual_signs_ref) residual_signs;
  decltype(&pack_record_ref) pack_record;
  decltype(&pack_parts_ref) pack_parts;
  decltype(&round_query_ref) round_query;
  decltype(&score_keys_ref) score_keys;
  decltype(&score_parts_ref) score_parts;
  decltype(&accumulate_copy_ref) accumulate_copy;
  decltype(&attend_ref) attend;
  decltype(&fault_mask_ref) fault_mask;
  decltype(&quantize_int4_row_ref) quantize_int4_row;
  decltype(&dequantize_int4_row_ref) dequantize_int4_row;
  decltype(&encode_kivi_ref) encode_kivi;
  decltype(&decode_kivi_ref) decode_kivi;
  decltype(&nest_kivi_ref) nest_kivi;
  decltype(&encode_squat_ref) encode_squat;
  decltype(&encode_nuq_key_ref) encode_nuq_key;
  decltype(&encode_nuq_value_ref) encode_nuq_value;
  decltype(&decode_nuq_ref) decode_nuq;
  decltype(&score_kivi_ref) score_kivi;
  decltype(&sum_kivi_ref) sum_kivi;
  decltype(&score_nuq_ref) score_nuq;
  decltype(&sum_nuq_ref) sum_nuq;
  decltype(&sum_groups_ref) sum_groups;
  decltype(&dequantize_ref) dequantize;
  decltype(&begin_master_ref) begin_master;
  decltype(&blend_ref) blend;
  std::shared_ptr<const BulkCoder> (*bulk_coder)(const Code& code);
};

/// The *_ref units, which define the results.
const UnitTable& reference_units();

}  // namespace axelram
