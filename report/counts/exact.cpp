#include <algorithm>

#include "axelram/rounding.hpp"
#include "axelram/rtl/layout.hpp"
#include "axelram/sim/cycle_model.hpp"
#include "counts/counts.hpp"

namespace axelram::report {
namespace {

constexpr int kExponentBits = 12;  // of a copy

/// Cycles that copies add to the reads of a query over `keys` keys.
std::uint64_t added_by_copies(const rtl::Layout& layout, std::uint64_t keys) {
  rtl::Layout records_only = layout;
  records_only.copy_cycles = 0;
  return sim::cycle_model(layout, {keys, 0}, 1).read -
         sim::cycle_model(records_only, {keys, 0}, 1).read;
}

std::string product(int left, int right) {
  return std::to_string(left) + " x " + std::to_string(right);
}

}  // namespace

std::uint64_t copies_scored(const files::Config& config) {
  return static_cast<std::uint64_t>(std::min(config.parameters.copies(), config.max_keys));
}

double copies_bytes(const files::Config& config) {
  const Parameters& p = config.parameters;
  return p.copies() * (p.head_dim * p.exact_bits + kExponentBits) / 8.0;
}

void add_exact(const files::Config& config, Lines* lines) {
  const Parameters& p = config.parameters;
  const int copies = p.copies();
  if (copies == 0) return;
  const rtl::Layout layout(config);
  const int d = p.head_dim;
  const int lanes = config.microarchitecture.key_lanes;
  const int factor = std::max(p.centroid_bits, p.exact_bits);
  const int places = 1 << layout.place_bits;
  const int shift_bits = bit_length(static_cast<std::uint64_t>(p.rotated_bits() - p.exact_bits));
  const int row_bits = lanes * p.exact_bits + kExponentBits;

  Section section(lines, "exact tokens");
  section.count("copies", copies, "copies",
                "S + R, whatever max_keys; the paper has none of this section");
  section.count("copy_roundings_per_key", d, "shifts with rounding",
                "rotated key to X bits, of every key");
  section.count(
      "copy_multiplications_per_query", d * copies, "multiplications",
      "d for each copy, beside " + std::to_string(table_entries(config)) + " for the table");
  section.count("copy_additions_per_query", (d - 1) * copies, "additions", "d - 1 for each copy");
  section.count("copy_rounders_in_hardware", lanes, "shifters with rounding",
                "key_lanes, beside those of queries");
  section.count("wide_multipliers_in_hardware", layout.copy_lanes, "multipliers",
                "of table_multipliers, " + product(p.query_bits, factor) + " bits in place of " +
                    product(p.query_bits, p.centroid_bits) +
                    ": at most key_lanes of them serve copies too");
  section.count("copy_adders_in_hardware", layout.copy_lanes, "adders",
                "a tree over the wide multipliers, and the accumulator");
  section.count("copy_memory_bits", copies * d * p.exact_bits, "bits",
                "memory: d elements of X bits for each copy, in words of key_lanes");
  section.count("copy_exponent_bits", copies * kExponentBits, "bits",
                "memory: an exponent of 12 bits for each copy");
  section.count("copy_memory_output_bits", row_bits, "bits", "flip-flops: what was read last");
  section.count("copy_rounding_bits", row_bits + 2 * p.rotated_bits(), "bits",
                "flip-flops: a rounded row and its exponent; OR of a row, and of a key");
  section.count("copy_shift_bits", layout.copy_waiting * (shift_bits + layout.exponent_bits),
                "bits",
                std::to_string(layout.copy_waiting) +
                    " shifts and exponents that wait for the rows of their keys");
  section.count("waiting_accumulator_bits", places * (p.copy_accumulator_bits() + kExponentBits),
                "bits",
                std::to_string(places) + " accumulators with exponents that wait for their reads");
  section.count("copy_flag_bits", copies + layout.fifo_depth, "bits",
                "flip-flops: places that hold a copy; reads under way of tokens with a copy");
  section.count("wider_register_bits",
                layout.copy_lanes * (factor - p.centroid_bits) + layout.most_accumulator_bits -
                    p.accumulator_bits(),
                "bits",
                "flip-flops: by which products and the magnitude of an accumulator are wider");
  section.count("copy_cycles", layout.copy_cycles, "cycles",
                "multiplications of a copy: d / wide multipliers");
  section.count("first_copy_latency_cycles", layout.copy_latency + layout.copy_cycles, "cycles",
                "start of the reads to the first accumulator of a copy");
  section.count("last_copy_latency_cycles", layout.copy_latency + copies * layout.copy_cycles,
                "cycles", "start of the reads to the last accumulator of a copy");

  // From here on every copy of the newest tokens is accumulated before its read.
  const auto fewest = static_cast<std::uint64_t>(copies);
  const auto many = fewest + static_cast<std::uint64_t>(layout.copy_latency) +
                    fewest * static_cast<std::uint64_t>(layout.copy_cycles);
  const std::uint64_t least = added_by_copies(layout, many);
  std::uint64_t keys = fewest;
  while (added_by_copies(layout, keys) != least) ++keys;
  section.count("copy_read_delay_cycles", least, "cycles",
                "reads of a query wait for the first S copies");
  section.count("keys_that_hide_copies", keys, "keys",
                "with fewer keys the reads wait for copies of newest tokens too");
}

}  // namespace axelram::report
