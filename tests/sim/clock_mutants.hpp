#pragma once

#include "mutants.hpp"

/// Faults in the clock gate of a write path.
inline const std::vector<Mutant>& clock_mutants() {
  static const std::vector<Mutant> all = {
      {"pipeline_clock: never stands", "axelram_pipeline_clock",
       "running_o = valid_i || left_q != '0;", "running_o = 1'b1;"},
      {"write_path: a clock for a cycle less", "axelram_write_path", ".Cycles(RecordCycles)",
       ".Cycles(RecordCycles - 1)"},
      {"pipeline_clock: no clock for the beat itself", "axelram_pipeline_clock",
       "running_o = valid_i || left_q != '0;", "running_o = left_q != '0;", "", true},
      {"pipeline_clock: counted from the first beat alone", "axelram_pipeline_clock",
       "else if (valid_i) left_q", "else if (valid_i && left_q == '0) left_q", "", true},
      {"write_path: no clock for queries", "axelram_write_path",
       ".valid_i  (valid_i || sums_valid_i)", ".valid_i  (valid_i && !query_i)"},
      {"pipeline_clock: the gate without the counter", "axelram_pipeline_clock",
       ".en_i (running_o)", ".en_i (valid_i)", "", true},
      {"pipeline_clock: the gate a cycle late", "axelram_pipeline_clock", ".en_i (running_o)",
       ".en_i (left_q != '0)", "", true},
  };
  return all;
}
