#include <algorithm>

#include "axelram/rtl/layout.hpp"
#include "report_lines.hpp"

namespace axelram::sim {

int correlation_multiplications(const files::Config& config) {
  const Parameters& p = config.parameters;
  if (p.trellis()) return kSubsets * p.head_dim;
  return rtl::Layout(config).sums_by_magnitude ? p.levels() / 2 : p.head_dim;
}

namespace {

/// Of an unbiased norm whose indices are chosen one by one.
void add_correlation(const files::Config& config, const rtl::Layout& layout, Section* section) {
  const Parameters& p = config.parameters;
  const int lanes = config.microarchitecture.key_lanes;
  const int words = p.levels() / 2;
  const bool sums = layout.sums_by_magnitude;
  section->count("correlation_additions_per_key", p.head_dim - 1, "additions",
                 "A = sum of y_i * C[idx_i]; the paper has none of this section");
  section->count(
      "correlation_multiplications_per_key", correlation_multiplications(config), "multiplications",
      sums ? "2^(b-1): one for each magnitude of a centroid word" : "d: one for each element");
  section->count(
      "correlation_multipliers_in_hardware", sums ? words : lanes, "multipliers",
      sums ? "2^(b-1), behind a sum for each magnitude" : "key_lanes, one for each lane");
  section->count("correlation_adders_in_hardware", sums ? words * lanes + words - 1 : lanes,
                 "adders",
                 sums ? "2^(b-1) trees and accumulators over key_lanes, and the sum of the products"
                      : "key_lanes - 1 in the tree and the accumulator");
}

}  // namespace

void add_scale(const files::Config& config, Lines* lines) {
  const Parameters& p = config.parameters;
  if (p.scale != ScaleKind::unbiased) return;
  const rtl::Layout layout(config);
  const int lanes = config.microarchitecture.key_lanes;
  const bool pipelined = layout.key_interval < rtl::Layout::kQuotientBits;
  const int wide = std::max(p.square_sum_bits(), p.correlation_bits());
  const int divider_stages = pipelined ? rtl::Layout::kQuotientBits : 1;

  Section section(lines, "unbiased norm");
  if (p.trellis()) {
    section.count("correlation_additions_per_key", 2 * p.states * p.head_dim, "additions",
                  "A of two paths to each of the states; the paper has none of this section");
    section.count("correlation_multiplications_per_key", correlation_multiplications(config),
                  "multiplications", "4 d: an element times the word of each of four branches");
    section.count("correlation_multipliers_in_hardware", kSubsets, "multipliers",
                  "one for each of four branches");
    section.count("correlation_adders_in_hardware", 2 * p.states, "adders", "2 * states");
  } else {
    add_correlation(config, layout, &section);
  }
  section.count(
      "divisions_per_key", 1, "divisions",
      "S / A, " + std::to_string(rtl::Layout::kQuotientBits) + " steps of compare and subtract");
  section.count("divider_stages_in_hardware", divider_stages, "stages",
                pipelined ? "pipelined, one a quotient bit"
                          : "one for all bits: the rows of a key leave it the time");
  if (!p.trellis()) {
    section.count("scale_latency_cycles", layout.scale_cycles, "cycles",
                  "indices of the last row to the norm; a record waits as long");
    section.count("index_delay_bits", layout.scale_cycles * (lanes * p.index_bits + 1), "bits",
                  "rows of indices that wait for the norm");
  }
  section.count("square_sum_delay_bits",
                layout.norms_waiting * (p.square_sum_bits() + p.format_exponent_bits()), "bits",
                std::to_string(layout.norms_waiting) + " square sums that wait for A");
  section.count(
      "divider_bits",
      divider_stages * (2 * wide + 1 + rtl::Layout::kQuotientBits + p.format_exponent_bits() + 4),
      "bits", "flip-flops: remainder, divisor, quotient and exponent");
}

}  // namespace axelram::sim
