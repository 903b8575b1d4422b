#pragma once

#include <string>
#include <vector>

#include "axelram/files/config.hpp"
#include "small_configs.hpp"

namespace axelram::report {

/// A small configuration of each kind of macro whose netlist is counted.
struct NetlistKind {
  std::string name;
  files::Config config;
};

inline files::Config netlist_config(const std::string& yaml) {
  return files::parse_config(yaml, "netlist.yaml", ".");
}

/// `macro` and `rest` continue the YAML of a configuration of d = 32.
inline NetlistKind netlist_kind(const std::string& name, const std::string& macro,
                                const std::string& lanes, const std::string& rest) {
  const std::string yaml = "macro: {head_dim: 32, max_keys: 24" + macro + "}\n";
  return {name, netlist_config(yaml + "microarchitecture: {" + lanes + "}\n" + rest)};
}

/// Few lanes: a second or two of Yosys each.
inline std::vector<NetlistKind> folded_kinds() {
  const std::string few = "key_lanes: 4, read_lanes: 8, table_multipliers: 4";
  const std::string hamming =
      "ecc: {code: hamming84, erasure: interpolate, stages: 1, scrub_interval: 5}\n";
  const std::string unbiased = "quantizer: {scale: unbiased}\n";
  const std::string longer =
      "macro: {head_dim: 64, max_keys: 24}\nmicroarchitecture: {" + few + "}\n";
  files::Config centered = netlist_kind("center", "", few, "").config;
  centered.parameters.centered = true;
  centered.center.assign(32, 0x3400);
  return {
      netlist_kind("plain", "", few, ""),
      netlist_kind("bf16", ", element_format: bf16, index_bits: 2", few, ""),
      {"longer keys", netlist_config(longer)},
      netlist_kind("one lane", ", index_bits: 4",
                   "key_lanes: 1, read_lanes: 1, table_multipliers: 2", ""),
      netlist_kind("many multipliers", "", "key_lanes: 8, read_lanes: 4, table_multipliers: 64",
                   ""),
      netlist_kind("half table", "", few + ", score_lane: half_table", ""),
      netlist_kind("latches", "", few + ", table_storage: latches", ""),
      netlist_kind("latches, many multipliers", "",
                   "key_lanes: 8, read_lanes: 4, table_multipliers: 64, score_lane: half_table, "
                   "table_storage: latches",
                   "numerics: {centroid_bits: 10, query_bits: 9}\n"),
      netlist_kind("gated", "", few + ", clock_gating: write_path", unbiased),
      netlist_kind("gated, latches", "", few + ", table_storage: latches, clock_gating: write_path",
                   "quantizer: {kind: trellis}\n"),
      netlist_kind("multiplier", "", "key_lanes: 4, read_lanes: 8, score_lane: multiplier",
                   "numerics: {centroid_bits: 10, query_bits: 9}\n"),
      netlist_kind("code", "", few, hamming),
      netlist_kind("golay", "", few, "ecc: {code: golay24, decoder: rom, stages: 2}\n"),
      netlist_kind("odd widths", "", few,
                   "numerics: {centroid_bits: 10, query_bits: 9}\n" + unbiased),
      netlist_kind("unbiased, one lane", "", "key_lanes: 1, read_lanes: 4, table_multipliers: 4",
                   unbiased),
      netlist_kind("trellis", "", few, "quantizer: {kind: trellis, states: 4}\n"),
      netlist_kind("trellis, unbiased", ", index_bits: 4", few,
                   "numerics: {centroid_bits: 9}\nquantizer: {kind: trellis, scale: unbiased}\n"),
      netlist_kind("exact", "", few, unbiased + "exact: {first: 2, last: 3, bits: 13}\n"),
      netlist_kind("prod", "", few, "numerics: {query_bits: 9}\nquantizer: {kind: prod}\n"),
      netlist_kind("prod, code", ", index_bits: 4", few, "quantizer: {kind: prod}\n" + hamming),
      {"center", centered},
      {"split, code", test::small_split_folded()}};
}

/// A lane for each element.
inline std::vector<NetlistKind> parallel_kinds() {
  const std::string all = "key_lanes: 32, read_lanes: 32";
  return {
      netlist_kind("plain", "", all, ""),
      netlist_kind("unbiased", "", all, "quantizer: {scale: unbiased}\n"),
      netlist_kind("golay", "", all, "ecc: {code: golay24, erasure: interpolate, stages: 2}\n"),
      netlist_kind("trellis", ", index_bits: 2", all,
                   "quantizer: {kind: trellis, scale: unbiased}\n"),
      netlist_kind("exact", "", all, "quantizer: {scale: unbiased}\nexact: {first: 2, last: 3}\n"),
      netlist_kind("prod", "", all, "quantizer: {kind: prod}\n"),
      {"split", test::small_split()},
      {"split, trellis", test::small_split_trellis()}};
}

}  // namespace axelram::report
