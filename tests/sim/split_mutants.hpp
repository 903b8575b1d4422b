#pragma once

#include "mutants.hpp"

/// Faults in a split. `folded`: four lanes behind a code, three bits and one.
inline const std::vector<Mutant>& split_mutants() {
  static const std::vector<Mutant> all = {
      {"align: channels in their own order", "axelram_align", "32'(Order[8*(Lanes*r+i)+:8])",
       "Lanes*r+i", "indices"},
      {"align: the halves swapped", "axelram_align", "32'(Order[8*(Lanes*r+i)+:8])",
       "32'(Order[8*(Lanes*r+(i+Lanes/2)%Lanes)+:8])", "indices"},
      {"align: rows of channels in reverse", "axelram_align",
       "ordered[32'(read_row)*Lanes*16+:Lanes*16];",
       "ordered[32'(RowBits'(Rows - 1) - read_row)*Lanes*16+:Lanes*16];", "indices", true},
      {"hadamard: the last stage not left out", "axelram_hadamard",
       "Distance = (Lanes / Parts) >> (s + 1)", "Distance = Lanes >> (s + 1)", "indices"},
      {"key_path: both parts of the same lanes", "axelram_key_path",
       "row_i[Lanes*RotatedBits-1:PartLanes*RotatedBits]", "row_i[PartLanes*RotatedBits-1:0]",
       "indices"},
      {"key_path: the root of sub-vector 0 for both", "axelram_key_path",
       "signed_key[Lanes*AlignedBits-1:PartLanes*AlignedBits]",
       "signed_key[PartLanes*AlignedBits-1:0]", "thresholds"},
      {"key_path: norms swapped", "axelram_key_path",
       "{second[SecondBits-1-:16], first[FirstBits-1-:16],",
       "{first[FirstBits-1-:16], second[SecondBits-1-:16],", "records"},
      {"key_path: sub-vector 1 in front", "axelram_key_path",
       "second[SecondBits-17:0],\n                       first[FirstBits-17:0]};",
       "first[FirstBits-17:0],\n                       second[SecondBits-17:0]};", "records"},
      {"key_path: events of sub-vector 1 lost", "axelram_key_path",
       "record_events_o = {second_events, first_events};",
       "record_events_o = {2'd0, first_events};"},
      {"status: an event of both sub-vectors counts once", "axelram_status",
       "twice_i[e] ? twice : once", "once"},
      {"key_path: sub-vector 1 does not wait", "axelram_key_path", ".LatestBits  (IndexBits),",
       ".LatestBits  (SplitBits),"},
      {"record_norm: the norm of the key behind", "axelram_record_norm", ".Depth(Late)",
       ".Depth((Late > 0) ? Late - 1 : 0)", "records"},
      {"macro: both norms saturated count once", "axelram_macro", "(Split && stored) ?", "1'b0 ?"},
      {"macro: a key before the rows have left", "axelram_macro", "RowWait = Split ? Rows - 1 : 0;",
       "RowWait = Split ? Rows - 2 : 0;", "", true},
      {"read_path: both parts of the same query", "axelram_read_path",
       "query_i[LoadLanes*QueryBits-1-:PartLoad*QueryBits]", "query_i[PartLoad*QueryBits-1:0]",
       "accumulators"},
      {"read_path: norms of a record swapped", "axelram_read_path",
       "{acc_last_key, second_norm, acc_norm}", "{acc_last_key, acc_norm, second_norm}", "scores"},
      {"second_part: the table of sub-vector 0 not awaited", "axelram_second_part",
       "(table_done_i || table_done_q) && (done || done_q);", "(done || done_q);", "", true},
      {"score_sum: no alignment", "axelram_score_sum", "SumBits'(higher) <<< apart_q;",
       "SumBits'(higher);", "scores"},
      {"interpolate: sub-vector 1 by the words of 0", "axelram_interpolate", ".First(IndicesBits),",
       ".First(0),", "", true},
  };
  return all;
}
