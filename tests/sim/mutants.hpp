#pragma once

#include <cctype>
#include <string>
#include <vector>

/// One planted fault: `from` in rtl/<module>.sv, which must occur exactly once, becomes `to`.
/// Spaces and line ends do not matter.
struct Mutant {
  std::string name;
  std::string module;
  std::string from;
  std::string to;
  std::string tensor = "";  ///< result tensor of the faulty stage; empty: none
  bool folded = false;      ///< planted in the folded configuration, which uses the faulty code
};

/// Puts `to` in the place of `from`; returns how often `from` occurs, and does so only if once.
inline int replace_once(std::string* text, const std::string& from, const std::string& to) {
  std::string dense, wanted;
  std::vector<std::size_t> places;  // of the characters of `dense`
  for (std::size_t i = 0; i < text->size(); ++i) {
    if (std::isspace(static_cast<unsigned char>((*text)[i])) != 0) continue;
    dense += (*text)[i];
    places.push_back(i);
  }
  for (const char c : from)
    if (std::isspace(static_cast<unsigned char>(c)) == 0) wanted += c;
  int count = 0;
  std::size_t found = 0;
  for (std::size_t at = dense.find(wanted); at != std::string::npos;
       at = dense.find(wanted, at + 1)) {
    found = at;
    ++count;
  }
  if (count == 1)
    text->replace(places[found], places[found + wanted.size() - 1] + 1 - places[found], to);
  return count;
}

inline const std::vector<Mutant>& write_path_mutants() {
  static const std::vector<Mutant> all = {
      {"align: truncated instead of rounded", "axelram_align", "magnitude = magnitude + 1'b1;",
       "magnitude = magnitude;"},
      {"align: subnormal exponent off by one", "axelram_align",
       "(field == '0) ? PlaceBits'(1) : PlaceBits'(field)", "PlaceBits'(field)", "records"},
      {"align: half rounds away instead of to even", "axelram_align",
       "(placed[SigBits] || placed[SigBits-2:0] != '0)", "1'b1"},
      {"align: NaN accepted", "axelram_align", "special = largest == '1;", "special = 1'b0;"},
      {"sign_flip: signs ignored", "axelram_sign_flip", "signs[i] ? -", "1'b0 ? -", "indices"},
      {"hadamard: a butterfly's sign", "axelram_hadamard", "sum_q <= other - own;",
       "sum_q <= own - other;", "indices"},
      {"hadamard: swapped lanes", "axelram_hadamard", "g_stage[s-1].g_lane[i].sum_q;",
       "g_stage[s-1].g_lane[i^1].sum_q;", "indices"},
      {"hadamard: delay feedback subtracts the wrong way", "axelram_hadamard",
       "(Bits + 1)'($signed(line_out[i*(Bits+1)+:Bits+1])) -",
       "(Bits + 1)'(0) - (Bits + 1)'($signed(line_out[i*(Bits+1)+:Bits+1])) +", "indices", true},
      {"square_sum: a dropped lane", "axelram_square_sum", "for (int i = 0; i < Lanes; i++)",
       "for (int i = 0; i < Lanes - 1; i++)", "norms"},
      {"square_sum: rows not accumulated", "axelram_square_sum", "running_q <= last ? '0 : sum;",
       "running_q <= '0;", "norms", true},
      {"square_root: floor instead of nearest", "axelram_square_root",
       "root_floor + RootBits'(remainder > RemBits'(root_floor))", "root_floor", "thresholds"},
      {"norm: a wrong exponent", "axelram_norm", "(FieldBits + 2)'(Bias + SigBits - 2)",
       "(FieldBits + 2)'(Bias + SigBits - 1)", "norms"},
      {"float_round: rounding dropped", "axelram_float_round",
       "+ (OutExpBits+OutFracBits)'(round_up)", "", "norms"},
      {"float_round: saturation lost", "axelram_float_round", "else if (above) float_o",
       "else if (1'b0) float_o", "norms"},
      {"quantizer: a tie takes the upper index", "axelram_quantizer",
       "32'(element) > $signed(limits[j*32+:32])", "32'(element) >= $signed(limits[j*32+:32])",
       "indices"},
      {"scaled_words: threshold rounded up", "axelram_scaled_words", ">>> FractionBits)",
       ">>> FractionBits) + 32'sd1", "thresholds"},
      {"codebook_rom: a boundary off by one", "axelram_codebook_rom", "20'h01005", "20'h01006",
       "thresholds"},
      {"record: rows packed in reverse", "axelram_record",
       "(HeadDim * IndexBits)'({indices_i, indices_q} >> (Lanes * IndexBits))",
       "(HeadDim * IndexBits)'({indices_q, indices_i})", "records", true},
      {"key_store: a stuck address bit", "axelram_key_store", "AddressBits'(count_q)",
       "AddressBits'(count_q) & ~AddressBits'(1)", "records"},
      {"key_store: a full store overwrites", "axelram_key_store", "stored_o = valid_i && !full_o",
       "stored_o = valid_i"},
  };
  return all;
}

