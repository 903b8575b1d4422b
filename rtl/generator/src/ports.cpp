#include "ports.hpp"

#include <algorithm>

#include "axelram/rounding.hpp"
#include "axelram/rtl/layout.hpp"

namespace axelram::rtl {

std::vector<Port> code_ports(const Layout& layout) {
  std::vector<Port> all = {
      {true, 1, false, "ecc_load_i", "load ecc_erasure_i and ecc_write_back_i into their registers",
       ""},
      {true, 2, false, "ecc_erasure_i", "erased elements: 0 keep, 1 zero, 2 interpolate; 3 as 0",
       ""},
      {true, 1, false, "ecc_write_back_i", "queries write corrected records back", ""},
      {false, 128, false, "ecc_counts_o",
       "32-bit saturating counters: words corrected, parity bit only, detected; records written "
       "back, from bit 0",
       ""},
      {false, 1, false, "ecc_first_valid_o", "a word was not clean", ""},
      {false, layout.address_bits, false, "ecc_first_address_o",
       "key of the first word that was not clean", ""},
      {true, 1, false, "inject_load_i", "load inject_mode_i and inject_mask_i", ""},
      {true, 2, false, "inject_mode_i", "0 off, 1 next write, 2 next read, 3 every read", ""},
      {true, layout.stored_bits, false, "inject_mask_i", "XORed onto the stored codewords", ""},
      {false, 1, false, "inject_armed_o", "an injection is pending or active", ""},
  };
  if (layout.attends)
    all.push_back({true, 1, false, "inject_value_i", "inject_load_i: into values, not keys", ""});
  return all;
}

std::vector<Port> ports(const files::Config& config, const Layout& layout) {
  if (config.attention.given) return attention_ports(config, layout);
  const int lanes = config.microarchitecture.key_lanes;
  const int errors = layout.errors;
  std::vector<Port> all = {
      {true, 1, false, "clk_i", "clock, rising edge", ""},
      {true, 1, false, "rst_ni", "reset, low, asynchronous; its release is synchronised", ""},
      {true, 1, false, "vector_valid_i", "a beat of a key or a query is valid", ""},
      {false, 1, false, "vector_ready_o", "the beat is accepted", ""},
      {true, 1, false, "vector_query_i", "first beat: 1 query, 0 key", ""},
      {true, 1, false, "vector_record_i", "first beat: 1 a record from outside, not a key", ""},
      {true, lanes * 16, false, "vector_data_i", "key_lanes raw floats, lowest element lowest", ""},
      {false, 1, false, "score_valid_o", "score_data_o is valid", ""},
      {true, 1, false, "score_ready_i", "the score is accepted", ""},
      {false, 32, false, "score_data_o", "FP32 bits", ""},
      {false, 1, false, "score_last_o", "last key of this query", ""},
      {false, 1, false, "score_saturated_o", "the magnitude exceeded FLT_MAX", ""},
      {true, 1, false, "clear_valid_i", "remove all keys", ""},
      {false, 1, false, "clear_ready_o", "all keys are removed", ""},
      {false, layout.count_bits, false, "key_count_o", "keys stored", ""},
      {false, 1, false, "busy_o", "a vector is accepted or processed, or the macro is not ready",
       ""},
      {false, 1, false, "query_done_o", "pulse: a query's last read was issued, or it was rejected",
       ""},
      {true, 1, false, "errors_clear_i", "clear error flags and counters", ""},
      {false, errors, false, "errors_o",
       std::string("sticky: key rejected (NaN, infinity), query rejected, store full, norm "
                   "saturated, score saturated") +
           (errors == 6 ? ", scale_refused" : "") + ", from bit 0",
       ""},
      {false, errors * 32, false, "error_counts_o", "32-bit saturating counter of each, same order",
       ""},
  };
  if (layout.code) {
    const std::vector<Port> more = code_ports(layout);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

namespace {

/// Of one part of a key. `second`: prefix of the names of sub-vector 1.
std::vector<Port> quantizer_ports(const Parameters& p, int lanes, const std::string& part,
                                  const std::string& second) {
  const std::string indices = part + "u_indices.g_nearest.", quantizer = indices + "u_quantizer.";
  const std::string name = "obs_" + second;
  return {
      {false, 1, false, name + "thresholds_valid_o", name + "thresholds_o is valid",
       quantizer + "row_first"},
      {false, p.boundaries() * 32, true, name + "thresholds_o", "T_j, 32 bits each, ascending j",
       quantizer + "thresholds"},
      {false, 1, false, name + "indices_valid_o", name + "indices_o is valid",
       indices + "nearest_valid"},
      {false, lanes * p.codebook_bits(), false, name + "indices_o",
       second.empty() ? "key_lanes indices" : "key_lanes / 2 indices", indices + "nearest"},
  };
}

std::vector<Port> trellis_ports(const Parameters& p, const std::string& part,
                                const std::string& second) {
  const std::string trellis = part + "u_indices.g_trellis.u_trellis.";
  const std::string name = "obs_" + second;
  return {
      {false, 1, false, name + "reconstructions_valid_o", name + "reconstructions_o is valid",
       trellis + "row_first"},
      {false, 32 << p.index_bits, true, name + "reconstructions_o",
       "R_j of the upper half of the levels, 32 bits each, ascending j",
       trellis + "reconstructions"},
      {false, 1, false, name + "path_cost_valid_o", name + "path_cost_o is valid",
       trellis + "best_valid_o"},
      {false, 32, false, name + "path_cost_o", "cost of the path", trellis + "best_cost_o"},
      {false, 1, false, name + "index_valid_o", name + "index_o and " + name + "level_o are valid",
       trellis + "valid_o"},
      {false, p.index_bits, false, name + "index_o", "an index, the last element first",
       trellis + "index_o"},
      {false, p.index_bits + 1, false, name + "level_o", "its level", trellis + "level_o"},
  };
}

}  // namespace

std::vector<Port> part_ports(const files::Config& config, int j, const std::string& keys) {
  const Parameters p = part_parameters(config.parameters, j);
  const int lanes = config.microarchitecture.key_lanes / (config.parameters.split() ? 2 : 1);
  const std::string part = keys + (j == 0 ? "u_part." : "g_split.u_split_part.");
  const std::string second = j == 0 ? "" : "second_", name = "obs_" + second;
  std::vector<Port> all = {
      {false, 1, false, name + "norm_valid_o", name + "norm_o is valid",
       p.prod() ? part + "indices_valid && " + part + "indices_first" : part + "norm_valid"},
      {false, 16, false, name + "norm_o", "FP16 bits", part + "norm"}};
  const std::vector<Port> search =
      p.trellis() ? trellis_ports(p, part, second) : quantizer_ports(p, lanes, part, second);
  all.insert(all.end(), search.begin(), search.end());
  if (p.scale == ScaleKind::unbiased)
    all.insert(all.end(), {{false, 1, false, name + "correlation_valid_o",
                            name + "correlation_o is valid", part + "correlation_valid"},
                           {false, p.correlation_bits(), true, name + "correlation_o", "A",
                            part + "correlation"}});
  return all;
}

namespace {

std::vector<Port> residual_ports(const files::Config& config, const Layout& layout,
                                 const std::string& core, const std::string& write) {
  const Parameters& p = config.parameters;
  const int lanes = config.microarchitecture.key_lanes;
  const std::string residual = write + "u_key_path.g_residual.u_second_pass.u_residual.";
  const std::string score = core + "u_read_path.g_two_parts.";
  // A difference y_i - R_j has one bit more than y_i.
  const auto most_shift =
      static_cast<std::uint64_t>(layout.network_out_bits + 1 - p.aligned_bits());
  return {
      {false, 1, false, "obs_reconstructions_valid_o", "obs_reconstructions_o is valid",
       residual + "reconstructions_valid"},
      {false, 16 * p.levels(), true, "obs_reconstructions_o",
       "R_j of the upper half of the levels, 32 bits each, ascending j",
       residual + "reconstructions"},
      {false, 1, false, "obs_residual_shift_valid_o", "obs_residual_shift_o is valid",
       residual + "valid_o && " + residual + "rho_last"},
      {false, bit_length(most_shift), false, "obs_residual_shift_o", "h", residual + "shift_o"},
      {false, 1, false, "obs_residual_signs_valid_o", "obs_residual_signs_o is valid",
       residual + "signs_valid_q"},
      {false, lanes, false, "obs_residual_signs_o", "key_lanes signs t_i", residual + "signs_q"},
      {false, 1, false, "obs_residual_norm_valid_o", "obs_residual_norm_o is valid",
       residual + "signs_valid_q && " + residual + "signs_first_q"},
      {false, 16, false, "obs_residual_norm_o", "FP16 bits", residual + "norm_i"},
      {false, 1, false, "obs_residual_query_valid_o",
       "obs_query_o has key_lanes elements v_i, obs_query_exponent_o is e_v",
       core + "residual_valid"},
      {false, p.query_bits + p.log2_dim(), true, "obs_residual_acc_o",
       "acc2 of the next key in order, with obs_acc_o", score + "second_acc"},
  };
}

}  // namespace

std::vector<Port> observation_ports(const files::Config& config, const Layout& layout) {
  if (config.attention.given) return attention_observation_ports(config, layout);
  const Parameters& p = config.parameters;
  const int lanes = config.microarchitecture.key_lanes;
  const int record = p.record_bits();
  const std::string core = "u_macro.u_core.", write = core + "u_write_path.";
  const std::string score =
      core + "u_read_path." + (p.two_parts() ? "g_two_parts." : "g_one_part.u_score.");
  const std::string memory = "u_macro.u_store.g_memory.u_memory.";
  std::vector<Port> all = {
      {false, 1, false, "obs_ready_o", "the macro is out of reset and its memory initialised",
       "u_macro.ready"},
      {false, 2, false, "obs_state_o", "0 accept, 1 rotate, 2 build, 3 read",
       "u_macro.u_control.state_q"},
      {false, 1, false, "obs_record_valid_o", "a record is written to the SRAM", "u_macro.stored"},
      {false, 1, false, "obs_record_rejected_o", "a record is rejected: store full",
       "u_macro.full"},
      {false, 1, false, "obs_key_rejected_o", "a key is rejected: NaN or infinity",
       "u_macro.u_control.key_rejected"},
      {false, 1, false, "obs_query_valid_o", "obs_query_o is valid", core + "query_valid"},
      {false, lanes * p.query_bits, true, "obs_query_o", "key_lanes elements u_i", core + "query"},
      {false, 12, true, "obs_query_exponent_o", "e_u", core + "query_exponent"},
      {false, 1, false, "obs_read_o", "a record is read from the SRAM", "u_macro.read"},
      {false, 1, false, "obs_record_waits_o", "a record from outside waits for earlier keys",
       "u_macro.record_waits"},
      {false, 1, false, "obs_acc_valid_o", "obs_acc_o is valid",
       score + (p.two_parts() ? "acc_valid" : "acc_valid_q")},
      {false, layout.most_accumulator_bits, true, "obs_acc_o", "acc of the next key in order",
       score + "acc"},
  };
  for (int j = 0; j < layout.parts; ++j) {
    const std::vector<Port> part = part_ports(config, j, write + "u_key_path.");
    all.insert(all.end(), part.begin(), part.end());
  }
  if (p.split())
    all.push_back({false, p.part(1).accumulator_bits(), true, "obs_second_acc_o",
                   "acc of sub-vector 1 of the next key in order, with obs_acc_o",
                   score + "second_acc"});
  if (p.prod()) {
    const std::vector<Port> residual = residual_ports(config, layout, core, write);
    all.insert(all.end(), residual.begin(), residual.end());
  }
  if (layout.key_wait > 0)
    all.push_back(
        {false, 1, false, "obs_key_waits_o",
         "no vector may start: a key is searched, its residual is rotated, or its rows leave",
         "u_macro.u_control.key_waits"});
  if (layout.clock_cycles > 0)
    all.push_back({false, 1, false, "obs_clock_running_o", "the write path has a clock",
                   write + "g_gated.running"});
  if (p.copies() != 0) {
    const std::string copies = core + "g_exact.u_exact.u_store.";
    const std::vector<Port> exact = {
        {false, 1, false, "obs_copy_valid_o", "obs_copy_o is valid", core + "copy_valid"},
        {false, lanes * p.exact_bits, true, "obs_copy_o", "key_lanes elements h_i", core + "copy"},
        {false, 12, true, "obs_copy_exponent_o", "e_k", core + "copy_exponent"},
        {false, 1, false, "obs_copy_ready_o", "the next token may be read: no copy is awaited",
         "u_macro.copy_ready"},
        {false, p.copies(), false, "obs_copied_o",
         "places that hold a copy: those of the first tokens, then the ring", copies + "copied_q"},
    };
    all.insert(all.end(), exact.begin(), exact.end());
  }
  if (!layout.code) return all;
  const std::vector<Port> coded = {
      {false, record, false, "obs_record_o", "record that is stored or rejected",
       memory + "encoded_record"},
      {false, 1, false, "obs_memory_read_o", "the SRAM is read, by a query or a scrub",
       memory + "memory_read"},
      {false, layout.address_bits, false, "obs_memory_address_o", "key that is read",
       memory + "memory_address"},
      {false, 1, false, "obs_decoded_valid_o", "a record is decoded, in the order of reads",
       memory + "decoded"},
      {false, 1, false, "obs_decoded_scrub_o", "the decoded record was read by the scrubber",
       memory + "decoded_scrub"},
      {false, record, false, "obs_decoded_o", "decoded record before repair",
       memory + "decoded_record"},
      {false, 2 * layout.code_words, false, "obs_status_o",
       "two bits a word: 0 clean, 1 corrected, 2 parity bit only, 3 detected", memory + "status"},
      {false, 1, false, "obs_write_back_o", "the decoded record is written back",
       memory + "write_back"},
      {false, 1, false, "obs_lookup_valid_o", "obs_lookup_o is valid", "u_macro.arrived"},
      {false, record, false, "obs_lookup_o", "repaired record that is looked up",
       "u_macro.read_record"},
  };
  all.insert(all.end(), coded.begin(), coded.end());
  return all;
}

std::vector<Port> observed_top_ports(const files::Config& config, const Layout& layout) {
  std::vector<Port> all = ports(config, layout);
  const std::vector<Port> shown = observation_ports(config, layout);
  all.insert(all.end(), shown.begin(), shown.end());
  return all;
}

std::vector<Net> control_nets(const files::Config& config, const Layout& layout) {
  const int row_bits = std::max(1, bit_length(static_cast<std::uint64_t>(layout.rows - 1)));
  const std::string control = "u_macro.u_control.";
  if (config.attention.given)
    return {{control + "state_q", 3, true},
            {control + "in_flight_q", 8, true},
            {control + "u_items.row_q", row_bits, true},
            {"u_macro.u_tokens.u_reads.address_q", layout.address_bits, true}};
  return {{control + "state_q", 2, true},
          {control + "row_q", row_bits, true},
          {control + "in_flight_q", 8, true},
          {control + "key_q", layout.address_bits, true},
          {control + "read_o", 1, false}};
}

}  // namespace axelram::rtl
