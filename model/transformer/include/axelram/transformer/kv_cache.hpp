#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "axelram/transformer/head_memory.hpp"

namespace axelram::transformer {

class RotaryTable;

/// Bit-error and ECC counters, summed over all sequences.
struct MemoryEvents {
  std::uint64_t stored_bits = 0;  ///< bits that could flip
  std::uint64_t injected = 0;     ///< bits flipped
  std::uint64_t words = 0;        ///< codewords written; each of them is decoded once
  std::uint64_t corrected = 0, parity_only = 0, detected = 0;  ///< by status of the decoder
  std::uint64_t miscorrected = 0;  ///< words not reported as detected whose data is wrong

  MemoryEvents& operator+=(const MemoryEvents& other) {
    stored_bits += other.stored_bits;
    injected += other.injected;
    words += other.words;
    corrected += other.corrected;
    parity_only += other.parity_only;
    detected += other.detected;
    miscorrected += other.miscorrected;
    return *this;
  }
};

/// Counters of keys and of values.
struct CacheEvents {
  MemoryEvents keys, values;
  std::vector<MemoryCounts> memories = {};  ///< [layers, KV heads], or none; of HeadMemory

  CacheEvents& operator+=(const CacheEvents& other);
};

/// The rows of one layer and KV head: head_dim floats per token, in the order of the tokens.
class HeadCache {
 public:
  virtual ~HeadCache() = default;

  /// Discards all rows and begins sequence number `sequence`. Each sequence number draws other bit
  /// errors.
  virtual void begin(std::uint32_t sequence) = 0;
  /// Appends `count` rows. Throws files::InputError for a value that the cache cannot represent
  /// (layer, head and token named).
  virtual void write(const float* rows, std::size_t count) = 0;
  /// Bit errors from the next begin() on: every stored bit of a row flips with probability p, once,
  /// as it is written. Throws files::InputError if the cache stores no bits.
  virtual void inject(double p, std::uint64_t seed) = 0;
  virtual MemoryEvents events() const { return {}; }
  /// Stored bytes per token, including scales, norm and check bits.
  virtual double bytes_per_token() const = 0;
  /// Bytes stored once for a sequence of any length, beside those of its tokens.
  virtual double bytes_per_sequence() const { return 0; }
  /// Stored bytes of a sequence of `tokens` tokens between calls, bytes_per_sequence() included.
  virtual double bytes(std::size_t tokens) const {
    return bytes_per_token() * static_cast<double>(tokens) + bytes_per_sequence();
  }
  /// Every query of the tokens written has been scored: drops what only they see. Rows may be
  /// written after it.
  virtual void settle() {}
};

/// What a key that is written before rotary embedding lacks. Token t of a sequence has position t.
struct KeyTurn {
  const RotaryTable* rotary = nullptr;  ///< null: no rotation. It has the positions of all tokens
                                        ///< that are written; others may be appended
  const float* offset = nullptr;        ///< head_dim floats added after the rotation, or null
};

/// The keys of one layer and KV head, after rotary embedding, or before it if
/// KvCache::keys_before_rotary().
class KeyCache : public HeadCache {
 public:
  /// How keys that are written before rotary embedding are turned when they are scored. Called
  /// before begin(); what it points to outlives the sequence. Nothing to do for a cache of turned
  /// keys.
  virtual void turn_by(const KeyTurn&) {}
  /// Query i belongs to token first + i and is scored with the keys of tokens oldest .. first + i,
  /// as if no later key had been written: scores[i * stride + t] ~ <q_i, k_t>, up to a constant
  /// that is the same for all t. All other elements of `scores` stay unchanged. queries: [count,
  /// d]; oldest <= first; first + count <= rows written.
  virtual void score(const float* queries, std::size_t count, std::size_t first, std::size_t oldest,
                     std::size_t stride, float* scores) = 0;
};

/// The values of one layer and KV head.
class ValueCache : public HeadCache {
 public:
  /// out[i] = the sum over t in oldest .. first + i of weights[i * stride + t] * v_t, as if no
  /// later value had been written. out: [count, d]; oldest <= first. Weights beyond first + i are
  /// 0, those before `oldest` are not read.
  virtual void weighted_sum(const float* weights, std::size_t count, std::size_t first,
                            std::size_t oldest, std::size_t stride, float* out) = 0;
};

/// Keys and values of one layer and KV head, and the attention of its query heads.
class HeadAttention {
 public:
  virtual ~HeadAttention() = default;

  /// As HeadCache::begin, of both.
  virtual void begin(std::uint32_t sequence) = 0;
  /// Appends `count` tokens: head_dim floats of each key and of each value. Throws as
  /// HeadCache::write.
  virtual void write(const float* keys, const float* values, std::size_t count) = 0;
  /// Attention of queries of one head: query i belongs to token first + i and sees tokens oldest[i]
  /// .. first + i, as if no later token had been written; oldest does not fall. scale: of <q, k> in
  /// the softmax. queries, out: [count, d]; first + count <= tokens written.
  virtual void attend(const float* queries, std::size_t count, std::size_t first,
                      const std::size_t* oldest, double scale, float* out) = 0;
  virtual CacheEvents events() const = 0;
  // As HeadCache, keys and values together.
  virtual double bytes_per_token() const = 0;
  virtual double bytes_per_sequence() const = 0;
  virtual double bytes(std::size_t tokens) const {
    return bytes_per_token() * static_cast<double>(tokens) + bytes_per_sequence();
  }
  virtual void settle() {}
  /// As KeyCache::turn_by.
  virtual void turn_by(const KeyTurn&) {}
};

/// Factory of the KV cache of a model. All methods may be called from several threads at once; what
/// they make belongs to one thread.
class KvCache {
 public:
  virtual ~KvCache() = default;
  virtual std::unique_ptr<KeyCache> keys(int layer, int head) const = 0;
  virtual std::unique_ptr<ValueCache> values(int layer, int head) const = 0;
  /// Keys are written before rotary embedding and before the key offset of the model, and turn_by()
  /// says what they lack. Key norms and biases come before both.
  virtual bool keys_before_rotary() const { return false; }
  /// Joins keys() and values() by a softmax in floats, unless the cache attends itself.
  virtual std::unique_ptr<HeadAttention> attention(int layer, int head) const;
  /// Each layer and KV head has memory() in place of all the others.
  virtual bool bounded() const { return false; }
  virtual std::unique_ptr<HeadMemory> memory(int, int) const { return nullptr; }
};

}  // namespace axelram::transformer
