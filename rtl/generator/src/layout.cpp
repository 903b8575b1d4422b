#include "axelram/rtl/layout.hpp"

#include <algorithm>

namespace axelram::rtl {
namespace {

int ceil_log2(int value) {
  int bits = 0;
  while ((1 << bits) < value) ++bits;
  return bits;
}

int largest_exponent_field(const files::Config& config) {
  const Parameters& p = config.parameters;
  int largest = 1;
  for (const std::uint16_t element : config.center)
    largest = std::max(largest, (element & 0x7fff) >> p.format_fraction_bits());
  return largest;
}

}  // namespace

Layout::Layout(const files::Config& config) {
  const Parameters& p = config.parameters;
  const int n = p.log2_dim();
  rows = p.head_dim / config.microarchitecture.key_lanes;
  read_rows = p.head_dim / config.microarchitecture.read_lanes;
  key_levels = ceil_log2(config.microarchitecture.key_lanes);
  read_levels = ceil_log2(config.microarchitecture.read_lanes);
  root_bits = p.root_bits();
  address_bits = std::max(1, ceil_log2(config.max_keys));
  count_bits = ceil_log2(config.max_keys + 1);
  row_delay = std::max(root_bits + 4 - ceil_log2(rows), rows + 2);
  if (config.ecc.code != "none") code = make_code(config.ecc.code);
  const auto record_bits = static_cast<std::size_t>(p.record_bits());
  code_words = code ? static_cast<int>(code->words(record_bits)) : 1;
  stored_bits = code ? code_words * code->n : p.record_bits();
  code_stages = code ? config.ecc.stages : 0;
  encode_cycles = code_stages;
  decode_cycles = code ? code_stages + read_rows + 3 : 0;
  reset_cycles = code ? config.max_keys : 0;
  fifo_depth = 1 << ceil_log2((2 * read_rows + read_levels + 5 + decode_cycles) / read_rows + 1);
  center_exponent = largest_exponent_field(config);

  align_latency = 3;
  hadamard_latency = rows - 1 + n;
  const int front = align_latency + (p.centered ? 1 : 0) + 1;
  rotate_cycles = front + hadamard_latency + row_delay + rows;
  store_cycles = rotate_cycles + 1 + encode_cycles;
  build_cycles = p.head_dim * p.levels() / config.microarchitecture.table_multipliers;
  read_latency = read_rows + read_levels + 6 + decode_cycles;
}

std::vector<Port> code_ports(const files::Config& config, const Layout& layout) {
  const int record = config.parameters.record_bits();
  return {
      {true, 1, false, "ecc_load_i",
       "load ecc_erasure_i and ecc_write_back_i into their registers"},
      {true, 2, false, "ecc_erasure_i", "erased elements: 0 keep, 1 zero, 2 interpolate"},
      {true, 1, false, "ecc_write_back_i", "queries write corrected records back"},
      {false, 128, false, "ecc_counts_o",
       "32-bit saturating counters: words corrected, parity bit only, detected; records written "
       "back, from bit 0"},
      {false, 1, false, "ecc_first_valid_o", "a word was not clean"},
      {false, layout.address_bits, false, "ecc_first_address_o",
       "key of the first word that was not clean"},
      {true, 1, false, "inject_load_i", "load inject_mode_i and inject_mask_i"},
      {true, 2, false, "inject_mode_i", "0 off, 1 next write, 2 next read, 3 every read"},
      {true, layout.stored_bits, false, "inject_mask_i", "XORed onto the stored codewords"},
      {false, 1, false, "inject_armed_o", "an injection is pending or active"},
      {false, record, false, "obs_record_o", "record that is stored or rejected"},
      {false, 1, false, "obs_ready_o", "the memory is initialised"},
      {false, 1, false, "obs_memory_read_o", "the SRAM is read, by a query or a scrub"},
      {false, layout.address_bits, false, "obs_memory_address_o", "key that is read"},
      {false, 1, false, "obs_decoded_valid_o", "a record is decoded, in the order of reads"},
      {false, 1, false, "obs_decoded_scrub_o", "the decoded record was read by the scrubber"},
      {false, record, false, "obs_decoded_o", "decoded record before repair"},
      {false, 2 * layout.code_words, false, "obs_status_o",
       "two bits a word: 0 clean, 1 corrected, 2 parity bit only, 3 detected"},
      {false, 1, false, "obs_write_back_o", "the decoded record is written back"},
      {false, 1, false, "obs_lookup_valid_o", "obs_lookup_o is valid"},
      {false, record, false, "obs_lookup_o", "repaired record that is looked up"},
  };
}

std::vector<Port> ports(const files::Config& config, const Layout& layout) {
  const Parameters& p = config.parameters;
  const int lanes = config.microarchitecture.key_lanes;
  std::vector<Port> all = {
      {true, 1, false, "clk_i", "clock, rising edge"},
      {true, 1, false, "rst_ni", "reset, low, asynchronous"},
      {true, 1, false, "vector_valid_i", "a beat of a key or a query is valid"},
      {false, 1, false, "vector_ready_o", "the beat is accepted"},
      {true, 1, false, "vector_query_i", "first beat: 1 query, 0 key"},
      {true, lanes * 16, false, "vector_data_i", "key_lanes raw floats, lowest element lowest"},
      {false, 1, false, "score_valid_o", "score_data_o is valid"},
      {true, 1, false, "score_ready_i", "the score is accepted"},
      {false, 32, false, "score_data_o", "FP32 bits"},
      {false, 1, false, "score_last_o", "last key of this query"},
      {false, 1, false, "score_saturated_o", "the magnitude exceeded FLT_MAX"},
      {true, 1, false, "clear_valid_i", "remove all keys"},
      {false, 1, false, "clear_ready_o", "all keys are removed"},
      {false, layout.count_bits, false, "key_count_o", "keys stored"},
      {false, 1, false, "busy_o", "a vector is accepted or processed"},
      {false, 1, false, "query_done_o",
       "pulse: a query's last read was issued, or it was rejected"},
      {true, 1, false, "errors_clear_i", "clear error flags and counters"},
      {false, 5, false, "errors_o",
       "sticky: key rejected (NaN, infinity), query rejected, store full, norm saturated, score "
       "saturated, from bit 0"},
      {false, 160, false, "error_counts_o", "32-bit saturating counter of each, same order"},
      {false, 2, false, "obs_state_o", "0 accept, 1 rotate, 2 build, 3 read"},
      {false, 1, false, "obs_thresholds_valid_o", "obs_thresholds_o is valid"},
      {false, p.boundaries() * 32, true, "obs_thresholds_o", "T_j, 32 bits each, ascending j"},
      {false, 1, false, "obs_norm_valid_o", "obs_norm_o is valid"},
      {false, 16, false, "obs_norm_o", "FP16 bits"},
      {false, 1, false, "obs_indices_valid_o", "obs_indices_o is valid"},
      {false, lanes * p.index_bits, false, "obs_indices_o", "key_lanes indices"},
      {false, 1, false, "obs_record_valid_o", "a record is written to the SRAM"},
      {false, 1, false, "obs_record_rejected_o", "a record is rejected: store full"},
      {false, 1, false, "obs_key_rejected_o", "a key is rejected: NaN or infinity"},
      {false, 1, false, "obs_query_valid_o", "obs_query_o is valid"},
      {false, lanes * p.query_bits, true, "obs_query_o", "key_lanes elements u_i"},
      {false, 12, true, "obs_query_exponent_o", "e_u"},
      {false, 1, false, "obs_read_o", "a record is read from the SRAM"},
      {false, 1, false, "obs_acc_valid_o", "obs_acc_o is valid"},
      {false, p.accumulator_bits(), true, "obs_acc_o", "acc of the next key in order"},
  };
  if (layout.code) {
    const std::vector<Port> more = code_ports(config, layout);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace axelram::rtl
