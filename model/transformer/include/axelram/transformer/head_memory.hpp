#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/memory.hpp"

namespace axelram::transformer {

struct CacheEvents;

/// Logit of tokens without a write gate: code 255 (bit-contract.md#memory-gates).
inline constexpr float kOpenGate = 16;

/// What became of the tokens of memories of constant size (bit-contract.md#memory-events), summed
/// over sequences.
struct MemoryCounts {
  std::uint64_t evicted = 0;    ///< tokens that left the window
  std::uint64_t gated_out = 0;  ///< of these: below the gate of the exact bank
  std::uint64_t novel = 0;      ///< like nothing in the exact bank
  std::uint64_t hits = 0;       ///< the same as a token of the exact bank
  std::uint64_t between = 0;    ///< neither
  std::uint64_t displaced = 0;  ///< tokens that left the exact bank for a novel one
  std::uint64_t spawned = 0;    ///< leavers that began a summary
  std::uint64_t merged = 0;     ///< leavers that went into one
  std::uint64_t freed = 0;      ///< tokens whose slots became free
  std::uint64_t lives = 0;      ///< their lives, in tokens from their own on
  std::uint64_t sequences = 0;
  std::uint64_t used = 0;  ///< slots in use at the end of each sequence

  MemoryCounts& operator+=(const MemoryCounts& other);
};

/// Query heads of a token.
struct TokenQueries {
  const float* signal;   ///< [count, d]
  const float* noise;    ///< [count, d], the second query of each head; null: there is none
  const float* lambdas;  ///< [count], factors of the second queries
  std::size_t count;
  std::size_t oldest;  ///< the first token that they see
  double scale;        ///< of <q, k> in the softmax
};

/// Keys and values of one layer and KV head in slots of a constant number. What a query sees
/// depends on its moment, so tokens are written one by one, and each is asked before the next.
class HeadMemory {
 public:
  virtual ~HeadMemory() = default;

  /// As HeadCache::begin.
  virtual void begin(std::uint32_t sequence) = 0;
  /// The next token: head_dim floats of a key after rotary embedding and of a value, and the logit
  /// of its write gate. Throws files::InputError for one that the memory refuses (layer, head and
  /// token named).
  virtual void write(const float* key, const float* value, float gate) = 0;
  /// Differential attention of queries of the newest token (bit-contract.md#memory-attend). out:
  /// [count, d].
  virtual void attend(const TokenQueries& queries, float* out) = 0;

  virtual const MemoryState& state() const = 0;
  /// Goes on from a state after begin(). Throws std::invalid_argument, and stays as it was, if it
  /// is not one of this memory.
  virtual void load(MemoryState state) = 0;

  /// Of all sequences.
  virtual CacheEvents events() const = 0;
  virtual MemoryCounts counts() const = 0;
  /// Stored bytes, whatever the number of tokens (bit-contract.md#memory-bytes).
  virtual double bytes() const = 0;
};

}  // namespace axelram::transformer
