#pragma once

#include "mutants.hpp"

/// Faults in the unbiased norm. `folded`: products of each lane and a divider of one stage.
inline const std::vector<Mutant>& scale_mutants() {
  static const std::vector<Mutant> all = {
      {"correlation: the last lane left out", "axelram_correlation",
       "(numbers[i*NumberBits+:NumberBits] == NumberBits'(m))",
       "(i != Lanes - 1 && numbers[i*NumberBits+:NumberBits] == NumberBits'(m))", "correlations"},
      {"correlation: the lower half not negated", "axelram_correlation", ": -data_i[i*Bits+:Bits];",
       ": data_i[i*Bits+:Bits];", "correlations"},
      {"correlation: magnitudes of the lower half in reverse", "axelram_correlation",
       ": ~levels_i[i*LevelBits+:NumberBits];", ": levels_i[i*LevelBits+:NumberBits];",
       "correlations"},
      {"correlation: products of inverted elements", "axelram_correlation",
       "products_q[i*ProductBits+:ProductBits] <=\n"
       "              ProductBits'($signed(directed",
       "products_q[(Lanes-1-i)*ProductBits+:ProductBits] <=\n"
       "              ProductBits'($signed(~directed",
       "correlations", true},
      {"correlation: a key begins with the sum of the last", "axelram_correlation",
       "if (row_valid) running_q <= last ? '0 : sum;", "if (row_valid) running_q <= sum;",
       "correlations", true},
      {"divide: the remainder forgotten", "axelram_divide", "sticky_o = remainder != '0",
       "sticky_o = 1'b0", "norms"},
      {"divide: a digit too few", "axelram_divide", "left_q <= CountBits'(QuotientBits - 1);",
       "left_q <= CountBits'(QuotientBits - 2);", "norms", true},
      {"divide: an equal remainder does not fit", "axelram_divide",
       "fits = remainder >= RemBits'(divisor);", "fits = remainder > RemBits'(divisor);", "", true},
      {"scale: WC - 2 becomes WC - 1", "axelram_scale", "+ WordBits - 2 - Bias",
       "+ WordBits - 1 - Bias", "norms"},
      {"scale: the shift of A not in the exponent", "axelram_scale",
       "$signed(ValueExpBits'(correlation_zeros)) -", "ValueExpBits'(0) -", "norms"},
      {"scale: the square sum of the key before", "axelram_scale",
       "waiting_q[read[PlaceBits-1:0]];", "waiting_q[PlaceBits'(read - 1'b1)];", "norms"},
      {"indices: rows a cycle early", "axelram_indices", ".data_i  (data_q)", ".data_i  (data_i)",
       "correlations"},
      {"key_part: the norm of the key before", "axelram_key_part",
       ".LateNorm  (Unbiased || States > 0)", ".LateNorm  (1'b0)", "records", true},
      {"indices: out a cycle early", "axelram_indices", "+ 1 + NormDelay)", "+ NormDelay)",
       "records"},
  };
  return all;
}
