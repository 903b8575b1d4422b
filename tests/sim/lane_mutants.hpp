#pragma once

#include "mutants.hpp"

/// Faults in a half table. `folded`: over few lanes, with half a row of the table a step.
inline const std::vector<Mutant>& half_table_mutants() {
  static const std::vector<Mutant> all = {
      {"score_table: the upper half negated", "axelram_score_table",
       "negative = Half && !levels_i[(i+1)*LevelBits-1];",
       "negative = Half && levels_i[(i+1)*LevelBits-1];", "accumulators"},
      {"score_table: nothing negated", "axelram_score_table",
       "(entry ^ {EntryBits{negative}}) + EntryBits'(negative);", "entry;", "accumulators"},
      {"score_table: inverted, not negated", "axelram_score_table", "EntryBits'(negative);",
       "EntryBits'(1'b0);", "accumulators"},
      {"score_table: lower levels not mirrored", "axelram_score_table",
       "levels_i[i*LevelBits+:LevelBits] ^ {LevelBits{negative}};",
       "levels_i[i*LevelBits+:LevelBits];", "accumulators"},
      {"score_table: the lower half stored", "axelram_score_table", "First = Levels - Stored;",
       "First = 0;", "accumulators"},
      {"score_table: the last step of a half table left out", "axelram_score_table",
       "group_q == GroupBits'(Groups - 1);", "group_q == GroupBits'(Groups - 2);", "", true},
      {"score_table: a row of the table as long as a whole one", "axelram_score_table",
       "AddressBits'(32'(row_i)*Stored+", "AddressBits'(32'(row_i)*Levels+", "accumulators", true},
  };
  return all;
}

/// Faults in a table of latches. `folded`: half a row of the table a step; else eight rows.
inline const std::vector<Mutant>& latch_mutants() {
  static const std::vector<Mutant> all = {
      {"clock_gate: never open", "axelram_clock_gate", "clk_o = enable_q & clk_i;", "clk_o = 1'b0;",
       "accumulators"},
      {"score_table: a gate opened by the group of another lane", "axelram_score_table",
       "(s / Parts) * LaneGroups + i / Elements;",
       "(s / Parts) * LaneGroups + (ReadLanes - 1 - i) / Elements;", "accumulators", true},
      {"latch_array: entries transparent without a gate", "axelram_latch_array", "if (open)",
       "if (write_i[s])", "accumulators", true},
      {"clock_gate: open in the low phase", "axelram_clock_gate", "enable_q & clk_i;",
       "enable_q & ~clk_i;", "accumulators"},
      {"clock_gate: an enable without a latch", "axelram_clock_gate",
       "always_latch if (!clk_i) enable_q = en_i;", "assign enable_q = en_i;", "accumulators",
       true},
      {"clock_gate: always open", "axelram_clock_gate", "enable_q & clk_i;",
       "(enable_q | 1'b1) & clk_i;", "accumulators", true},
      {"score_table: a gate opened by the other part", "axelram_score_table",
       "32'(part_q) == s % Parts", "32'(part_q) == Parts - 1 - s % Parts", "accumulators", true},
      {"score_table: a gate opened a cycle late", "axelram_score_table",
       "write[s] = build_i && 32'(part_q) == s % Parts &&\n"
       "                          32'(group_q)",
       "write[s] = write_q && 32'(write_part_q) == s % Parts &&\n"
       "                          32'(write_group_q)",
       "accumulators", true},
      {"latch_array: a gate for all steps", "axelram_latch_array", ".en_i (write_i[s]),",
       ".en_i (|write_i),", "accumulators", true},
      {"latch_array: the entry beside", "axelram_latch_array", "word[address_i];",
       "word[address_i^AddressBits'(1)];", "accumulators"},
      {"score_table: the products of another lane", "axelram_score_table",
       "localparam int Product = (r * ReadLanes + i % Elements)",
       "localparam int Product = (r * ReadLanes + (i + 1) % Elements)", "accumulators"},
  };
  return all;
}

/// Faults in the multipliers of read lanes.
inline const std::vector<Mutant>& multiplier_mutants() {
  static const std::vector<Mutant> all = {
      {"score_multiplier: an element unsigned", "axelram_score_multiplier",
       "logic signed [QueryBits-1:0] element;", "logic [QueryBits-1:0] element;", "accumulators"},
      {"score_multiplier: a word unsigned", "axelram_score_multiplier",
       "logic signed [CentroidBits-1:0] word;", "logic [CentroidBits-1:0] word;", "accumulators"},
      {"score_multiplier: the element of another lane", "axelram_score_multiplier",
       "element = elements[i*QueryBits+:QueryBits];",
       "element = elements[((i==3)?2:i)*QueryBits+:QueryBits];", "accumulators"},
      {"score_multiplier: the word of another level", "axelram_score_multiplier",
       "words[levels_i[i*LevelBits+:LevelBits]]",
       "words[levels_i[i*LevelBits+:LevelBits]^LevelBits'(1)]", "accumulators"},
      {"score_multiplier: a product a cycle late", "axelram_score_multiplier",
       "      if (valid_i) product_of_lane_q <= EntryBits'(element) * EntryBits'(word);",
       "      begin\n        late_q <= EntryBits'(element) * EntryBits'(word);\n"
       "        product_of_lane_q <= late_q;\n      end\n    logic [EntryBits-1:0] late_q;",
       "accumulators"},
      {"score_multiplier: every row the first", "axelram_score_multiplier",
       "elements_of_row[row_i]", "elements_of_row[row_i&'0]", "accumulators", true},
      {"score_multiplier: done a cycle late", "axelram_score_multiplier",
       "assign done_o = build_i;",
       "logic build_q;\n  always_ff @(posedge clk_i) build_q <= build_i;\n"
       "  assign done_o = build_i && build_q;"},
      {"score_multiplier: rows of a query in reverse", "axelram_score_multiplier",
       "BufferBits'({query_i, buffer_q} >> (LoadLanes * QueryBits))",
       "BufferBits'({buffer_q, query_i})", "accumulators", true},
  };
  return all;
}
