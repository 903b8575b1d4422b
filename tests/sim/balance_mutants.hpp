#pragma once

#include "mutants.hpp"

/// Faults in balance exponents. `folded`: four lanes, a center, a trellis and exact tokens.
inline const std::vector<Mutant>& balance_mutants() {
  static const std::vector<Mutant> all = {
      {"align: queries take the power of keys", "axelram_align",
       "value ? 4'd8 : query ? raised : ~raised", "value ? 4'd8 : ~raised", "query_exponents"},
      {"align: keys not balanced", "axelram_align", "value ? 4'd8 : query ? raised : ~raised",
       "value ? 4'd8 : query ? raised : 4'd7", "indices"},
      {"align: exponents without a sign", "axelram_align", "raised = exponent ^ 4'd8;",
       "raised = exponent;", "norms"},
      {"macro: signs as exponents", "axelram_macro", "signs_i[ChannelBits-1-:4*HeadDim]",
       "{4{signs_i[HeadDim-1:0]}}", "indices"},
      {"align: the largest place without exponents", "axelram_align",
       "addend_of(exponents[i*4+:4], query_q, value_q)", "4'd8"},
      {"align: shifts without exponents", "axelram_align",
       "addend_of(exponents[i*4+:4], complete ? query_q : row_query_q, "
       "complete ? value_q : row_value_q)",
       "4'd8"},
      {"align: shifts by the stream of the vector before", "axelram_align",
       "complete ? query_q : row_query_q", "row_query_q"},
      {"align: keys take the offset of queries", "axelram_align",
       "(key ? FieldBits'(-7) : FieldBits'(-8))", "FieldBits'(-8)", "norms"},
      {"align: a NaN among exponents accepted", "axelram_align",
       "assign beat_special = specials != '0;", "assign beat_special = 1'b0;"},
      {"align: a NaN of an earlier beat forgotten", "axelram_align", "!last_q && special;", "1'b0;",
       "", true},
      {"align: a NaN remembered", "axelram_align", "!last_q && special;", "special;", "", true},
      {"align: exponents of the first beat for all", "axelram_align",
       "balance_i[32'(row_q)*Lanes*4+:Lanes*4]", "balance_i[0+:Lanes*4]", "", true},
      {"align: shifts by the exponents of the first row", "axelram_align",
       "in_order[32'(read_row)*Lanes*4+:Lanes*4]", "in_order[0+:Lanes*4]", "indices", true},
      {"align: the place of the center off by one", "axelram_align",
       "PlaceBits'(center_exponent_i) + PlaceBits'(7)",
       "PlaceBits'(center_exponent_i) + PlaceBits'(8)", "", true},
      {"align: the center aligned by the place of keys", "axelram_align",
       "center_largest_q = PlaceBits'(leaving_exponent_q);", "center_largest_q = largest_q;",
       "indices", true},
      {"query_rounding: no negative exponents", "axelram_query_rounding",
       "12'($signed(exponents_q[late_place_q]))", "$signed(12'(exponents_q[late_place_q]))"},
      {"scale: exponents cut", "axelram_scale", "ValueExpBits'($signed(exponent))",
       "$signed(ValueExpBits'(exponent[ExpBits-1:0]))", "", true},
  };
  return all;
}
