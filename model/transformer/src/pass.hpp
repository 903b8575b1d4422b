#pragma once

#include <mutex>
#include <span>
#include <vector>

#include "axelram/checkpoints/checkpoint.hpp"
#include "axelram/transformer/rotary_table.hpp"
#include "axelram/transformer/transformer.hpp"

namespace axelram::transformer {

/// One forward pass over some sequences: their tokens, one after the other, are the rows.
class Pass {
 public:
  Pass(const checkpoints::Checkpoint& checkpoint, Workers& workers,
       std::span<const Sequence> sequences, const KvCache& cache, const Observer& observer);

  std::vector<float> run();
  const CacheEvents& events() const { return events_; }

 private:
  void embed();
  void normalize(const float* x, const std::vector<float>& weight, const std::vector<float>& bias,
                 float* y);
  void attention(std::size_t layer);
  /// Head norms and rotary embedding of one matrix of heads, `offset` added after.
  void place(std::vector<float>* x, std::size_t heads, const std::vector<float>& norm,
             const std::vector<float>& offset);
  void attend(std::size_t layer, std::size_t sequence, std::size_t kv_head);
  void feed_forward(std::size_t layer);

  const checkpoints::Checkpoint& checkpoint_;
  const checkpoints::Architecture& a_;
  Workers& workers_;
  std::span<const Sequence> sequences_;
  const KvCache& cache_;
  const Observer& observer_;
  std::mutex mutex_;
  CacheEvents events_;

  std::size_t rows_ = 0;
  std::vector<std::size_t> first_;     ///< row of each sequence's token 0
  std::vector<std::size_t> position_;  ///< of each row in its sequence
  RotaryTable rotary_;
  std::vector<float> x_, normal_;  ///< [rows, hidden]
  std::vector<float> queries_, keys_, values_, mixed_;
  std::vector<float> gate_, up_;  ///< [rows, ffn]
};

}  // namespace axelram::transformer
