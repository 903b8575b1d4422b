#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
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

/// Pair of a channel of a head of d: the channels that a rotation turns together. Learned positions
/// have the pairs of rotary_halves.
constexpr std::size_t pair_of(Positions positions, std::size_t channel, std::size_t d) {
  return positions == Positions::rotary_interleaved ? channel / 2 : channel % (d / 2);
}

/// Feed-forward block of a layer.
enum class FeedForward {
  silu_gated,  ///< down(silu(gate) * up) (Llama)
  gelu_gated,  ///< down(gelu_tanh(gate) * up) (Gemma)
  gelu         ///< down(gelu_tanh(up)) (GPT-2)
};

/// Rotation of each pair of channels, with the context scaling applied.
struct Rotary {
  std::vector<double> frequencies;  ///< radians per position, head_dim / 2 values
  double attention_factor = 1;      ///< on sine and cosine (YaRN, section 3.4)
};

/// Differential attention and bounded memory, which `coda` of config.json asks for
/// (references.md#coda-gqa-l).
struct Coda {
  bool interleaved = false;  ///< pairs of the second query: channels 2i and 2i + 1, whatever the
                             ///< rotary embedding turns; otherwise the pairs that it turns
  bool head_norm = false;    ///< root mean square of every head's output
  bool gate_bias = false;    ///< codes of the write gate add to scores
  std::string memory;        ///< keys of a cache `memory`; "": none
};

/// A decoder-only transformer. Sizes in elements.
struct Architecture {
  std::string family;  ///< llama, mistral, qwen2, qwen3, gemma3, gpt2
  std::size_t hidden = 0, layers = 0, heads = 0, kv_heads = 0, head_dim = 0, ffn = 0;
  std::size_t vocabulary = 0;
  std::size_t max_positions = 0;  ///< longest sequence
  double norm_epsilon = 1e-5;
  bool layer_norm = false;  ///< mean and bias too; otherwise root mean square
  FeedForward feed_forward = FeedForward::silu_gated;
  double embedding_scale = 1;  ///< factor of the embeddings, as a float
  double query_scalar = 0;     ///< scores are divided by its square root; 0: head_dim
  Positions positions = Positions::rotary_halves;
  Rotary rotary;        ///< empty if positions are learned
  Rotary local_rotary;  ///< of layers with an attention span; empty: theirs is `rotary` too
  /// Attention span of each layer: the tokens that a query attends to, its own included. 0: all
  /// tokens before it. Empty: 0 in every layer.
  std::vector<std::size_t> spans;
  std::optional<Coda> coda;

  std::size_t group() const { return heads / kv_heads; }  ///< query heads of a KV head
  bool gated() const { return feed_forward != FeedForward::gelu; }
  /// Factor of <q, k> before softmax.
  double attention_scale() const {
    return 1 / std::sqrt(query_scalar == 0 ? static_cast<double>(head_dim) : query_scalar);
  }
  std::size_t span(std::size_t layer) const { return spans.empty() ? 0 : spans[layer]; }
  /// First token that the query of `token` attends to.
  std::size_t oldest(std::size_t layer, std::size_t token) const {
    return span(layer) == 0 || token < span(layer) ? 0 : token + 1 - span(layer);
  }
  /// True if the layer's rotary embedding is local_rotary.
  bool has_local_rotary(std::size_t layer) const {
    return span(layer) != 0 && !local_rotary.frequencies.empty();
  }
};

}  // namespace axelram::checkpoints
