#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "axelram/files/safetensors.hpp"
#include "files/support.hpp"

namespace test {

/// A model of bytes whose weights are drawn: two layers, two heads of 32 that share a KV head.
struct DrawnModel {
  static constexpr std::uint64_t kHidden = 64, kHead = 32, kLayers = 2, kVocabulary = 256;

  std::string type = "llama";  ///< model_type; qwen2 has biases, qwen3 norms of queries and keys
  nlohmann::json more = {};    ///< keys of config.json that differ, or null
  float attention = 1;         ///< factor of the output of the attention
  float key_bias = 0;          ///< of the fastest rotary pair, with qwen2

  /// Writes a Hugging Face folder.
  void write(const std::string& folder) const;
};

namespace drawn {

/// `count` numbers of a normal distribution.
inline std::vector<float> normal(std::uint64_t count, unsigned seed, float deviation) {
  std::mt19937 random(seed);
  std::normal_distribution<float> draw(0, deviation);
  std::vector<float> values(count);
  for (float& value : values) value = draw(random);
  return values;
}

}  // namespace drawn

inline void DrawnModel::write(const std::string& folder) const {
  namespace files = axelram::files;
  std::filesystem::create_directories(folder);
  nlohmann::json config = {{"model_type", type},           {"vocab_size", kVocabulary},
                           {"hidden_size", kHidden},       {"intermediate_size", kHidden},
                           {"num_hidden_layers", kLayers}, {"num_attention_heads", 2},
                           {"num_key_value_heads", 1},     {"head_dim", kHead},
                           {"hidden_act", "silu"},         {"max_position_embeddings", 128},
                           {"rms_norm_eps", 1e-5},         {"rope_theta", 10000.0},
                           {"tie_word_embeddings", true},  {"torch_dtype", "float32"}};
  if (!more.is_null()) config.update(more);
  put(folder + "/config.json", config.dump());

  std::deque<std::vector<float>> data;  // its elements stay where they are
  std::vector<files::Tensor> tensors;
  const auto add = [&](const std::string& name, const files::Shape& shape, float deviation,
                       float mean = 0) -> std::vector<float>& {
    std::uint64_t count = 1;
    for (const std::uint64_t size : shape) count *= size;
    data.push_back(drawn::normal(count, static_cast<unsigned>(data.size()), deviation));
    for (float& value : data.back()) value += mean;
    tensors.push_back(files::view(name, files::DataType::f32, shape, data.back()));
    return data.back();
  };
  const float row = 1 / std::sqrt(static_cast<float>(kHidden));
  add("model.embed_tokens.weight", {kVocabulary, kHidden}, 1);
  add("model.norm.weight", {kHidden}, 0.1F, 0.5F);
  for (std::uint64_t layer = 0; layer < kLayers; ++layer) {
    const std::string at = "model.layers." + std::to_string(layer) + ".";
    add(at + "input_layernorm.weight", {kHidden}, 0.1F, 1);
    add(at + "post_attention_layernorm.weight", {kHidden}, 0.1F, 1);
    add(at + "self_attn.q_proj.weight", {2 * kHead, kHidden}, 1.5F * row);
    add(at + "self_attn.k_proj.weight", {kHead, kHidden}, 1.5F * row);
    add(at + "self_attn.v_proj.weight", {kHead, kHidden}, row);
    add(at + "self_attn.o_proj.weight", {kHidden, 2 * kHead}, attention * row);
    add(at + "mlp.gate_proj.weight", {kHidden, kHidden}, row);
    add(at + "mlp.up_proj.weight", {kHidden, kHidden}, row);
    add(at + "mlp.down_proj.weight", {kHidden, kHidden}, row);
    if (type == "qwen3") {
      add(at + "self_attn.q_norm.weight", {kHead}, 0.1F, 1);
      add(at + "self_attn.k_norm.weight", {kHead}, 0.1F, 1);
    }
    if (type == "qwen2") {
      add(at + "self_attn.q_proj.bias", {2 * kHead}, 0.1F);
      add(at + "self_attn.v_proj.bias", {kHead}, 0.1F);
      std::vector<float>& bias = add(at + "self_attn.k_proj.bias", {kHead}, 0.1F);
      bias[0] += key_bias;
      bias[kHead / 2] -= key_bias;
    }
  }
  files::write_safetensors(folder + "/model.safetensors", tensors, {}, false);
}

/// A llama2.c file of the same size.
inline void write_llama2c(const std::string& path) {
  using D = DrawnModel;
  const std::vector<std::int32_t> header = {D::kHidden, D::kHidden,     D::kLayers, 2,
                                            1,          D::kVocabulary, 128};
  std::string bytes(reinterpret_cast<const char*>(header.data()), 4 * header.size());
  unsigned seed = 0;
  const auto add = [&](std::uint64_t count, float deviation, float mean = 0) {
    for (float value : drawn::normal(count, seed++, deviation)) {
      value += mean;
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  };
  const float row = 1 / std::sqrt(static_cast<float>(D::kHidden));
  const std::uint64_t square = D::kHidden * D::kHidden, half = D::kHead * D::kHidden;
  add(D::kVocabulary * D::kHidden, 1);
  add(D::kLayers * D::kHidden, 0.1F, 1);
  for (const std::uint64_t count : {square, half, half, square})
    add(D::kLayers * count, 1.5F * row);
  add(D::kLayers * D::kHidden, 0.1F, 1);
  for (int i = 0; i < 3; ++i) add(D::kLayers * square, row);
  add(D::kHidden, 0.1F, 0.5F);
  add(128 * D::kHead, 0);  // tables of the rotary embedding, which are not read
  put(path, bytes);
}

}  // namespace test
