#include "report_lines.hpp"

namespace axelram::sim {

void add_operations(const files::Config& config, Lines* lines) {
  const Parameters& p = config.parameters;
  const Paper paper(config);
  const int d = p.head_dim;

  Section vector(lines, "operations per vector (key or query)");
  vector.count("element_alignments_per_vector", d, "shifts with rounding",
               "floats to integers with one exponent; the paper leaves it out");
  vector.count("sign_flips_per_vector", d, "negations", "diag(s), at most");
  vector.count("butterflies_per_vector", d / 2 * p.log2_dim(), "butterflies",
               "d/2 * log2(d), each one addition and one subtraction; no multiplier", paper(448));

  Section key(lines, "operations per key written");
  if (p.centered) key.count("center_subtractions_per_key", d, "subtractions", "the key center");
  key.count("comparisons_per_key", d * p.boundaries(), "comparisons", "d * (2^b - 1)", paper(896));
  key.count("squarings_per_key", d, "multiplications",
            "norm extraction: sum of squares; the paper leaves it out");
  key.count("square_sum_additions_per_key", d - 1, "additions",
            "norm extraction; the paper leaves it out");
  key.count("square_roots_per_key", 1, "square roots",
            "norm extraction, " + std::to_string(p.root_bits()) +
                " steps of shift and subtract; the paper leaves it out");
  key.count("norm_roundings_per_key", 1, "roundings", "norm to FP16; the paper leaves it out");
  key.count("threshold_multiplications_per_key", p.boundaries(), "multiplications",
            "2^b - 1 boundaries times the norm (one boundary is 0); the paper leaves them out");

  Section query(lines, "operations per query");
  query.count("query_roundings_per_query", d, "shifts with rounding",
              "rotated query to query_bits; the paper leaves it out");
  query.count("table_multiplications_per_query", d * p.levels(), "multiplications", "d * 2^b",
              paper(1024));
  query.count("lookups_per_key_scored", d, "lookups", "one a coordinate", paper(128));
  query.count("additions_per_key_scored", d - 1, "additions", "adder tree: d - 1", paper(127));
  query.count("norm_multiplications_per_key_scored", 1, "multiplications", "score times norm",
              paper(1));
}

void add_multiplications(const files::Config& config, Lines* lines) {
  const Parameters& p = config.parameters;
  const Paper paper(config);
  const auto d = static_cast<std::uint64_t>(p.head_dim);
  const auto keys = static_cast<std::uint64_t>(config.max_keys);
  const std::uint64_t table = d * static_cast<std::uint64_t>(p.levels());
  const std::uint64_t conventional = keys * d;
  const std::uint64_t written = d + static_cast<std::uint64_t>(p.boundaries());
  const auto ratio = [&](std::uint64_t ours) {
    return static_cast<double>(conventional) / static_cast<double>(ours);
  };

  Section section(lines, "multiplications at T = max_keys = " + std::to_string(keys));
  section.count("conventional_multiplications_per_query", conventional, "multiplications",
                "T * d: inner products with keys that are floats already",
                paper.at_4096_keys(524288));
  section.count("multiplications_per_query", table + keys, "multiplications",
                "d * 2^b + T: the read path alone", paper.at_4096_keys(5120));
  section.figure("multiplication_reduction", ratio(table + keys), "x", Method::counted,
                 "T * d / (d * 2^b + T): the read path alone", paper.at_4096_keys(102.4));
  section.count("write_path_multiplications_per_key", written, "multiplications",
                "d squarings and 2^b - 1 thresholds, once a key; the paper counts none");
  section.count("multiplications_per_decoding_step", table + keys + written, "multiplications",
                "one key written, one query on T keys: d * 2^b + T + d + 2^b - 1");
  section.figure("multiplication_reduction_per_decoding_step", ratio(table + keys + written), "x",
                 Method::counted,
                 "T * d / (d * 2^b + T + d + 2^b - 1): the write path counted, a query a key");
  section.figure("multiplication_reduction_single_query", ratio(table + keys + keys * written), "x",
                 Method::counted,
                 "T * d / (d * 2^b + T + T * (d + 2^b - 1)): T keys written for one query");
}

}  // namespace axelram::sim
