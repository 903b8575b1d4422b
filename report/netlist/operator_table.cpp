#include "netlist/tables.hpp"

namespace axelram::report {
namespace {

using O = Operand;

/// Rows of the shifters with rounding of a query, of a copy, or of a residual.
void add_rounders(const char* line, const char* under, std::vector<OperatorRow>* rows) {
  const char* module = "axelram_query_rounding";
  rows->insert(rows->end(),
               {{line, module, "$neg", {.part = "magnitude", .under = under}},
                {line, module, "$sshr", {.part = "shift", .under = under}},
                {line,
                 module,
                 "$add",
                 {.part = "round", .under = under, .operand = O::constant, .least_width = 13}},
                {line, module, "$gt", {.part = "upper limit", .under = under}},
                {line, module, "$lt", {.part = "lower limit", .under = under}}});
}

std::vector<OperatorRow> all_rows() {
  // Least widths leave out counters, which are narrower.
  std::vector<OperatorRow> rows = {
      // ---- Both paths: alignment and rotation
      {"aligners", "axelram_align", "$sub", {.part = "difference"}},
      {"aligners", "axelram_align", "$gt", {.part = "limit", .operand = O::constant}},
      {"aligners", "axelram_align", "$shr", {.part = "shift"}},
      {"aligners",
       "axelram_align",
       "$add",
       {.part = "round", .operand = O::constant, .least_width = 12}},
      {"aligners", "axelram_align", "$neg", {.part = "sign"}},
      {"exponent_comparators", "axelram_maximum", "$gt"},
      {"exponent_comparators", "axelram_align", "$gt", {.operand = O::variable}},
      {"exponent_comparators", "axelram_align", "$lt", {.operand = O::variable}},
      {"exponent_adders", "axelram_align", "$add", {.part = "places", .operand = O::variable}},
      {"center_subtractors", "axelram_center", "$sub"},
      {"sign_negators", "axelram_sign_flip", "$neg"},
      {"butterflies", "axelram_hadamard", "$add", {.part = "sum", .operand = O::variable}},
      {"butterflies", "axelram_hadamard", "$sub", {.part = "difference"}},
      {"order_multiplexers",
       "axelram_align",
       "memory",
       {.name = "buffer_q", .keys = Keys::split, .measure = Measure::reads}},

      // ---- Write path
      {"comparators", "axelram_quantizer", "$gt"},
      {"index_adders", "axelram_quantizer", "$add"},
      {"squarers", "axelram_square_sum", "$mul", {.operand = O::square}},
      {"square_sum_adders", "axelram_adder_tree", "$add", {.under = "u_square_sum"}},
      {"square_sum_adders", "axelram_square_sum", "$add"},
      {"square_root_stages", "axelram_square_root", "$ge", {.part = "compare"}},
      {"square_root_stages",
       "axelram_square_root",
       "$sub",
       {.part = "subtract", .least_width = 12}},
      {"square_roots", "axelram_square_root", "module", {.keys = Keys::split}},
      {"threshold_multipliers", "axelram_scaled_words", "$mul", {.under = "u_thresholds"}},
      {"threshold_adders",
       "axelram_scaled_words",
       "$add",
       {.under = "u_thresholds", .operand = O::variable}},
      {"reconstruction_multipliers",
       "axelram_scaled_words",
       "$mul",
       {.under = "u_reconstructions"}},
      {"reconstruction_adders",
       "axelram_scaled_words",
       "$add",
       {.under = "u_reconstructions", .operand = O::variable}},

      // ---- Unbiased norm
      {"correlation_multipliers", "axelram_correlation", "$mul"},
      {"correlation_negators", "axelram_correlation", "$neg"},
      {"correlation_adders", "axelram_adder_tree", "$add", {.under = "u_correlation"}},
      {"correlation_adders", "axelram_correlation", "$add"},
      {"correlation_multipliers", "axelram_branches", "$mul", {.name = "product_q"}},
      {"correlation_adders", "axelram_survivors", "$add", {.name = "path_sum"}},
      {"divider_stages", "axelram_divide", "$ge", {.part = "compare"}},
      {"divider_stages", "axelram_divide", "$sub", {.part = "subtract", .least_width = 12}},

      // ---- Trellis
      {"distance_subtractors", "axelram_branches", "$sub"},
      {"distance_subtractors", "axelram_branches", "$add", {.name = "difference"}},
      {"distance_negators", "axelram_branches", "$neg"},
      {"nearest_comparators", "axelram_branches", "$lt"},
      {"cost_multipliers", "axelram_branches", "$shr", {.part = "shift"}},
      {"cost_multipliers", "axelram_branches", "$add", {.part = "round", .name = "delta_q"}},
      {"cost_multipliers", "axelram_branches", "$mul", {.part = "square", .operand = O::square}},
      {"path_adders", "axelram_survivors", "$add", {.name = "path"}},
      {"path_comparators", "axelram_survivors", "$lt"},
      {"level_xors", "axelram_subset", "$xor", {.under = "u_level"}},

      {"write_clock_gates", "axelram_clock_gate", "module", {.under = "u_write_path"}},

      // ---- Residual and second pass
      {"residual_subtractors", "axelram_residual", "$sub", {.name = "difference_q"}},
      {"residual_adders", "axelram_residual", "$add", {.name = "difference_q"}},
      {"second_pass_selections",
       "axelram_rotate",
       "$mux",
       {.name = "entering", .measure = Measure::bits}},

      // ---- Read path
      {"table_multipliers", "axelram_score_table", "$mul"},
      {"wide_multipliers", "axelram_score_table", "$mul", {.name = "wide_q"}},
      {"table_memories", "axelram_score_table", "memory", {.name = "entry_q"}},
      {"table_memories", "axelram_latch_array", "module"},
      {"table_clock_gates", "axelram_clock_gate", "module", {.under = "u_read_path"}},
      {"lane_negators", "axelram_score_table", "$add", {.name = "product_of_lane_q"}},
      {"lane_multipliers", "axelram_score_multiplier", "$mul"},
      {"adders", "axelram_adder_tree", "$add", {.under = "u_accumulate"}},
      {"adder_trees", "axelram_accumulate", "module", {.keys = Keys::split}},
      {"score_accumulators", "axelram_accumulate", "$add"},
      {"copy_adders", "axelram_adder_tree", "$add", {.under = "u_exact"}},
      {"copy_adders", "axelram_exact_score", "$add", {.name = "total"}},
      {"sign_ands", "axelram_sign_sum", "$and", {.measure = Measure::bits}},
      {"sign_adders", "axelram_adder_tree", "$add", {.under = "u_sign_sum"}},
      {"sign_adders", "axelram_sign_sum", "$add", {.operand = O::variable}},
      {"sign_subtractors", "axelram_sign_sum", "$sub"},
      {"norm_multipliers", "axelram_score", "$mul"},
      {"norm_multipliers", "axelram_score_sum", "$mul", {.name = "first_product_q"}},
      {"norm_multipliers",
       "axelram_score_sum",
       "$mul",
       {.name = "second_product_q", .keys = Keys::split}},
      {"second_norm_multipliers",
       "axelram_score_sum",
       "$mul",
       {.name = "second_product_q", .keys = Keys::prod}},
      {"factor_multipliers",
       "axelram_score_sum",
       "$mul",
       {.name = "second_term_q", .operand = O::constant}},
      {"term_shifters", "axelram_score_sum", "$sshl"},
      {"term_adders", "axelram_score_sum", "$add", {.name = "sum_q"}},
      {"float_rounders", "axelram_float_round", "module", {.part = "unit"}},
      {"float_rounders", "axelram_float_round", "$shr", {.part = "shift"}},

      // ---- Key store behind a code
      {"index_interpolation_adders", "axelram_repair_indices", "$add"},
      {"norm_interpolation_shifters", "axelram_repair_norm", "$shl"},
      {"norm_interpolation_adders", "axelram_repair_norm", "$add"},
  };
  add_rounders("query_rounders", "u_query_rounding", &rows);
  add_rounders("copy_rounders", "u_copy_rounding", &rows);
  add_rounders("residual_rounders", "u_residual.u_rounding", &rows);
  return rows;
}

}  // namespace

const std::vector<OperatorRow>& operator_rows() {
  static const std::vector<OperatorRow> rows = all_rows();
  return rows;
}

}  // namespace axelram::report
