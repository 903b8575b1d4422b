#include <algorithm>

#include "axelram/rtl/layout.hpp"
#include "counts/counts.hpp"

namespace axelram::report {
namespace {

bool sums_by_magnitude(const rtl::Layout& layout, int part) {
  return layout.sums_by_magnitude[static_cast<std::size_t>(part)];
}

/// Of an unbiased norm whose indices are chosen one by one.
void add_correlation(const files::Config& config, const rtl::Layout& layout, Section* section) {
  const Parameters& p = config.parameters;
  const int lanes = config.microarchitecture.key_lanes / layout.parts;
  const bool sums = sums_by_magnitude(layout, 0), both = sums != sums_by_magnitude(layout, 1);
  const bool mixed = p.split() && both;
  const int multipliers = sum_of_parts(p, [&](const Parameters& part, int j) {
    return sums_by_magnitude(layout, j) ? part.levels() / 2 : lanes;
  });
  const int adders = sum_of_parts(p, [&](const Parameters& part, int j) {
    const int words = part.levels() / 2;
    return sums_by_magnitude(layout, j) ? words * lanes + words - 1 : lanes;
  });
  section->count("correlation_additions_per_key", p.head_dim - layout.parts, "additions",
                 "A = sum of y_i * C[idx_i]; the paper has none of this section");
  section->count("correlation_multiplications_per_key", correlation_multiplications(config),
                 "multiplications",
                 mixed  ? "one for each magnitude of a sub-vector, or one for each element"
                 : sums ? "2^(b-1): one for each magnitude of a centroid word"
                        : "d: one for each element");
  section->count("correlation_negators_in_hardware", config.microarchitecture.key_lanes, "negators",
                 "key_lanes: y_i of a negative word");
  section->count("correlation_multipliers_in_hardware", multipliers, "multipliers",
                 mixed  ? "behind a sum for each magnitude, or one for each lane"
                 : sums ? "2^(b-1), behind a sum for each magnitude"
                        : "key_lanes, one for each lane");
  section->count("correlation_adders_in_hardware", adders, "adders",
                 mixed ? "trees and accumulators, and the sum of the products"
                 : sums
                     ? "2^(b-1) trees and accumulators over key_lanes, and the sum of the products"
                     : "key_lanes - 1 in the tree and the accumulator");
}

}  // namespace

int correlation_multiplications(const files::Config& config) {
  const Parameters& p = config.parameters;
  if (p.trellis()) return kSubsets * p.head_dim;
  const rtl::Layout layout(config);
  return sum_of_parts(p, [&](const Parameters& part, int j) {
    return sums_by_magnitude(layout, j) ? part.levels() / 2 : part.head_dim;
  });
}

void add_scale(const files::Config& config, Lines* lines) {
  const Parameters& p = config.parameters;
  if (p.scale != ScaleKind::unbiased) return;
  const rtl::Layout layout(config);
  const Parameters part = rtl::part_parameters(p, 0);
  const int lanes = config.microarchitecture.key_lanes / layout.parts;
  const bool pipelined = layout.key_interval < rtl::Layout::kQuotientBits;
  constexpr int kRejected = 1;
  const int wide = std::max(part.square_sum_bits(), part.correlation_bits());
  const int divider_registers = layout.parts * (pipelined ? rtl::Layout::kQuotientBits : 1);

  Section section(lines, "unbiased norm");
  if (p.trellis()) {
    section.count("correlation_additions_per_key", 2 * p.states * p.head_dim, "additions",
                  "A of two paths to each of the states; the paper has none of this section");
    section.count("correlation_multiplications_per_key", correlation_multiplications(config),
                  "multiplications", "4 d: an element times the word of each of four branches");
    section.count("correlation_multipliers_in_hardware", layout.parts * kSubsets, "multipliers",
                  "one for each of four branches");
    section.count("correlation_adders_in_hardware", layout.parts * 2 * p.states, "adders",
                  "2 * states");
  } else {
    add_correlation(config, layout, &section);
  }
  section.count(
      "divisions_per_key", layout.parts, "divisions",
      "S / A, " + std::to_string(rtl::Layout::kQuotientBits) + " steps of compare and subtract");
  section.count(
      "divider_stages_in_hardware", pipelined ? divider_registers : 2 * divider_registers, "stages",
      pipelined ? "pipelined, one a quotient bit"
                : "of the first bit, and of all others: the rows of a key leave it the time");
  if (!p.trellis()) {
    const int delayed = sum_of_parts(p, [&](const Parameters& of, int) {
      const int later = part.index_bits - of.index_bits;
      return layout.scale_cycles * (lanes * of.index_bits + 1) + later * 18;
    });
    section.count("scale_latency_cycles", layout.scale_cycles, "cycles",
                  "indices of the last row to the norm; a record waits as long");
    section.count("index_delay_bits", delayed, "bits", "rows of indices that wait for the norm");
  }
  section.count(
      "square_sum_delay_bits",
      layout.parts * layout.norms_waiting * (part.square_sum_bits() + layout.exponent_bits), "bits",
      std::to_string(layout.parts * layout.norms_waiting) + " square sums that wait for A");
  section.count(
      "divider_bits",
      divider_registers *
          (2 * wide + 1 + rtl::Layout::kQuotientBits + p.format_exponent_bits() + 4 + kRejected),
      "bits", "flip-flops: remainder, divisor, quotient, exponent, and whether A is rejected");
}

}  // namespace axelram::report
