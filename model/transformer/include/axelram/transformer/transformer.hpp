#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "axelram/checkpoints/checkpoint.hpp"
#include "axelram/transformer/kv_cache.hpp"
#include "axelram/transformer/workers.hpp"

namespace axelram::transformer {

/// One independent sequence of tokens, positions 0, 1, ...
struct Sequence {
  std::span<const std::int32_t> ids;  ///< 1 .. max_positions ids below the vocabulary
  std::uint32_t number = 0;           ///< passed to HeadCache::begin()
};

/// Throws files::InputError for an id or a length out of range. before: tokens of the sequence that
/// precede its ids.
void check(const Sequence& sequence, const checkpoints::Architecture& architecture,
           std::size_t before = 0);

/// Inputs of attention for one sequence in one layer, after biases, norms and rotary embedding.
/// Row-major, one row per token, heads side by side. In a session: those of the tokens of a step.
struct AttentionInputs {
  std::size_t layer, tokens;
  std::uint32_t sequence;
  const float* queries;  ///< [tokens, heads * head_dim]
  const float* keys;     ///< [tokens, kv_heads * head_dim]
  const float* values;   ///< [tokens, kv_heads * head_dim]
  /// As `keys`, before rotary embedding and before the key offset; null if the layer has neither,
  /// so that they are the same.
  const float* keys_before = nullptr;
  std::size_t first = 0;  ///< position of the first token
  /// [tokens, kv_heads], logits of the write gate; null if the layer has none.
  const float* gates = nullptr;
};
using Observer = std::function<void(const AttentionInputs&)>;

/// A language model whose attention reads keys and values only from a KvCache. Results depend on
/// the instruction set; not on the number of workers, nor on which sequences are given together.
class Transformer {
 public:
  /// Both must outlive the transformer.
  Transformer(const checkpoints::Checkpoint& checkpoint, Workers& workers)
      : checkpoint_(checkpoint), workers_(workers) {}

  /// The hidden states after the final norm: [sum of tokens, hidden], sequences in order. Each
  /// layer, KV head and sequence has its own key and value cache, which stores all rows before the
  /// first query and limits each query to its past. Their counters are added to *events. `observer`
  /// is called from one thread at a time.
  /// Throws files::InputError for an id or a length out of range.
  std::vector<float> forward(std::span<const Sequence> sequences, const KvCache& cache,
                             const Observer& observer = {}, CacheEvents* events = nullptr) const;

  /// logits: [rows, vocabulary] of hidden states [rows, hidden].
  void logits(const float* hidden, std::size_t rows, float* logits) const;

  const checkpoints::Checkpoint& checkpoint() const { return checkpoint_; }
  const checkpoints::Architecture& architecture() const { return checkpoint_.architecture; }
  Workers& workers() const { return workers_; }

 private:
  const checkpoints::Checkpoint& checkpoint_;
  Workers& workers_;
};

}  // namespace axelram::transformer