inline const std::vector<Mutant>& read_path_mutants() {
  static const std::vector<Mutant> all = {
      {"query_rounding: truncated instead of rounded", "axelram_query_rounding",
       "rounded = rounded + 1'b1;", "rounded = rounded;", "rotated_queries"},
      {"query_rounding: saturation lost", "axelram_query_rounding",
       "if (rounded > Most) rounded = Most;", ""},
      {"query_rounding: shift not in the exponent", "axelram_query_rounding",
       " +\n          $signed(12'(late_shift))", "", "query_exponents"},
      {"score_table: a stale table", "axelram_score_table", "if (write_q)",
       "if (write_q && i != 5)", "accumulators"},
      {"score_table: an entry unsigned", "axelram_score_table",
       "logic signed [QueryBits-1:0] element;", "logic [QueryBits-1:0] element;", "accumulators"},
      {"adder_tree: a dropped carry", "axelram_adder_tree", "sum_q <= a + b;", "sum_q <= (a ^ b);",
       "accumulators"},
      {"accumulate: rows of a key not accumulated", "axelram_accumulate",
       "running_q <= last ? '0 : total;", "running_q <= '0;", "accumulators", true},
      {"score: norm of the wrong key", "axelram_read_path",
       "products_norms_q <= record_i[RecordBits-1-:16*Norms];",
       "if (!last_key_i) products_norms_q <= record_i[RecordBits-1-:16*Norms];", "scores"},
      {"score: subnormal norms misread", "axelram_score", "(acc_norm_q[14:10] == '0) ? -6'sd24",
       "(acc_norm_q[14:10] == '0) ? -6'sd25", "scores"},
      {"score: sign lost", "axelram_score",
       "acc[MostBits-1] && (acc_copied_q || acc_norm_q[14:0] != '0)", "1'b0", "scores"},
      // Streams and control.
      {"control: a lost stall", "axelram_control", "(read_row_q != '0 || (free_i && copy_ready_i))",
       "1'b1"},
      {"control: ready inside a query", "axelram_control",
       "state_q == StAccept && ready_i && !record_waits_i",
       "state_q != StBuild && !record_waits_i"},
      {"control: the last key skipped", "axelram_control", "== count_i - 1'b1",
       "== count_i - ((count_i > CountBits'(1)) ? CountBits'(2) : CountBits'(1))"},
      {"control: reset forgets nothing", "axelram_key_store", "if (!rst_ni) count_q <= '0;",
       "if (!rst_ni) count_q <= count_q;"},
      {"control: a waiting clear does not hold back vectors", "axelram_control",
       " &&\n      !(clear_waits_q && between)", ""},
      {"control: a clear inside a vector", "axelram_control",
       "ready_i && clear_waits_q && between &&", "ready_i && clear_waits_q &&", "", true},
      {"control: busy stuck low", "axelram_control",
       "busy_o = !ready_i || state_q != StAccept || !between || in_flight_q != '0",
       "busy_o = 1'b0"},
      {"control: done without a query", "axelram_control", "query_done_o <= finish;",
       "query_done_o <= finish || clear_o;"},
      {"control: ready depends on the clear of the same cycle", "axelram_control",
       "!(clear_waits_q && between)", "!(clear_valid_i && between)"},
      {"reset_sync: release not synchronised", "axelram_reset_sync", "assign rst_no = sync_q[1];",
       "assign rst_no = rst_ni;"},
      {"score_fifo: valid comes and goes", "axelram_score_fifo",
       "assign valid_o = write_q != read_q;",
       "assign valid_o = write_q != read_q && !reserved_q[0];"},
      {"score_fifo: valid withdrawn", "axelram_score_fifo", "assign valid_o = write_q != read_q;",
       "assign valid_o = write_q != read_q && ready_i;"},
      {"score_fifo: data changes while held", "axelram_score_fifo",
       "data_o  = buffer_q[read_q[AddressBits-1:0]]",
       "data_o  = buffer_q[read_q[AddressBits-1:0] + AddressBits'(!ready_i)]"},
      {"status: counter stuck", "axelram_status", "count_q + CounterBits'(1);", "count_q;"},
      {"status: an event lost in the cycle of a clear", "axelram_status",
       "twice_i[e] ? CounterBits'(2) : CounterBits'(event_i[e]);", "'0;"},
      {"delay_line: one cycle short", "axelram_row_delay", ".Depth(Depth - 1)", ".Depth(Depth - 2)",
       "indices"},
  };
  return all;
}
