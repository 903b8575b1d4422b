#include "small_configs.hpp"

#include <random>

#include "axelram/files/scratch_folder.hpp"

namespace test {

axelram::files::Config with_constants(const std::vector<axelram::files::Tensor>& constants,
                                      const std::string& yaml, const std::string& name) {
  const axelram::files::ScratchFolder folder;
  axelram::files::write_safetensors(folder.path() + "/constants", constants, {}, true);
  return axelram::files::parse_config(yaml, name, folder.path());
}

namespace {

using axelram::files::DataType, axelram::files::view;

/// A configuration of d = 32 with a split. Every third channel and some between are sub-vector 0.
axelram::files::Config split(const std::string& yaml) {
  std::vector<std::int32_t> channels;
  for (int channel = 0; channel < 32; ++channel)
    if (channel % 3 == 0 || (channel % 6 == 1 && channel < 30)) channels.push_back(channel);
  return with_constants({view("high", DataType::i32, {1, 1, channels.size()}, channels)}, yaml,
                        "small.yaml");
}

/// A configuration of d = 32 with exponents from `least` to `most`, and the center of balanced
/// keys.
axelram::files::Config balanced(int least, int most, const std::string& yaml) {
  std::vector<std::int8_t> exponents(32);
  std::vector<std::uint16_t> center(32);
  for (std::size_t i = 0; i < exponents.size(); ++i) {
    exponents[i] = static_cast<std::int8_t>(least + static_cast<int>(i) * 5 % (most - least + 1));
    center[i] = static_cast<std::uint16_t>(0x2000 + i * 173 % 0x1000);
  }
  return with_constants({view("balance", DataType::i8, {1, 1, 32}, exponents),
                         view("center", DataType::f16, {1, 1, 32}, center)},
                        yaml, "small.yaml");
}

}  // namespace

axelram::files::Config small_balanced() {
  return balanced(-8, -3, "macro: {head_dim: 32, max_keys: 24}\nrotation: {balance: constants}\n");
}

axelram::files::Config small_balanced_folded() {
  return balanced(-8, 7,
                  "macro: {head_dim: 32, max_keys: 24}\n"
                  "quantizer: {kind: trellis, scale: unbiased}\nexact: {first: 1, last: 4}\n"
                  "rotation: {balance: constants, center: constants}\n"
                  "microarchitecture: {key_lanes: 4, read_lanes: 8, table_multipliers: 4}\n");
}

axelram::files::Config small_balanced_prod() {
  return balanced(3, 7,
                  "macro: {head_dim: 32, max_keys: 24}\nquantizer: {kind: prod}\n"
                  "rotation: {balance: constants}\n"
                  "microarchitecture: {key_lanes: 8, read_lanes: 8, table_multipliers: 4}\n");
}

axelram::files::Config small_split() {
  return split(
      "macro: {head_dim: 32, max_keys: 48}\n"
      "quantizer: {scale: unbiased}\n"
      "split: {bits: [4, 2], channels: constants}\n");
}

axelram::files::Config small_split_folded() {
  return split(
      "macro: {head_dim: 32, max_keys: 24}\n"
      "quantizer: {scale: unbiased}\n"
      "split: {bits: [3, 1], channels: constants}\n"
      "microarchitecture: {key_lanes: 4, read_lanes: 8, table_multipliers: 4}\n"
      "ecc: {code: hamming84, erasure: interpolate, stages: 1, scrub_interval: 5}\n");
}

axelram::files::Config small_split_trellis() {
  return split(
      "macro: {head_dim: 32, max_keys: 24}\n"
      "quantizer: {kind: trellis, scale: unbiased}\n"
      "split: {bits: [3, 1], channels: constants}\n");
}

axelram::files::Trace small_trace(const axelram::files::Config& config) {
  const auto d = static_cast<std::size_t>(config.parameters.head_dim);
  const int fraction = config.parameters.format_fraction_bits();
  const int fields = (1 << config.parameters.format_exponent_bits()) - 1;
  std::mt19937_64 random(7);
  axelram::files::Trace trace;
  trace.element_format = config.parameters.element_format;
  trace.head_dim = config.parameters.head_dim;
  // Vector k spreads its exponents over k + 1 fields, some at the bottom, some at the top.
  const auto vector = [&](std::size_t k) {
    std::vector<std::uint16_t> elements(d);
    for (std::uint16_t& element : elements) {
      const auto spread = static_cast<int>(random() % (k % 12 + 1));
      const int field = k % 3 == 0   ? spread
                        : k % 3 == 1 ? fields - 1 - spread
                                     : fields / 2 + spread;
      element = static_cast<std::uint16_t>((random() & 0x8000U) |
                                           static_cast<unsigned>(field) << fraction |
                                           (random() & ((1U << fraction) - 1)));
    }
    return elements;
  };
  for (std::size_t k = 0; k < 24; ++k) {
    std::vector<std::uint16_t> key = vector(k);
    if (k == 20) key.assign(d, 0);
    if (k == 21) key.assign(d, static_cast<std::uint16_t>(fields / 2 << fraction));  // y_i = 0
    if (k == 22) key.assign(d, 1);  // a subnormal norm
    trace.keys.insert(trace.keys.end(), key.begin(), key.end());
    if (k % 2 != 0) continue;
    const std::vector<std::uint16_t> query = vector(k + 1);
    trace.queries.insert(trace.queries.end(), query.begin(), query.end());
  }
  return trace;
}

}  // namespace test
