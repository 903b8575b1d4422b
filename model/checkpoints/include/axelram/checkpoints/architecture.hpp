#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace axelram::checkpoints {

/// Position encoding. Both rotary layouts turn pairs of channels by position *
/// frequency (RoFormer, equation 34); they differ in which channels form a pair.
enum class Positions {
  learned,            ///< a table added to the embeddings (GPT-2)
  rotary_halves,      ///< pair i: channels i and i + d/2 (Hugging Face)
  rotary_interleaved  ///< pair i: channels 2i and 2i + 1 (llama2.c)
};

/// Rotation of each pair of channels, with the context scaling applied.
struct Rotary {
  std::vector<double> frequencies;  ///< radians per position, head_dim / 2 values
  double attention_factor = 1;      ///< on sine and cosine (YaRN, section 3.4)
};

/// A decoder-only transformer. Sizes in elements.
struct Architecture {
  std::string family;  ///< llama, mistral, qwen2, qwen3, gpt2
  std::size_t hidden = 0, layers = 0, heads = 0, kv_heads = 0, head_dim = 0, ffn = 0;
  std::size_t vocabulary = 0;
  std::size_t max_positions = 0;  ///< longest sequence
  double norm_epsilon = 1e-5;
  bool layer_norm = false;  ///< mean and bias too; otherwise root mean square
  bool gated = true;        ///< feed-forward down(silu(gate) * up); otherwise down(gelu_tanh(up))
  Positions positions = Positions::rotary_halves;
  Rotary rotary;  ///< empty if positions are learned

  std::size_t group() const { return heads / kv_heads; }  ///< query heads of a KV head
};

}  // namespace axelram::checkpoints
