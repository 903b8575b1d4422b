#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "axelram/transformer/transformer.hpp"

namespace axelram::transformer {

/// Sequences that grow, a step at a time: ids in, hidden states out. Their keys and values stay in
/// stores of the cache between steps. Hidden states do not depend, to the last bit, on how the
/// tokens of a sequence are divided into steps, nor on the other sequences.
class Session {
 public:
  /// All must outlive the session.
  Session(const Transformer& model, const KvCache& cache);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Passes the next tokens of some sequences: the ids follow the tokens that the sequence of the
  /// same number has; a new number begins a sequence. Returns the hidden states after the final
  /// norm, [sum of ids, hidden], in the order given. `observer` is called from one thread at a
  /// time. Throws files::InputError for a number that is given twice, and as Transformer::forward;
  /// then nothing is written. If a cache throws for a value that it cannot represent, the sequences
  /// of the step are ended.
  std::vector<float> step(std::span<const Sequence> more, const Observer& observer = {});

  /// Memories of a sequence, [layers, kv_heads]: of a cache that is bounded. Those of one that has
  /// not begun are empty.
  std::vector<MemoryState> states(std::uint32_t number) const;
  /// Begins a sequence, in place of one of this number, with memories that states() gave. Throws
  /// std::invalid_argument for states of other memories; then nothing changes.
  void load(std::uint32_t number, std::vector<MemoryState> states);

  /// Tokens of a sequence so far; 0 of one that has not begun or has ended.
  std::size_t tokens(std::uint32_t number) const;
  /// Discards a sequence and its stores. Its number may begin another one.
  void end(std::uint32_t number);
  /// Counters of all sequences, ended ones included.
  CacheEvents events() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace axelram::transformer
