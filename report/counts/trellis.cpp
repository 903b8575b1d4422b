#include "axelram/rtl/layout.hpp"
#include "counts/counts.hpp"

namespace axelram::report {

int search_multiplications(const files::Config& config) {
  return config.parameters.trellis() ? kSubsets * config.parameters.head_dim : 0;
}

void add_trellis(const files::Config& config, Lines* lines) {
  const Parameters& p = config.parameters;
  if (!p.trellis()) return;
  const rtl::Layout layout(config);
  const Parameters part = rtl::part_parameters(p, 0);
  const int d = p.head_dim, parts = layout.parts;
  const auto sum = [&p](auto figure) {
    return sum_of_parts(p, [&](const Parameters& of, int) { return figure(of); });
  };
  const int path_bits = 24 + part.log2_dim() + 1;
  const bool unbiased = p.scale == ScaleKind::unbiased;
  const int sum_bits = unbiased ? part.correlation_bits() : 1;
  const auto comparators = [](const Parameters& of) {
    return kSubsets * (of.levels() / kSubsets - 1);
  };
  const auto survivor_bits = [](const Parameters& of) {
    return of.states + kSubsets * (of.index_bits - 1);
  };
  const int xors = p.states == 4 ? 1 : 2;

  Section section(lines, "trellis");
  section.count("distances_per_key", element_levels(p), "subtractions",
                "d * 2^(b+1): every level, in place of comparisons with thresholds; the paper has "
                "none of this section");
  section.count("nearest_comparisons_per_key",
                sum([&](const Parameters& of) { return of.head_dim * comparators(of); }),
                "comparisons", "the nearest level of each of four subsets");
  section.count("cost_multiplications_per_key", search_multiplications(config), "multiplications",
                "4 d: squares of 12 bits");
  section.count("path_additions_per_key", 2 * p.states * d, "additions",
                "two paths to each of the states");
  section.count("path_comparisons_per_key", p.states * d + parts * (p.states - 1), "comparisons",
                "the cheaper one, and the cheapest of all states");
  section.count("level_xors_per_key_scored", xors * d, "XORs",
                "gates of two inputs; the level of an index, in front of its lookup");
  section.count("reconstruction_multipliers_in_hardware", 2 * layout.scaled_words,
                "constant multipliers",
                "2 * 2^b: of the upper half of the levels, times the lower and the upper half of "
                "the norm; the lower half of the levels is negative");
  section.count("reconstruction_adders_in_hardware", 2 * layout.scaled_words, "adders",
                "2 * 2^b: of both products, and to round");
  const int levels = sum([](const Parameters& of) { return of.levels(); });
  section.count("distance_subtractors_in_hardware", levels, "subtractors",
                "2^(b+1): an element per cycle");
  section.count("distance_negators_in_hardware", levels, "negators", "2^(b+1): magnitudes");
  section.count("nearest_comparators_in_hardware", sum(comparators), "comparators",
                "2^(b-1) - 1 for each of four subsets");
  section.count("cost_multipliers_in_hardware", parts * kSubsets, "multipliers",
                "squares of 12 bits");
  section.count("path_adders_in_hardware", parts * 2 * p.states, "adders", "2 * states");
  section.count("path_comparators_in_hardware", parts * (2 * p.states - 1), "comparators",
                "one for each state, and a tree over the states");
  section.count("level_xors_in_hardware", xors * config.microarchitecture.read_lanes, "XORs",
                "gates of two inputs: read_lanes levels");
  section.count(
      "survivor_memory_bits",
      sum([&](const Parameters& of) { return 2 * of.head_dim * survivor_bits(of); }), "bits",
      p.split() ? "two halves of d/2 words for each sub-vector: a predecessor for each "
                  "state, an index for each subset"
                : "two halves of d words, " + std::to_string(survivor_bits(part)) +
                      " bits each: a predecessor for each state, an index for each subset");
  section.count("element_register_bits", d * part.rotated_bits(), "bits",
                "flip-flops: the rows of the key that is searched");
  section.count("path_register_bits", parts * (2 * p.states - 1) * (path_bits + sum_bits), "bits",
                std::string("flip-flops: costs and ") +
                    (unbiased ? "correlations" : "a constant bit") +
                    " of the paths, and of the tree over them");
  section.count("search_cycles", layout.search_cycles, "cycles",
                "first rotated row of a key to its record: d to search, d to trace back");
}

}  // namespace axelram::report
