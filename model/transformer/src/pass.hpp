#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "axelram/checkpoints/checkpoint.hpp"
#include "axelram/transformer/forward.hpp"
#include "axelram/transformer/rotary_table.hpp"
#include "axelram/transformer/transformer.hpp"
#include "projection.hpp"
#include "rotary_tables.hpp"

namespace axelram::transformer {

/// The store of one layer and KV head: one of both, none until its first token is written.
struct Store {
  std::unique_ptr<HeadAttention> attention;
  std::unique_ptr<HeadMemory> memory;  ///< of a cache that is bounded

  explicit operator bool() const { return attention != nullptr || memory != nullptr; }
};

/// Stores of one sequence, [layers, kv_heads].
using Stores = std::vector<Store>;

/// Counters of the store at a place of Stores.
CacheEvents events_of(const Store& store, std::size_t place);

/// Backend of forward() on the CPU. The rows are the tokens of all parts, in order; all rows are
/// one chunk.
class Pass {
 public:
  /// Tokens of a sequence.
  struct Part {
    Sequence more;             ///< the ids that pass
    std::size_t before = 0;    ///< tokens that precede them
    Stores* stores = nullptr;  ///< that hold those tokens, and get the new ones; if null, stores
                               ///< live as long as the layer is computed
  };

  /// tables: of all positions.
  Pass(const checkpoints::Checkpoint& checkpoint, Workers& workers, std::span<const Part> parts,
       const KvCache& cache, const RotaryTables& tables, const Observer& observer);

  /// The hidden states after the final norm.
  std::vector<float> run();
  /// Of stores that are gone.
  const CacheEvents& events() const { return events_; }

  std::size_t rows() const { return rows_; }
  std::size_t chunk_rows() const { return rows_; }
  void select_rows(std::size_t, std::size_t) {}
  const checkpoints::Layer& layer(std::size_t index) const { return checkpoint_.layers[index]; }

  void embed();
  void scale_embeddings(float factor);
  void add_positions();
  void normalize(Activation from, const std::vector<float>& weight, const std::vector<float>& bias,
                 Activation to);
  /// to += x with the root mean square of its rows normalized. Overwrites x.
  void normalize_and_add(Activation x, const std::vector<float>& weight, Activation to);
  void set_input(Activation input) { input_ = input; }
  void project(const checkpoints::Matrix& w, const std::vector<float>& bias, Activation to,
               Into into = Into::overwrite);
  void project_and_add(const checkpoints::Matrix& w, const std::vector<float>& bias,
                       Activation to) {
    project(w, bias, to, Into::add);
  }
  void normalize_heads(Activation x, std::size_t heads, const std::vector<float>& weight);
  /// Copies the keys, if anyone wants them as they are now and they will change.
  void keys_are_unturned(std::size_t layer);
  void apply_rotary(std::size_t layer, Activation x, std::size_t heads);
  void add_to_rows(Activation x, const std::vector<float>& offset);
  void attend(std::size_t layer);
  void silu_multiply(Activation gate, Activation up);
  void gelu_multiply(Activation gate, Activation up);
  void gelu(Activation up);

 private:
  float* at(Activation activation);
  /// up *= activate(gate), row by row.
  template <class Activate>
  void multiply_gated(Activation gate, Activation up, const Activate& activate);
  std::size_t tokens(std::size_t part) const { return parts_[part].more.ids.size(); }
  /// The keys of a part before rotary embedding and offset; null if they lack neither.
  const float* keys_before(std::size_t part) const;
  KeyTurn turn_of(std::size_t layer, std::size_t kv_head) const;
  /// A store in the state after begin().
  Store new_store(std::size_t layer, std::size_t part, std::size_t kv_head) const;
  /// Factors of the second query, and its table: for layers with differential attention. Logits of
  /// the write gate, if anyone wants them.
  void mix(std::size_t layer);
  void attend_head(std::size_t layer, std::size_t part, std::size_t kv_head);
  void attend_head(std::size_t layer, std::size_t part, std::size_t kv_head, Store* store);
  void attend_all(std::size_t layer, std::size_t part, std::size_t kv_head, HeadAttention* store);
  void attend_in_turn(std::size_t layer, std::size_t part, std::size_t kv_head, HeadMemory* store);
  void normalize_output(std::size_t layer, std::size_t head, float* out) const;
  /// [tokens, kv_heads] of a part; null without a write gate.
  const float* gates_of(std::size_t part) const;

  const checkpoints::Checkpoint& checkpoint_;
  const checkpoints::Architecture& a_;
  Workers& workers_;
  std::span<const Part> parts_;
  const KvCache& cache_;
  const RotaryTables& tables_;
  const Observer& observer_;
  std::mutex mutex_;
  CacheEvents events_;

  std::size_t rows_ = 0;
  std::vector<std::size_t> first_;     ///< first row of each part
  std::vector<std::size_t> position_;  ///< of each row in its sequence
  Activation input_ = Activation::normal;
  std::vector<float> hidden_, normal_;  ///< [rows, hidden]
  std::vector<float> queries_, keys_, values_, attended_;
  std::vector<float> keys_before_;    ///< as keys_, of this layer; empty if they are the same
  std::vector<float> gate_, up_;      ///< [rows, ffn]
  std::vector<float> gates_;          ///< [rows, kv_heads]; empty: the layer has no write gate
  std::vector<float> lambdas_;        ///< [rows, heads]; empty: the layer has one query a head
  std::optional<RotaryTable> noise_;  ///< turns a second query; head h is its position h
};

}  // namespace axelram::transformer
