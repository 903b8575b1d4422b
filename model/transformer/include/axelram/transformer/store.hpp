#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace axelram::transformer {

/// What stores met, summed over all sequences.
struct MemoryEvents {
  std::uint64_t stored_bits = 0;  ///< bits that could flip
  std::uint64_t injected = 0;     ///< bits flipped
  std::uint64_t words = 0;        ///< codewords written; each of them is decoded once
  std::uint64_t corrected = 0, parity_only = 0, detected = 0;  ///< by status of the decoder
  std::uint64_t miscorrected = 0;  ///< words that passed as good, with data other than written

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

/// What a key and a value store have in common. Rows are head_dim floats, one a token, in order.
class Store {
 public:
  virtual ~Store() = default;

  /// Forgets all rows and begins sequence number `sequence`: with another number, other faults.
  virtual void begin(std::uint32_t sequence) = 0;
  /// Appends `count` rows. Throws files::InputError for a value the store has no room for (layer,
  /// head and token named).
  virtual void write(const float* rows, std::size_t count) = 0;
  /// From the next begin() on every stored bit of a row flips with probability p, once, as it is
  /// written. Throws files::InputError where nothing is stored in bits.
  virtual void inject(double p, std::uint64_t seed) = 0;
  virtual MemoryEvents events() const { return {}; }
  /// Of one row with its scales, norm and check bits.
  virtual double bytes_per_token() const = 0;
};

/// The keys of one layer and KV head, after rotary embedding.
class KeyCache : public Store {
 public:
  /// Query i belongs to token first + i and meets the keys of tokens 0 .. first + i, as if no later
  /// one had been written: scores[i * stride + t] ~ <q_i, k_t>, up to a constant that is the same
  /// for all t. Other places of `scores` are left alone. queries: [count, d], first + count <= rows
  /// written.
  virtual void score(const float* queries, std::size_t count, std::size_t first, std::size_t stride,
                     float* scores) = 0;
};

/// The values of one layer and KV head.
class ValueCache : public Store {
 public:
  /// out[i] = the sum over t <= first + i of weights[i * stride + t] * v_t, as if no later value
  /// had been written. out: [count, d]. Weights beyond first + i are 0.
  virtual void mix(const float* weights, std::size_t count, std::size_t first, std::size_t stride,
                   float* out) = 0;
};

/// Of all key stores, and of all value stores.
struct CacheEvents {
  MemoryEvents keys, values;
};

/// Makes the stores of a model. Both methods may be called from several threads at once; a store
/// serves one.
class Cache {
 public:
  virtual ~Cache() = default;
  virtual std::unique_ptr<KeyCache> keys(int layer, int head) const = 0;
  virtual std::unique_ptr<ValueCache> values(int layer, int head) const = 0;
};

}  // namespace axelram::transformer
