#include "axelram/rtl/layout.hpp"

#include <algorithm>

namespace axelram::rtl {
namespace {

int ceil_log2(int value) {
  int bits = 0;
  while ((1 << bits) < value) ++bits;
  return bits;
}

int largest_exponent_field(const Parameters& p, const std::vector<std::uint16_t>& center) {
  int largest = 1;
  for (const std::uint16_t element : center)
    largest = std::max(largest, (element & 0x7fff) >> p.format_fraction_bits());
  return largest;
}

}  // namespace

Layout::Layout(const files::Config& config) {
  const Parameters& p = config.parameters;
  sums_by_magnitude = {};
  parts = p.split() ? 2 : 1;
  const Parameters part = part_parameters(p, 0);  // the slowest: it has no fewer bits
  const int n = part.log2_dim();
  rows = p.head_dim / config.microarchitecture.key_lanes;
  read_rows = p.head_dim / config.microarchitecture.read_lanes;
  key_levels = ceil_log2(config.microarchitecture.key_lanes / parts);
  read_levels = ceil_log2(config.microarchitecture.read_lanes / parts);
  root_bits = part.root_bits();
  network_bits = p.prod() ? std::max(p.aligned_bits(), p.query_bits) : p.aligned_bits();
  network_out_bits = network_bits + n;
  scaled_words = 0;
  for (int j = 0; j < parts; ++j) {
    const Parameters of = part_parameters(p, j);
    scaled_words += of.trellis() ? 1 << of.index_bits : of.boundaries();
  }
  address_bits = std::max(1, ceil_log2(config.max_keys));
  count_bits = ceil_log2(config.max_keys + 1);
  row_delay = std::max(root_bits + 5 - ceil_log2(rows), rows + 2);
  second_pass = p.prod() ? n + row_delay + rows + 1 : 0;
  residual_cycles = p.prod() ? second_pass + rows + 4 : 0;
  key_interval = p.split() ? 2 * rows - 1 : rows + residual_cycles;
  if (p.trellis()) key_interval = std::max(key_interval, part.head_dim + 4);
  key_wait = key_interval - rows;
  if (config.ecc.code != "none") code = make_code(config.ecc.code);
  const auto record_bits = static_cast<std::size_t>(p.record_bits());
  code_words = code ? static_cast<int>(code->words(record_bits)) : 1;
  stored_bits = code ? code_words * code->n : p.record_bits();
  code_stages = code ? config.ecc.stages : 0;
  encode_cycles = code_stages;
  decode_cycles = code ? code_stages + read_rows + 5 : 0;
  release_cycles = 2;
  reset_cycles = code ? config.max_keys : 1;
  attends = config.attention.given;
  rotation_ram = attends && config.store.rotation_memory == files::RotationMemory::ram;
  if (rotation_ram) reset_cycles = std::max(reset_cycles, config.store.rotations * rows + 1);
  errors = (attends ? 8 : 5) + (p.trellis() && p.scale == ScaleKind::unbiased ? 1 : 0);
  out_rows = p.head_dim / (attends ? config.attention.output_lanes : p.head_dim);
  denominator_bits = 33 + ceil_log2(config.max_keys);
  sum_bits = config.attention.parameters.weight_bits + p.centroid_bits + ceil_log2(config.max_keys);
  sum_shift_bits =
      std::max(1, ceil_log2(std::max(sum_bits, p.significand_bits + 1) - p.significand_bits + 1));
  sum_cycles = p.two_parts() ? 3 : 0;
  const int under_way = 2 * read_rows + read_levels + 6 + sum_cycles + decode_cycles;
  fifo_depth = 1 << ceil_log2(under_way / read_rows + 1);
  for (const RotationRow& row : files::rotation_rows(config))
    center_exponents.push_back(largest_exponent_field(p, row.center));

  rotation_bits = 1 + (p.balanced ? 4 : 0) + (p.centered ? 16 : 0);
  exponent_bits = p.format_exponent_bits() + (p.balanced ? 2 : 0);

  align_latency = 3;
  hadamard_latency = rows - 1 + n;
  const int front = align_latency + (p.centered ? 1 : 0) + 1;
  const int first_cycles = front + hadamard_latency + row_delay + rows;
  rotate_cycles = first_cycles + second_pass;
  const int lanes = config.microarchitecture.key_lanes;
  for (int j = 0; j < parts; ++j) {
    const int words = part_parameters(p, j).levels() / 2, of_part = lanes / parts;
    sums_by_magnitude[static_cast<std::size_t>(j)] =
        words * (of_part + p.centroid_bits) < of_part * (p.centroid_bits - 1);
  }
  const int search = p.trellis() ? 2 * part.head_dim + 12 : part.codebook_bits() - 1;
  norms_waiting = 1 << ceil_log2((rows + n + row_delay + search) / key_interval + 1);
  const bool scaled = p.scale == ScaleKind::unbiased && !p.trellis();
  scale_cycles = scaled ? key_levels + part.index_bits + 4 + kQuotientBits : 0;
  search_cycles = p.trellis() ? 2 * part.head_dim + part.index_bits + ceil_log2(p.states) + 4 : 0;
  const int record_cycles = p.trellis() ? first_cycles - rows + search_cycles
                                        : first_cycles + 1 + scale_cycles + residual_cycles;
  store_cycles = record_cycles + encode_cycles;
  const bool gated = config.microarchitecture.clock_gating == files::ClockGating::write_path;
  clock_cycles = gated ? record_cycles : 0;
  wait_cycles = std::max(0, store_cycles - rotate_cycles - key_interval);
  const int entries = part.head_dim * files::table_levels(config, part);
  build_cycles = std::max(1, entries / config.microarchitecture.table_multipliers);
  if (p.prod()) build_cycles = std::max(build_cycles, read_rows);
  beats = (p.record_bits() + 16 * lanes - 1) / (16 * lanes);
  const bool exact = p.copies() != 0;
  exact_first = p.exact_first;
  exact_last = p.exact_last;
  copy_lanes = exact ? std::min(lanes, config.microarchitecture.table_multipliers) : 0;
  copy_cycles = exact ? p.head_dim / copy_lanes : 0;
  copy_latency = exact ? 2 + ceil_log2(copy_lanes) : 0;
  copy_waiting = exact ? 1 << ceil_log2((rows + n + row_delay) / rows + 2) : 0;
  copy_slots = attends ? config.store.segments * p.copies() + 1 : p.copies();
  place_bits = std::max(1, ceil_log2(p.copies()));
  most_accumulator_bits = part.accumulator_bits();
  if (exact) most_accumulator_bits = std::max(most_accumulator_bits, p.copy_accumulator_bits());
  read_latency = read_rows + read_levels + 7 + sum_cycles + decode_cycles;
  group = config.attention.parameters.group;
  token_interval = key_wait > 0 ? 2 * (rows + key_wait) : 2 * rows + 1;
  // The last sum; the first output row, which waits for the network or the reciprocal; all rows.
  const int network = rows + n;
  tail_cycles = decode_cycles + read_rows + read_levels + 17 +
                std::max(28, 2 * rows + network + 5) + out_rows + 2 +
                (group - 1) * std::max(rows, out_rows);
}

Parameters part_parameters(const Parameters& parameters, int j) {
  return parameters.split() ? parameters.part(j) : parameters;
}

std::vector<int> element_order(const files::Config& config) {
  const Parameters& p = config.parameters;
  const int lanes = config.microarchitecture.key_lanes;
  const int half = p.split() ? lanes / 2 : lanes;
  std::vector<int> order;
  for (int place = 0; place < p.head_dim; ++place) {
    const int row = place / lanes, lane = place % lanes;
    order.push_back(lane / half * (p.head_dim / 2) + row * half + lane % half);
  }
  return order;
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
