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
  network_bits = p.prod() ? std::max(p.aligned_bits(), p.query_bits) : p.aligned_bits();
  network_out_bits = network_bits + n;
  scaled_words = p.trellis() ? 1 << p.index_bits : p.boundaries();
  address_bits = std::max(1, ceil_log2(config.max_keys));
  count_bits = ceil_log2(config.max_keys + 1);
  row_delay = std::max(root_bits + 5 - ceil_log2(rows), rows + 2);
  second_pass = p.prod() ? n + row_delay + rows + 1 : 0;
  residual_cycles = p.prod() ? second_pass + rows + 4 : 0;
  key_wait = p.trellis() ? p.head_dim + 4 - rows : residual_cycles;
  key_interval = rows + key_wait;
  if (config.ecc.code != "none") code = make_code(config.ecc.code);
  const auto record_bits = static_cast<std::size_t>(p.record_bits());
  code_words = code ? static_cast<int>(code->words(record_bits)) : 1;
  stored_bits = code ? code_words * code->n : p.record_bits();
  code_stages = code ? config.ecc.stages : 0;
  encode_cycles = code_stages;
  decode_cycles = code ? code_stages + read_rows + 5 : 0;
  release_cycles = 2;
  reset_cycles = code ? config.max_keys : 1;
  errors = p.trellis() && p.scale == ScaleKind::unbiased ? 6 : 5;
  sum_cycles = p.two_parts() ? 3 : 0;
  const int under_way = 2 * read_rows + read_levels + 6 + sum_cycles + decode_cycles;
  fifo_depth = 1 << ceil_log2(under_way / read_rows + 1);
  center_exponent = largest_exponent_field(config);

  align_latency = 3;
  hadamard_latency = rows - 1 + n;
  const int front = align_latency + (p.centered ? 1 : 0) + 1;
  const int first_cycles = front + hadamard_latency + row_delay + rows;
  rotate_cycles = first_cycles + second_pass;
  const int words = p.levels() / 2;
  const int lanes = config.microarchitecture.key_lanes;
  sums_by_magnitude = words * (lanes + p.centroid_bits) < lanes * (p.centroid_bits - 1);
  const int search = p.trellis() ? 2 * p.head_dim + 12 : p.codebook_bits() - 1;
  norms_waiting = 1 << ceil_log2((rows + n + row_delay + search) / key_interval + 1);
  const bool scaled = p.scale == ScaleKind::unbiased && !p.trellis();
  scale_cycles = scaled ? key_levels + p.index_bits + 4 + kQuotientBits : 0;
  search_cycles = p.trellis() ? 2 * p.head_dim + p.index_bits + ceil_log2(p.states) + 4 : 0;
  const int record_cycles = p.trellis() ? first_cycles - rows + search_cycles
                                        : first_cycles + 1 + scale_cycles + residual_cycles;
  store_cycles = record_cycles + encode_cycles;
  wait_cycles = std::max(0, store_cycles - rotate_cycles - key_interval);
  build_cycles = p.head_dim * p.levels() / config.microarchitecture.table_multipliers;
  if (p.prod()) build_cycles = std::max(build_cycles, read_rows);
  beats = (p.record_bits() + 16 * lanes - 1) / (16 * lanes);
  const bool exact = p.copies() != 0;
  exact_first = p.exact_first;
  exact_last = p.exact_last;
  copy_lanes = exact ? std::min(lanes, config.microarchitecture.table_multipliers) : 0;
  copy_cycles = exact ? p.head_dim / copy_lanes : 0;
  copy_latency = exact ? 2 + ceil_log2(copy_lanes) : 0;
  copy_waiting = exact ? 1 << ceil_log2((rows + n + row_delay) / rows + 2) : 0;
  place_bits = std::max(1, ceil_log2(p.copies()));
  most_accumulator_bits =
      exact ? std::max(p.accumulator_bits(), p.copy_accumulator_bits()) : p.accumulator_bits();
  read_latency = read_rows + read_levels + 7 + sum_cycles + decode_cycles;
}

std::string prefix(const files::Config& config) {
  std::string name;
  for (const char c : config.name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    if (digit && name.empty()) name = "m";
    if (letter || digit)
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name.empty() ? "macro" : name;
}

}  // namespace axelram::rtl
