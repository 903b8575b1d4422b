#include "attention_configs.hpp"

#include <string>
#include <vector>

#include "axelram/files/safetensors.hpp"
#include "axelram/files/scratch_folder.hpp"

namespace axelram::sim {
namespace {

files::Config config_of(const std::string& yaml) {
  return files::parse_config(yaml, "attends.yaml", AXELRAM_SOURCE "/configs");
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
  std::vector<std::uint16_t> centers(std::size_t{2} * 128);
  for (std::size_t i = 0; i < centers.size(); ++i)
    centers[i] = static_cast<std::uint16_t>((i < 128 ? 0x2800 : 0x4c00) + i * 37 % 0x400);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(centers.data());
  const std::size_t size = centers.size() * sizeof centers[0];
  const files::ScratchFolder folder;
  files::write_safetensors(folder.path() + "/centers",
                           {{"center", files::DataType::f16, {1, 2, 128}, bytes, size}}, {}, true);
  return files::parse_config(
      "macro: {head_dim: 128, index_bits: 4, max_keys: 20}\n"
      "rotation: {center: centers}\n"
      "attention: {group: 8}\nstore: {segments: 2, rotations: 2}\n"
      "microarchitecture: {read_lanes: 64, score_lane: multiplier}\n",
      "attends.yaml", folder.path());
}

files::Config attends_coded() {
  return config_of(
      "macro: {head_dim: 32, max_keys: 40}\n"
      "ecc: {code: hamming84, stages: 2, scrub_interval: 16}\n"
      "attention: {group: 2, output_lanes: 16}\nstore: {segments: 2}\n"
      "microarchitecture: {read_lanes: 16}\n");
}

}  // namespace axelram::sim
