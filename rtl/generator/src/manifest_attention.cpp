#include "manifest_attention.hpp"

#include <nlohmann/json.hpp>

#include "axelram/attention_output.hpp"
#include "axelram/logit.hpp"

namespace axelram::rtl {

using Json = nlohmann::ordered_json;

void add_attention_widths(const Design& design, Json* widths) {
  const Parameters& p = design.config.parameters;
  const AttentionParameters& a = design.config.attention.parameters;
  widths->update({{"score_fifo_word", 1 + 33 * a.group},
                  {"softmax_scale", 16},
                  {"softmax_scale_exponent", 8},
                  {"logit", 27},
                  {"power_of_two_mantissa", 17},
                  {"power_of_two_exponent", 16},
                  {"maximum", 16},
                  {"denominator", design.layout.denominator_bits},
                  {"weight", a.weight_bits},
                  {"weight_reference", 16},
                  {"value_product", a.weight_bits + p.centroid_bits - 1},
                  {"sum", design.layout.sum_bits},
                  {"sum_shift", design.layout.sum_shift_bits},
                  {"rounded_sum", p.significand_bits},
                  {"rotated_sum", p.significand_bits + p.log2_dim()},
                  {"value_scale", 24},
                  {"reciprocal", 25},
                  {"output", a.output == OutputFormat::fp16 ? 16 : 32}});
}

void add_attention_latencies(const Design& design, Json* latencies) {
  const Layout& l = design.layout;
  latencies->update({{"token_to_next_token", l.token_interval},
                     {"segment_operation", 3},
                     {"logit", 3},
                     {"power_of_two", 3},
                     {"softmax", 3},
                     {"value_products", 1},
                     {"weighted_sum", 1 + l.read_rows},
                     {"value_read_after_key_read", l.read_rows + l.read_levels + 11},
                     {"sum_after_last_read", l.decode_cycles + l.read_rows + l.read_levels + 17},
                     {"sum_rounding", 2 * l.rows + 2},
                     {"reciprocal", 27},
                     {"output_rounding", 3},
                     {"beats_per_output", l.out_rows},
                     {"last_output_after_last_read", l.tail_cycles}});
}

void add_attention_constants(const Design& design, Json* constants) {
  const files::Config& config = design.config;
  const BinaryScale scale =
      softmax_scale(design.rom.score_scale, config.attention.parameters.scale);
  const BinaryScale values = value_scale(design.rom.score_scale);
  (*constants)["softmax_scale"] = {scale.significand, scale.exponent};
  (*constants)["value_scale"] = {values.significand, values.exponent};
  Json further = Json::array();
  const std::vector<RotationRow> rows = files::rotation_rows(config);
  for (std::size_t r = 1; r < rows.size(); ++r) {
    Json signs = Json::array();
    for (const std::int8_t sign : rows[r].rotation.signs) signs.push_back(static_cast<int>(sign));
    further.push_back({{"signs", signs},
                       {"center", rows[r].center},
                       {"center_exponent", design.layout.center_exponents[r]}});
    if (config.parameters.balanced) further.back()["balance"] = rows[r].rotation.balance;
  }
  if (!further.empty()) (*constants)["further_rotations"] = further;
}

}  // namespace axelram::rtl
