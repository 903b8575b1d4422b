#pragma once

#include <string>

#include "axelram/files/config.hpp"
#include "axelram/files/safetensors.hpp"
#include "axelram/files/trace.hpp"

namespace test {

/// A configuration, of which the file `constants` has these tensors.
axelram::files::Config with_constants(const std::vector<axelram::files::Tensor>& constants,
                                      const std::string& yaml, const std::string& name);

inline axelram::files::Config small(const std::string& yaml) {
  return axelram::files::parse_config(yaml, "small.yaml", ".");
}

/// d = 32, fully parallel.
inline axelram::files::Config small_parallel() {
  return small("macro: {head_dim: 32, max_keys: 24}\n");
}

/// d = 32 over 4 and 8 lanes: uses every row stage, the sequential root and the accumulators.
inline axelram::files::Config small_folded() {
  return small(
      "macro: {head_dim: 32, max_keys: 24}\n"
      "microarchitecture: {key_lanes: 4, read_lanes: 8, table_multipliers: 4}\n");
}

/// Parallel, with an unbiased norm: a sum for each magnitude, a divider with a stage for each bit.
inline axelram::files::Config small_unbiased() {
  return small("macro: {head_dim: 32, max_keys: 24}\nquantizer: {scale: unbiased}\n");
}

/// Two lanes of BF16, with an unbiased norm: a product for each lane, a divider of one stage, ties.
/// The code is that of small_coded.
inline axelram::files::Config small_unbiased_folded() {
  return small(
      "macro: {head_dim: 32, max_keys: 24, element_format: bf16}\n"
      "quantizer: {scale: unbiased}\n"
      "microarchitecture: {key_lanes: 2, read_lanes: 8, table_multipliers: 4}\n"
      "ecc: {code: hamming84, erasure: interpolate, stages: 1, scrub_interval: 5}\n");
}

/// Parallel, with a trellis of 8 states and an unbiased norm.
inline axelram::files::Config small_trellis() {
  return small(
      "macro: {head_dim: 64, max_keys: 24}\nquantizer: {kind: trellis, scale: unbiased}\n");
}

/// Two lanes of BF16, with a trellis of 4 states and a plain norm, behind a code.
inline axelram::files::Config small_trellis_folded() {
  return small(
      "macro: {head_dim: 32, index_bits: 2, max_keys: 24, element_format: bf16}\n"
      "quantizer: {kind: trellis, states: 4}\n"
      "microarchitecture: {key_lanes: 2, read_lanes: 8, table_multipliers: 4}\n"
      "ecc: {code: hamming84, stages: 1, scrub_interval: 5}\n");
}

/// Parallel, with signs of residuals.
inline axelram::files::Config small_prod() {
  return small("macro: {head_dim: 32, max_keys: 24}\nquantizer: {kind: prod}\n");
}

/// Four lanes and one index bit, with signs of residuals; the code is that of small_coded. The
/// table is built before all v are summed.
inline axelram::files::Config small_prod_folded() {
  return small(
      "macro: {head_dim: 32, index_bits: 2, max_keys: 24}\n"
      "quantizer: {kind: prod}\n"
      "microarchitecture: {key_lanes: 4, read_lanes: 8, table_multipliers: 64}\n"
      "ecc: {code: hamming84, erasure: interpolate, stages: 1, scrub_interval: 5}\n");
}

/// Parallel, with a split of an unbiased norm.
axelram::files::Config small_split();
/// Four lanes, three bits and one; the code is that of small_coded.
axelram::files::Config small_split_folded();
/// Parallel, with a split of a trellis, three bits and one.
axelram::files::Config small_split_trellis();

/// Parallel, with exponents that are all negative: those of queries may be.
axelram::files::Config small_balanced();
/// Four lanes, with exponents of every size and a center, a trellis and exact tokens.
axelram::files::Config small_balanced_folded();
/// Eight lanes, with signs of residuals; exponents are positive, those of keys may be negative.
axelram::files::Config small_balanced_prod();

/// Parallel, with exact tokens.
inline axelram::files::Config small_exact() {
  return small(
      "macro: {head_dim: 32, max_keys: 24}\n"
      "quantizer: {scale: unbiased}\n"
      "exact: {first: 1, last: 3}\n");
}

/// Two lanes, with exact tokens of which several come as records; the code is that of small_coded.
inline axelram::files::Config small_exact_folded() {
  return small(
      "macro: {head_dim: 32, max_keys: 24}\n"
      "quantizer: {scale: unbiased}\n"
      "exact: {first: 2, last: 3, bits: 12}\n"
      "microarchitecture: {key_lanes: 2, read_lanes: 8, table_multipliers: 4}\n"
      "ecc: {code: hamming84, erasure: interpolate, stages: 1, scrub_interval: 5}\n");
}

/// Without `folded` parallel. With a half table.
inline axelram::files::Config small_half_table(bool folded) {
  return small("macro: {head_dim: 32, max_keys: 24}\nmicroarchitecture: {score_lane: half_table" +
               std::string(folded ? ", key_lanes: 4, read_lanes: 8, table_multipliers: 2" : "") +
               "}\n");
}
/// The same, with a table of latches; parallel, a step writes eight lanes.
inline axelram::files::Config small_latches(bool folded) {
  return small("macro: {head_dim: 32, max_keys: 24}\nmicroarchitecture: {table_storage: latches" +
               std::string(folded ? ", key_lanes: 4, read_lanes: 8, table_multipliers: 4"
                                  : ", table_multipliers: 64") +
               "}\n");
}
/// Parallel or folded, with a write path whose clock stands while it is empty.
inline axelram::files::Config small_gated(bool folded) {
  return small("macro: {head_dim: 32, max_keys: 24}\nmicroarchitecture: {clock_gating: write_path" +
               std::string(folded ? ", key_lanes: 4, read_lanes: 8, table_multipliers: 4" : "") +
               "}\n");
}
/// As small_half_table, with a multiplier in each read lane.
inline axelram::files::Config small_multiplier(bool folded) {
  return small("macro: {head_dim: 32, max_keys: 24}\nmicroarchitecture: {score_lane: multiplier" +
               std::string(folded ? ", key_lanes: 4, read_lanes: 8" : "") + "}\n");
}

/// Folded, with a SECDED code; scrubs overlap keys.
inline axelram::files::Config small_coded() {
  return small(
      "macro: {head_dim: 32, max_keys: 16}\n"
      "microarchitecture: {key_lanes: 4, read_lanes: 8, table_multipliers: 4}\n"
      "ecc: {code: hamming84, erasure: interpolate, stages: 1, scrub_interval: 5}\n");
}

/// Parallel, with a deep pipeline and a table built in one cycle: scrubs overlap queries.
inline axelram::files::Config small_coded_deep() {
  return small(
      "macro: {head_dim: 32, max_keys: 20}\n"
      "microarchitecture: {table_multipliers: 256}\n"
      "ecc: {code: hsiao_39_32, erasure: interpolate, stages: 5, scrub_interval: 1}\n");
}

/// 24 finite keys and 12 queries that reach subnormals, saturation and ties.
axelram::files::Trace small_trace(const axelram::files::Config& config);

}  // namespace test
