#include "attention_configs.hpp"

#include <string>
#include <vector>

#include "small_configs.hpp"

namespace axelram::sim {
namespace {

using files::view;

files::Config config_of(const std::string& yaml) {
  return files::parse_config(yaml, "attends.yaml", AXELRAM_SOURCE "/configs");
}

/// Centers with largest exponents far apart: every second row has small elements.
files::Config centered(std::size_t d, std::size_t rotations, const std::string& yaml) {
  std::vector<std::uint16_t> centers(rotations * d);
  for (std::size_t i = 0; i < centers.size(); ++i)
    centers[i] = static_cast<std::uint16_t>((i / d % 2 == 0 ? 0x2800 : 0x4c00) + i * 37 % 0x400);
  return test::with_constants({view("center", files::DataType::f16, {1, rotations, d}, centers)},
                              "rotation: {center: constants}\n" + yaml, "attends.yaml");
}

}  // namespace

files::Config attends_parallel() {
  return config_of("macro: {head_dim: 32, max_keys: 40}\nattention: {output_lanes: 8}\n");
}

files::Config attends_folded() {
  return config_of(
      "macro: {head_dim: 32, index_bits: 2, max_keys: 40}\n"
      "attention: {group: 4, output: fp32, output_lanes: 2}\n"
      "store: {segments: 3, rotations: 4}\n"
      "microarchitecture: {key_lanes: 8, read_lanes: 4, table_multipliers: 16}\n");
}

files::Config attends_largest() {
  return config_of(
      "macro: {head_dim: 32, index_bits: 2, max_keys: 40}\n"
      "numerics: {significand_bits: 20, query_bits: 16, centroid_bits: 16}\n"
      "quantizer: {kind: trellis, scale: unbiased}\n"
      "attention: {group: 2, weight_bits: 28, output: fp32, output_lanes: 32}\n"
      "store: {segments: 2}\n"
      "microarchitecture: {key_lanes: 4, read_lanes: 32, clock_gating: write_path}\n");
}

files::Config attends_centered() {
  return centered(128, 2,
                  "macro: {head_dim: 128, index_bits: 4, max_keys: 20}\n"
                  "attention: {group: 8}\nstore: {segments: 2, rotations: 2}\n"
                  "microarchitecture: {read_lanes: 64, score_lane: multiplier}\n");
}

files::Config attends_loaded() {
  return centered(32, 3,
                  "macro: {head_dim: 32, index_bits: 2, max_keys: 40}\n"
                  "attention: {group: 2}\n"
                  "store: {segments: 4, rotations: 3, rotation_memory: ram}\n"
                  "microarchitecture: {key_lanes: 8, read_lanes: 16}\n");
}

files::Config attends_balanced() {
  constexpr std::size_t kDim = 32, kRotations = 2;
  std::vector<std::int8_t> exponents(kRotations * kDim);
  for (std::size_t i = 0; i < exponents.size(); ++i)
    exponents[i] = static_cast<std::int8_t>(static_cast<int>(i * 7 % 11) - 5);
  return test::with_constants(
      {view("balance", files::DataType::i8, {1, kRotations, kDim}, exponents)},
      "rotation: {balance: constants}\nmacro: {head_dim: 32, index_bits: 2, max_keys: 40}\n"
      "quantizer: {scale: unbiased}\nattention: {group: 2}\n"
      "store: {segments: 3, rotations: 2, rotation_memory: ram}\n"
      "microarchitecture: {key_lanes: 8, read_lanes: 16}\n",
      "attends.yaml");
}

files::Config attends_exact() {
  return config_of(
      "macro: {head_dim: 32, max_keys: 40}\nquantizer: {scale: unbiased}\n"
      "exact: {first: 2, last: 3}\nattention: {group: 2, output: fp32}\n"
      "store: {segments: 3, rotations: 2}\n"
      "microarchitecture: {key_lanes: 8, read_lanes: 16, table_multipliers: 4}\n");
}

files::Config attends_exact_coded() {
  return config_of(
      "macro: {head_dim: 32, index_bits: 2, max_keys: 40}\n"
      "quantizer: {kind: trellis, scale: unbiased}\nexact: {first: 0, last: 6}\n"
      "ecc: {code: hamming84, stages: 1}\nattention: {output: fp32}\n"
      "microarchitecture: {table_multipliers: 64}\n");
}

files::Config attends_coded() {
  return config_of(
      "macro: {head_dim: 32, max_keys: 40}\n"
      "ecc: {code: hamming84, stages: 2, scrub_interval: 16}\n"
      "attention: {group: 2, output_lanes: 16}\nstore: {segments: 2}\n"
      "microarchitecture: {read_lanes: 16}\n");
}

}  // namespace axelram::sim
