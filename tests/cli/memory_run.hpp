#pragma once

#include <cmath>
#include <deque>
#include <string>
#include <vector>

#include "axelram/files/safetensors.hpp"
#include "cli/program.hpp"

namespace test {

/// 24 newest tokens, 4 sinks, 12 other landmarks and 8 summaries.
inline const std::string kMemory = "memory:window=24,exact=16,summary=8,sinks=4";
inline const std::string kReadme = kSource + "/README.md";

/// `prefill` of the first tokens of the README, or of those behind the first `skip`.
inline std::string prefill_of(int skip, int tokens, const std::string& more) {
  return "prefill " + kByteLlama + " " + kReadme + " --skip " + std::to_string(skip) +
         " --tokens " + std::to_string(tokens) + " --force " + more;
}

/// The bytes of the state that a `prefill ... -o state` writes.
inline std::string state_of(const TempDir& axelram, const std::string& prefill) {
  CASE(prefill);
  REQUIRE(axelram(prefill + " -o state"));
  return axelram.content("state");
}

/// The bundled model with write gates, second queries and a memory of its own, in the folder
/// `gated`. Its tensors are made up, so that gates open and close.
inline void put_gated_model(const TempDir& axelram) {
  namespace files = axelram::files;
  std::filesystem::create_directory(axelram.at("gated"));
  Json config = Json::parse(content(kByteLlama + "/config.json"));
  config["coda"] = {{"gate_bias", true}, {"memory", "window=24,exact=16,summary=8,sinks=4"}};
  axelram.put("gated/config.json", config.dump());
  const files::Safetensors plain = files::Safetensors::read(kByteLlama + "/model.safetensors");
  std::vector<files::Tensor> tensors(plain.tensors().begin(), plain.tensors().end());
  std::deque<std::vector<float>> data;  // its elements stay where they are
  const auto add = [&](const std::string& name, files::Shape shape, float middle, float spread) {
    std::size_t count = 1;
    for (const std::size_t one : shape) count *= one;
    std::vector<float>& values = data.emplace_back(count);
    for (std::size_t i = 0; i < count; ++i)
      values[i] = middle + spread * static_cast<float>(std::sin(static_cast<double>(i * i + i)));
    tensors.push_back(files::view(name, files::DataType::f32, std::move(shape), values));
  };
  for (int layer = 0; layer < 4; ++layer) {
    const std::string prefix = "model.layers." + std::to_string(layer) + ".self_attn.";
    add(prefix + "theta", {4, 64}, 1.5F, 0.3F);
    add(prefix + "lambda_proj.weight", {4, 256}, 0, 0.02F);
    add(prefix + "lambda_proj.bias", {4}, -3, 0.5F);
    add(prefix + "write_proj.weight", {2, 256}, 0, 0.3F);
    add(prefix + "write_proj.bias", {2}, -2, 0);
    add(prefix + "summary_eta_logit", {2}, -3, 0.5F);
  }
  files::write_safetensors(axelram.at("gated/model.safetensors"), tensors, {{"format", "pt"}},
                           false);
}

}  // namespace test
