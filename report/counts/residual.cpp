#include "axelram/codebook.hpp"
#include "axelram/rounding.hpp"
#include "axelram/rtl/layout.hpp"
#include "counts/counts.hpp"

namespace axelram::report {

int residual_multiplications(const files::Config& config) {
  const Parameters& p = config.parameters;
  return p.prod() ? p.head_dim + p.levels() / 2 : 0;
}

int term_multiplications(const files::Config& config) {
  return config.parameters.prod() ? 2 : config.parameters.split() ? 1 : 0;
}

namespace {

/// Widths of the two terms of a score and of their sum, as axelram_score_sum has them.
struct TermBits {
  int first, second, sum;
};

TermBits term_bits(const Parameters& p, std::uint32_t factor) {
  const int n = p.log2_dim();
  const int first = rtl::part_parameters(p, 0).accumulator_bits() + 11;
  if (p.split()) return {first, first, 1 + first + 30};
  const int second = p.query_bits + n + 11 + bit_length(factor);
  return {first, second, 1 + std::max(first + 46 + n - n / 2, second + 14 + n / 2)};
}

}  // namespace

void add_split(const files::Config& config, Lines* lines) {
  const Parameters& p = config.parameters;
  if (!p.split()) return;
  const rtl::Layout layout(config);
  const int d = p.head_dim;
  const TermBits terms = term_bits(p, 1);

  Section order(lines, "order of channels");
  order.count("ordered_channels", d, "channels",
              "by wiring from the buffer of a vector: no permutation network; the paper has none "
              "of this section");
  order.count("order_multiplexers_in_hardware", 0, "multiplexers",
              "a lane selects one of its rows with and without an order");
  order.count("order_wait_cycles", layout.rows - 1, "cycles",
              "behind a key: its rows take channels of every beat");

  Section split(lines, "split");
  split.count("butterflies_left_out", d / 2, "butterflies", "the stage that pairs the halves");
  split.count("second_norm_multiplications_per_key_scored", 1, "multiplications",
              "sum of sub-vector 1 times its norm");
  split.count("term_additions_per_key_scored", 1, "additions", "both terms of the score");
  split.count("adder_trees_in_hardware", 2, "trees",
              "of read_lanes / 2 lookups, and two accumulators");
  split.count("square_roots_in_hardware", 2, "units", "one for each sub-vector");
  split.count("term_shifters_in_hardware", 1, "shifters",
              "of " + std::to_string(terms.sum) + " bits: the term of the higher exponent");
  split.count("term_adders_in_hardware", 1, "adders", "both terms of the score");
  split.count("term_register_bits", 2 * (terms.first + terms.second) + 4 * terms.sum, "bits",
              "flip-flops: both terms twice, their aligned ones, the sum and its magnitude");
  split.count("sum_cycles", layout.sum_cycles, "cycles", "by which a score comes later");
}

void add_residual(const files::Config& config, Lines* lines) {
  const Parameters& p = config.parameters;
  if (!p.prod()) return;
  const rtl::Layout layout(config);
  const int d = p.head_dim, n = p.log2_dim();
  const int lanes = config.microarchitecture.key_lanes;
  const int read_lanes = config.microarchitecture.read_lanes;
  const int difference_bits = layout.network_out_bits + 1;
  const std::uint32_t factor = codebook_rom(p).residual_scale;
  const TermBits terms = term_bits(p, factor);

  Section residual(lines, "residual");
  residual.count("reconstruction_multiplications_per_key", p.levels() / 2, "multiplications",
                 "2^(b-2): the upper half of the levels; the paper has none of this section");
  residual.count("residual_subtractions_per_key", d, "subtractions", "y_i - R, R of its index");
  residual.count("residual_roundings_per_key", d, "shifts with rounding",
                 "to the bits of an aligned element");
  residual.count("reconstruction_multipliers_in_hardware", p.levels(), "constant multipliers",
                 "2 * 2^(b-2): ROM constants times the lower and the upper half of the norm");
  residual.count("reconstruction_adders_in_hardware", p.levels(), "adders",
                 "2 * 2^(b-2): of both products, and to round");
  residual.count("residual_subtractors_in_hardware", lanes, "subtractors", "key_lanes");
  residual.count("residual_adders_in_hardware", lanes, "adders",
                 "key_lanes: R of the lower half of the levels is negative");
  residual.count("residual_rounders_in_hardware", lanes, "shifters with rounding", "key_lanes");
  residual.count("residual_delay_bits", (layout.rows + 2) * lanes * difference_bits, "bits",
                 std::to_string(layout.rows + 2) + " rows of differences wait for the shift");
  residual.count("residual_register_bits",
                 lanes * (layout.network_out_bits + difference_bits + p.aligned_bits() + 1), "bits",
                 "flip-flops: rows in front of the difference, behind it and behind the rounding, "
                 "and their signs");
  residual.count("residual_scale_bits", bit_length(factor), "bits", "Z, a constant");

  Section pass(lines, "second pass");
  pass.count("second_pass_butterflies_per_vector", d / 2 * n, "butterflies",
             "a key and a query each, in the network of the first pass");
  pass.count("second_pass_sign_flips_per_vector", d, "negations", "diag(s2), at most");
  pass.count("residual_squarings_per_key", d, "multiplications",
             "the residual norm, by the squarers, tree and root of the norm");
  pass.count("second_query_roundings_per_query", d, "shifts with rounding",
             "v, by the rounders of u");
  pass.count("second_pass_selections_in_hardware", lanes * layout.network_bits, "multiplexers",
             "of a bit, in front of the network: key_lanes * bits of an element");
  pass.count("wider_network_bits", layout.network_bits - p.aligned_bits(), "bits",
             "by which an element of the network is wider: a rounded query has query_bits");
  pass.count("second_sign_rom", d / 8, "bytes", "s2, beside s");
  pass.count("second_pass_key_cycles", layout.residual_cycles, "cycles",
             "a key in front of the network to its residual there; no vector starts meanwhile");
  pass.count("second_pass_query_cycles", layout.second_pass, "cycles",
             "a query in front of the network to its rounded rows there");

  Section signs(lines, "sum of signs and of two terms");
  signs.count("total_additions_per_query", d - 1, "additions",
              "sum of all v, once for each query, beside the table");
  signs.count("sign_additions_per_key_scored", d - 1, "additions",
              "of the v whose sign is set, beside the lookups");
  signs.count("second_norm_multiplications_per_key_scored", 1, "multiplications",
              "sum of signs times residual norm");
  signs.count("factor_multiplications_per_key_scored", 1, "multiplications", "times Z, a constant");
  signs.count("term_additions_per_key_scored", 2, "additions",
              "total less twice the selected part; both terms of the score");
  signs.count("sign_ands_in_hardware", read_lanes * p.query_bits, "ANDs",
              "read_lanes * query_bits, in place of negations");
  signs.count("sign_adders_in_hardware", read_lanes, "adders",
              "read_lanes - 1 in the tree and the accumulator");
  signs.count("sign_subtractors_in_hardware", 1, "subtractors",
              "the accumulator takes twice the selected part off the total");
  signs.count("second_norm_multipliers_in_hardware", 1, "multipliers", "of the residual norm");
  signs.count("factor_multipliers_in_hardware", 1, "constant multipliers", "by Z");
  signs.count("term_shifters_in_hardware", 1, "shifters",
              "of " + std::to_string(terms.sum) + " bits: the term of the higher exponent");
  signs.count("term_adders_in_hardware", 1, "adders", "both terms of the score");
  signs.count("second_query_buffer_bits", d * p.query_bits, "bits", "flip-flops: v");
  signs.count("selected_register_bits", read_lanes * p.query_bits, "bits",
              "flip-flops: a row of v");
  signs.count(
      "term_register_bits",
      terms.first + terms.second - bit_length(factor) + terms.first + terms.second + 4 * terms.sum,
      "bits", "flip-flops: both terms, their aligned ones, the sum and its magnitude");
  signs.count("sum_cycles", layout.sum_cycles, "cycles", "by which a score comes later");
}

}  // namespace axelram::report
