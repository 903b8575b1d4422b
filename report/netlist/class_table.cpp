#include "netlist/tables.hpp"

namespace axelram::report {

const std::vector<ClassLine>& class_lines() {
  static const std::vector<ClassLine> lines = {
      {"index_arithmetic", "$add, $sub and $neg that lead to addresses and part selects alone"},
      {"part_selects", "$shift and $shiftx: multiplexers, by an index"},
      {"constant_additions", "$add and $sub of a constant: counters, biases of exponents"},
      {"constant_comparisons", "of a constant: ends of counters, limits"},
      {"exponent_arithmetic", "$add and $sub of exponents"},
      {"float_arithmetic", "in float rounders and square roots; sign and magnitude of scores"},
      {"code_arithmetic", "counts of codewords; weights in the Golay decoder"},
      {"control_arithmetic", "keys, records and copies under way; event counters"},
  };
  return lines;
}

const std::vector<ClassRow>& class_rows() {
  static const std::vector<ClassRow> rows = {
      {"exponent_arithmetic", "axelram_query_rounding", "$add"},
      {"exponent_arithmetic", "axelram_exact_score", "$add"},
      {"exponent_arithmetic", "axelram_scale", "$add $sub"},
      {"exponent_arithmetic", "axelram_score", "$add"},
      {"exponent_arithmetic", "axelram_second_pass", "$add"},
      {"float_arithmetic", "axelram_square_root", "$add $gt"},
      {"float_arithmetic", "axelram_float_round", "$add $sub $gt $lt"},
      {"float_arithmetic", "axelram_score", "$neg"},
      {"float_arithmetic", "axelram_score_sum", "$add $sub $neg"},
      {"code_arithmetic", "axelram_code_status", "$add"},
      {"code_arithmetic", "axelram_golay_algebraic_decoder", "$add $le"},
      {"control_arithmetic", "axelram_control", "$add $sub"},
      {"control_arithmetic", "axelram_record_input", "$add $sub"},
      {"control_arithmetic", "axelram_status", "$add"},
      {"control_arithmetic", "axelram_exact_store", "$add $sub $ge $le $lt"},
      {"control_arithmetic", "axelram_scrubber", "$lt"},
  };
  return rows;
}

}  // namespace axelram::report
