#include "axelram/rounding.hpp"
#include "ports.hpp"

namespace axelram::rtl {

std::vector<Port> rotation_ports(const files::Config& config) {
  const int lanes = config.microarchitecture.key_lanes;
  std::vector<Port> all = {
      {true, 1, false, "rotation_load_i",
       "load the next key_lanes elements of a row of the rotations, while busy_o and "
       "vector_valid_i are low",
       ""},
      {true, 8, false, "rotation_row_i", "the row", ""},
      {true, lanes, false, "rotation_signs_i", "its signs: 1 if s_i = -1, lowest element lowest",
       ""},
  };
  if (config.parameters.balanced)
    all.push_back({true, lanes * 4, false, "rotation_balance_i",
                   "its exponents -8 .. 7, signed, lowest element lowest", ""});
  all.push_back({true, lanes * 16, false, "rotation_center_i",
                 "its center: raw floats, all finite, lowest element lowest", ""});
  return all;
}

std::vector<Port> attention_ports(const files::Config& config, const Layout& layout) {
  const int lanes = config.microarchitecture.key_lanes;
  const int group = config.attention.parameters.group;
  const int element = config.attention.parameters.output == OutputFormat::fp16 ? 16 : 32;
  std::vector<Port> all = {
      {true, 1, false, "clk_i", "clock, rising edge", ""},
      {true, 1, false, "rst_ni", "reset, low, asynchronous; its release is synchronised", ""},
      {true, 1, false, "vector_valid_i", "a beat of an item is valid", ""},
      {false, 1, false, "vector_ready_o", "the beat is accepted", ""},
      {true, 2, false, "vector_kind_i",
       "first beat: 0 append (a key, then its value), 1 attend, 2 scores (a group of queries)", ""},
      {true, 8, false, "vector_segment_i", "first beat: segment of the item", ""},
      {true, lanes * 16, false, "vector_data_i", "key_lanes raw floats, lowest element lowest", ""},
      {true, 1, false, "command_valid_i", "a command is valid", ""},
      {false, 1, false, "command_ready_o", "the command is accepted", ""},
      {true, 2, false, "command_kind_i", "0 allocate, 1 evict, 2 free", ""},
      {true, 8, false, "command_segment_i", "segment", ""},
      {true, layout.count_bits, false, "command_base_i", "allocate: first place", ""},
      {true, layout.count_bits, false, "command_capacity_i", "allocate: places", ""},
      {true, layout.count_bits, false, "command_sinks_i", "allocate: first tokens that stay", ""},
      {true, 8, false, "command_rotation_i", "allocate: row of signs and centers", ""},
      {true, 1, false, "command_wrap_i", "allocate: a token replaces the oldest one when full", ""},
      {true, layout.count_bits, false, "command_n_i", "evict: oldest tokens to forget", ""},
      {true, 1, false, "clear_valid_i", "remove all tokens", ""},
      {false, 1, false, "clear_ready_o", "all tokens are removed", ""},
      {false, 1, false, "output_valid_o", "output_data_o is valid", ""},
      {true, 1, false, "output_ready_i", "the beat is accepted", ""},
      {false, config.attention.output_lanes * element, false, "output_data_o",
       "output_lanes raw floats, lowest element lowest; heads one after the other", ""},
      {false, 1, false, "output_last_o", "last beat of the head", ""},
      {false, 1, false, "output_saturated_o", "a magnitude in the beat exceeded the largest", ""},
      {false, 16, true, "output_maximum_o", "m of the head", ""},
      {false, layout.denominator_bits, false, "output_denominator_o", "L of the head", ""},
      {false, 1, false, "score_valid_o", "score_data_o is valid", ""},
      {true, 1, false, "score_ready_i", "the scores are accepted", ""},
      {false, group * 32, false, "score_data_o", "FP32 bits of each query, the first one lowest",
       ""},
      {false, 1, false, "score_last_o", "last token of this group", ""},
      {false, group, false, "score_saturated_o", "of each query: the magnitude exceeded FLT_MAX",
       ""},
      {true, 1, false, "scale_load_i", "load scale_i and scale_exponent_i, while busy_o is low",
       ""},
      {true, 16, false, "scale_i", "softmax scale: significand", ""},
      {true, 8, true, "scale_exponent_i", "its exponent", ""},
      {false, 1, false, "busy_o", "an item is accepted or processed, or the macro is not ready",
       ""},
      {false, 1, false, "query_done_o",
       "pulse: a group's outputs are in their FIFO, its last read for scores was issued, or it was "
       "rejected",
       ""},
      {true, 1, false, "errors_clear_i", "clear error flags and counters", ""},
      {false, layout.errors, false, "errors_o",
       std::string("sticky: token rejected (NaN, infinity), group rejected, segment full, norm "
                   "saturated, score saturated, logit saturated, output saturated, bad command") +
           (layout.errors == 9 ? ", scale_refused" : "") + ", from bit 0",
       ""},
      {false, layout.errors * 32, false, "error_counts_o",
       "32-bit saturating counter of each, same order", ""},
  };
  if (layout.rotation_ram) {
    std::vector<Port> more = rotation_ports(config);
    if (!config.parameters.centered) more.pop_back();
    all.insert(all.end(), more.begin(), more.end());
  }
  if (layout.code) {
    const std::vector<Port> more = code_ports(layout);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

std::vector<Port> attention_observation_ports(const files::Config& config, const Layout& layout) {
  const Parameters& p = config.parameters;
  const int lanes = config.microarchitecture.key_lanes, record = p.record_bits();
  const int group = config.attention.parameters.group;
  const int weight = config.attention.parameters.weight_bits;
  const std::string core = "u_macro.u_core.", control = "u_macro.u_control.";
  const std::string tokens = "u_macro.u_tokens.";
  const std::string output = core + "u_group_output.u_output_path.";
  const auto head = [&](int g, const std::string& net) {
    return core + "g_head[" + std::to_string(g) + "].u_head." + net;
  };
  const auto heads = [&](const std::string& net) {
    std::string all;
    for (int g = group; g-- > 0;) all += head(g, net) + (g == 0 ? "" : ", ");
    return "{" + all + "}";
  };
  std::vector<Port> all = {
      {false, 1, false, "obs_ready_o", "the macro is out of reset", control + "ready_i"},
      {false, 3, false, "obs_state_o", "0 accept, 1 rotate, 2 build, 3 read, 4 tail, 5 command",
       control + "state_q"},
      {false, 1, false, "obs_bad_command_o", "a command or an item is a bad command",
       control + "bad_command_o"},
      {false, 1, false, "obs_beat_o", "a beat of an item that is no bad command is taken",
       "u_macro.beat"},
      {false, 1, false, "obs_group_rejected_o", "a group is rejected",
       control + "group_rejected_o"},
      {false, 1, false, "obs_vector_rejected_o",
       "NaN or infinity in the vector whose last beat was taken in the cycle before",
       "u_macro.rejected"},
      {false, 1, false, "obs_token_lost_o", "neither key nor value of a token has a record",
       control + "token_outcome && !" + control + "token_records"},
      {false, 1, false, "obs_fate_valid_o", "the fate of the next other token is known",
       "u_macro.fate_valid"},
      {false, 1, false, "obs_fate_store_o", "it will be stored", "u_macro.fate_store"},
      {false, 1, false, "obs_token_done_o", "a token with a fate is stored or dropped",
       tokens + "token_done"},
      {false, 1, false, "obs_stored_o", "it is stored", tokens + "token_stored"},
      {false, layout.address_bits, false, "obs_place_o", "where", tokens + "token_place"},
      {false, record, false, "obs_key_record_o", "record of its key", tokens + "key"},
      {false, record, false, "obs_value_record_o", "record of its value", tokens + "value"},
      {false, 1, false, "obs_query_valid_o", "obs_query_o is valid", core + "query_valid"},
      {false, lanes * p.query_bits, true, "obs_query_o", "key_lanes elements u_i", core + "query"},
      {false, 12, true, "obs_query_exponent_o", "e_u", core + "query_exponent"},
      {false, 1, false, "obs_read_o", "a token is read", "u_macro.read"},
      {false, layout.address_bits, false, "obs_address_o", "its place", tokens + "address"},
      {false, 1, false, "obs_acc_valid_o", "obs_acc_o is valid",
       head(0, "u_read_path.g_one_part.u_score.acc_valid_q")},
      {false, group * layout.most_accumulator_bits, true, "obs_acc_o",
       "acc of the next token in order, of each query",
       heads("u_read_path.g_one_part.u_score.acc")},
      {false, 1, false, "obs_score_valid_o", "obs_score_o is valid", core + "score_valid[0]"},
      {false, group * 32, false, "obs_score_o", "scores of the next token", core + "scores"},
      {false, 1, false, "obs_logit_valid_o", "obs_logit_o is valid", core + "scored[0]"},
      {false, group * 27, true, "obs_logit_o", "z of the next token", heads("u_value_path.logit")},
      {false, 1, false, "obs_weight_valid_o", "obs_weight_o and obs_reference_o are valid",
       head(0, "u_value_path.token_valid")},
      {false, group * weight, false, "obs_weight_o", "w of the next token",
       heads("u_value_path.weight")},
      {false, group * 16, true, "obs_reference_o", "r after it", core + "references"},
      {false, 1, false, "obs_end_o", "obs_sums_o and obs_weighted_o are valid", output + "end_i"},
      {false, group * p.head_dim * layout.sum_bits, true, "obs_sums_o", "acc_i of each query",
       core + "sums"},
      {false, group, false, "obs_weighted_o", "the sums of the query are not 0", core + "weighted"},
      {false, 1, false, "obs_rotated_valid_o",
       "obs_rotated_o, obs_sum_shift_o and obs_reciprocal_o of the next query are valid",
       output + "there_q"},
      {false, p.head_dim * (p.significand_bits + p.log2_dim()), true, "obs_rotated_o", "y_i",
       output + "rotated"},
      {false, layout.sum_shift_bits, false, "obs_sum_shift_o", "sh", output + "u_output.shift_i"},
      {false, 25, false, "obs_reciprocal_o", "R", output + "u_output.reciprocal_i"},
  };
  if (layout.code) {
    const auto memory = [&](int v) {
      return tokens + "u_store.g_memory[" + std::to_string(v) + "].u_store.g_memory.u_memory.";
    };
    all.push_back({false, 1, false, "obs_written_o", "a token is written to the memories",
                   tokens + "stored_o"});
    all.push_back({false, layout.stored_bits, false, "obs_key_codewords_o", "codewords of its key",
                   memory(0) + "injected"});
    all.push_back({false, layout.stored_bits, false, "obs_value_codewords_o",
                   "codewords of its value", memory(1) + "injected"});
  }
  if (p.copies() != 0) {
    const std::string copies = tokens + "g_copies.u_copies.";
    all.push_back({false, 1, false, "obs_fate_key_o", "with obs_fate_valid_o: its key has a copy",
                   "u_macro.fate_key"});
    all.push_back({false, 1, false, "obs_copy_known_o",
                   "the fate of the next copy, in the order of its key, is known",
                   copies + "resolve"});
    all.push_back({false, 1, false, "obs_copy_kept_o", "it is kept", copies + "fate_kept"});
    all.push_back({false, bit_length(static_cast<std::uint64_t>(layout.copy_slots - 1)), false,
                   "obs_copy_slot_o", "its slot", copies + "free_q"});
  }
  const std::vector<Port> part = part_ports(config, 0, core + "u_write_path.u_key_path.");
  all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace axelram::rtl
