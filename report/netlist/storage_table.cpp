#include "netlist/tables.hpp"

namespace axelram::report {

const std::vector<StorageRow>& storage_rows() {
  static const std::vector<StorageRow> rows = {
      // ---- Key store, and its codewords
      {"key_store_bits", "axelram_sram_1r1w", "u_store.u_memory", "memory_q"},
      {"key_store_output_bits", "axelram_sram_1r1w", "u_store.u_memory", "data_o"},
      {"injection_register_bits", "axelram_inject", "", "read_mask_q write_mask_q mode_q"},
      {"decoded_register_bits", "axelram_protected_store", "", "corrected status"},
      {"interpolation_bits", "axelram_interpolate", "",
       "before_q now_q after_q before_erased_q now_erased_q after_erased_q"},
      {"repaired_record_bits", "axelram_repair_indices", "", "indices_o"},
      {"repaired_record_bits", "axelram_interpolate", "", "signs_q"},
      {"repaired_record_bits", "axelram_pipeline", "u_interpolate.u_late", "data_q"},
      {"repaired_record_bits", "axelram_repair_norm", "", "norm_q"},
      {"repaired_record_bits", "axelram_pipeline", "u_norm.u_late", "data_q"},
      {"code_counter_bits", "axelram_code_status", "",
       "count_q first_address_o first_valid_o words_q"},

      // ---- Both paths
      {"align_buffer_bits", "axelram_align", "", "buffer_q"},
      {"hadamard_delay_bits", "axelram_delay_line", "u_hadamard", "buffer_q data_q"},
      {"hadamard_pipeline_bits", "axelram_hadamard", "", "out_q sum_q"},
      {"row_delay_bits", "axelram_delay_line", "u_row_delay", "buffer_q data_q"},
      {"row_delay_bits", "axelram_row_delay", "u_row_delay", "data_o"},

      // ---- Write path
      {"write_clock_bits", "axelram_pipeline_clock", "", "left_q"},
      {"write_enable_bits", "axelram_clock_gate", "u_write_path", "enable_q", true},
      {"square_root_bits", "axelram_square_root", "", "state_q"},
      {"record_register_bits", "axelram_record", "", "indices_q norm_q"},
      {"record_input_bits", "axelram_record_input", "", "record_q earlier_q"},
      {"index_delay_bits", "axelram_delay_line", "u_indices.u_delay", "buffer_q data_q"},
      {"index_delay_bits", "axelram_row_delay", "u_indices.u_delay", "data_o"},
      {"index_delay_bits", "axelram_pipeline", "u_record_norm.u_late", "data_q"},
      {"square_sum_delay_bits", "axelram_scale", "", "waiting_q"},
      {"divider_bits", "axelram_divide", "", "state_q tag_q"},
      {"survivor_memory_bits", "axelram_sram_1r1w", "u_trellis.u_memory", "memory_q"},
      {"element_register_bits", "axelram_trellis", "", "row_q waiting_q"},
      {"path_register_bits", "axelram_survivors", "", "cost_q sum_q kept_cost_q kept_sum_q"},
      {"residual_delay_bits", "axelram_delay_line", "u_residual.u_delay", "buffer_q data_q"},
      {"residual_delay_bits", "axelram_row_delay", "u_residual.u_delay", "data_o"},
      {"residual_register_bits", "axelram_residual", "", "row_q difference_q signs_q"},
      {"residual_register_bits", "axelram_query_rounding", "u_residual.u_rounding", "query_o"},

      // ---- Read path
      {"query_buffer_bits", "axelram_score_table", "", "buffer_q"},
      {"query_buffer_bits", "axelram_score_multiplier", "", "buffer_q"},
      {"table_bits", "axelram_score_table", "", "entry_q"},
      {"table_bits", "axelram_latch_array", "", "entry_q", true},
      {"table_enable_bits", "axelram_clock_gate", "u_read_path", "enable_q", true},
      {"second_query_buffer_bits", "axelram_sign_sum", "", "buffer_q"},
      {"selected_register_bits", "axelram_sign_sum", "", "selected_q"},
      {"term_register_bits", "axelram_score_sum", "",
       "first_product_q second_product_q first_term_q second_term_q higher_q lower_q sum_q "
       "magnitude_q"},
      {"score_fifo_bits", "axelram_score_fifo", "u_score_fifo", "buffer_q"},

      // ---- Exact tokens
      {"copy_memory_bits", "axelram_sram_1r1w", "u_exact.u_store.u_copy_memory.u_sram", "memory_q"},
      {"copy_exponent_bits", "axelram_sram_1r1w", "u_exact.u_store.u_copy_memory.u_exponents",
       "memory_q"},
      {"copy_memory_output_bits", "axelram_sram_1r1w", "u_exact.u_store.u_copy_memory", "data_o"},
      {"copy_rounding_bits", "axelram_query_rounding", "u_copy_rounding",
       "query_o exponent_o row_or_q vector_or_q"},
      {"copy_shift_bits", "axelram_query_rounding", "u_copy_rounding", "shifts_q exponents_q"},
      {"waiting_accumulator_bits", "axelram_exact_score", "", "waiting_q"},
      {"copy_flag_bits", "axelram_exact_store", "", "copied_q"},
      {"copy_flag_bits", "axelram_score_fifo", "u_control.u_fifo", "buffer_q"},

      // ---- Memories without a line of their own
      {"other_memory_bits", "axelram_query_rounding", "u_query_rounding", "shifts_q exponents_q"},
      {"other_memory_bits", "axelram_query_rounding", "u_residual.u_rounding",
       "shifts_q exponents_q"},
      {"other_memory_bits", "axelram_score_fifo", "u_record_norm.u_norms", "buffer_q"},
      {"other_memory_bits", "axelram_golay_rom", "", ""},
  };
  return rows;
}

}  // namespace axelram::report
