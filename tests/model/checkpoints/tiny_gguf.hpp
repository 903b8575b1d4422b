#pragma once

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "files/support.hpp"
#include "gguf/builder.hpp"

namespace test {

/// Writes a GGUF file of a Llama model with one layer and two heads of 16 channels, all weights in
/// F32, and what a test adds.
class TinyGguf {
 public:
  static constexpr std::uint32_t kHidden = 32;

  GgufBuilder file;
  float largest = 0.1F;  ///< of the weights

  explicit TinyGguf(std::uint32_t vocabulary = 24) : vocabulary_(vocabulary) {
    file.put_text("general.architecture", "llama");
    for (const auto& [key, value] :
         std::vector<std::pair<const char*, std::uint32_t>>{{"context_length", 64},
                                                            {"embedding_length", kHidden},
                                                            {"block_count", 1},
                                                            {"feed_forward_length", kHidden},
                                                            {"attention.head_count", 2},
                                                            {"attention.head_count_kv", 2},
                                                            {"vocab_size", vocabulary}})
      file.u32(std::string("llama.") + key, value);
    real("attention.layer_norm_rms_epsilon", 1e-3F);
    real("rope.freq_base", 50000);
  }

  void real(const std::string& key, float value) {
    file.raw("llama." + key, GgufBuilder::Type::f32, raw({value}));
  }
  void add(const std::string& name, const std::vector<float>& values) {
    tensor(name, {values.size()}, raw(values));
  }

  /// The file in a folder.
  void write(const std::string& path) {
    matrix("token_embd.weight", vocabulary_);
    for (const char* name :
         {"attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"})
      matrix(std::string("blk.0.") + name + ".weight", kHidden);
    for (const char* name : {"blk.0.attn_norm", "blk.0.ffn_norm", "output_norm"})
      add(std::string(name) + ".weight", std::vector<float>(kHidden, 1.0F / 3));
    const std::vector<std::uint8_t> bytes = file.file(data_);
    put(path, {bytes.begin(), bytes.end()});
  }

 private:
  static std::string raw(const std::vector<float>& values) {
    std::string bytes(4 * values.size(), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  void tensor(const std::string& name, const std::vector<std::uint64_t>& shape,
              const std::string& bytes) {
    file.tensor(name, shape, 0, data_.size());
    data_ += bytes;
    data_.resize((data_.size() + 31) / 32 * 32);
  }
  void matrix(const std::string& name, std::uint32_t outputs) {
    std::vector<float> values(std::size_t{outputs} * kHidden);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = largest * static_cast<float>((i * 37 + data_.size()) % 201) / 200;
    tensor(name, {kHidden, outputs}, raw(values));
  }

  std::uint32_t vocabulary_;
  std::string data_;
};

}  // namespace test
