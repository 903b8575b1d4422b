#include "pass.hpp"

#include <algorithm>

#include "axelram/transformer/product.hpp"
#include "normalize.hpp"

namespace axelram::transformer {
namespace {

constexpr std::size_t kRowsOfPiece = 64;

/// Calls function(row) for all rows, in pieces of kRowsOfPiece.
template <class Function>
void by_rows(Workers& workers, std::size_t rows, const Function& function) {
  workers.run((rows + kRowsOfPiece - 1) / kRowsOfPiece, [&](std::size_t, std::size_t piece) {
    for (std::size_t r = piece * kRowsOfPiece; r < std::min(rows, (piece + 1) * kRowsOfPiece); ++r)
      function(r);
  });
}

}  // namespace

CacheEvents events_of(const Store& store, std::size_t place) {
  if (!store.memory) return store.attention ? store.attention->events() : CacheEvents();
  CacheEvents events = store.memory->events();
  events.memories.resize(place + 1);
  events.memories[place] = store.memory->counts();
  return events;
}

Pass::Pass(const checkpoints::Checkpoint& checkpoint, Workers& workers, std::span<const Part> parts,
           const KvCache& cache, const RotaryTables& tables, const Observer& observer)
    : checkpoint_(checkpoint),
      a_(checkpoint.architecture),
      workers_(workers),
      parts_(parts),
      cache_(cache),
      tables_(tables),
      observer_(observer) {
  for (const Part& part : parts) {
    first_.push_back(rows_);
    for (std::size_t t = 0; t < part.more.ids.size(); ++t) position_.push_back(part.before + t);
    rows_ += part.more.ids.size();
  }
  hidden_.resize(rows_ * a_.hidden);
  normal_.resize(hidden_.size());
  queries_.resize(rows_ * a_.heads * a_.head_dim);
  attended_.resize(queries_.size());
  keys_.resize(rows_ * a_.kv_heads * a_.head_dim);
  values_.resize(keys_.size());
  if (a_.gated()) gate_.resize(rows_ * a_.ffn);
  up_.resize(rows_ * a_.ffn);
}

float* Pass::at(Activation activation) {
  switch (activation) {
    case Activation::hidden:
      return hidden_.data();
    case Activation::normal:
      return normal_.data();
    case Activation::queries:
      return queries_.data();
    case Activation::keys:
      return keys_.data();
    case Activation::values:
      return values_.data();
    case Activation::attended:
      return attended_.data();
    case Activation::gate:
      return gate_.data();
    case Activation::up:
      return up_.data();
  }
  return nullptr;
}

void Pass::embed() {
  for (std::size_t p = 0; p < parts_.size(); ++p)
    for (std::size_t t = 0; t < tokens(p); ++t)
      checkpoint_.embedding.rows(static_cast<std::size_t>(parts_[p].more.ids[t]), 1,
                                 &hidden_[(first_[p] + t) * a_.hidden]);
}

void Pass::scale_embeddings(float factor) {
  for (float& value : hidden_) value *= factor;
}

void Pass::add_positions() {
  std::vector<float> embedding(a_.hidden);
  for (std::size_t r = 0; r < rows_; ++r) {
    checkpoint_.positions.rows(position_[r], 1, embedding.data());
    for (std::size_t i = 0; i < a_.hidden; ++i) hidden_[r * a_.hidden + i] += embedding[i];
  }
}

void Pass::normalize(Activation from, const std::vector<float>& weight,
                     const std::vector<float>& bias, Activation to) {
  const float* const x = at(from);
  float* const y = at(to);
  by_rows(workers_, rows_, [&](std::size_t r) {
    const std::size_t row = r * a_.hidden;
    if (a_.layer_norm)
      layer_norm(x + row, a_.hidden, weight, bias, a_.norm_epsilon, y + row);
    else
      rms_norm(x + row, a_.hidden, weight.data(), a_.norm_epsilon, y + row);
  });
}

void Pass::normalize_and_add(Activation x, const std::vector<float>& weight, Activation to) {
  float* const rows = at(x);
  float* const sums = at(to);
  by_rows(workers_, rows_, [&](std::size_t r) {
    float* const row = rows + r * a_.hidden;
    rms_norm(row, a_.hidden, weight.data(), a_.norm_epsilon, row);
    for (std::size_t i = 0; i < a_.hidden; ++i) sums[r * a_.hidden + i] += row[i];
  });
}

void Pass::project(const checkpoints::Matrix& w, const std::vector<float>& bias, Activation to,
                   Into into) {
  transformer::project(workers_, w, bias, at(input_), rows_, at(to), into);
}

void Pass::normalize_heads(Activation x, std::size_t heads, const std::vector<float>& weight) {
  float* const all = at(x);
  by_rows(workers_, rows_, [&](std::size_t r) {
    for (std::size_t h = 0; h < heads; ++h) {
      float* const head = all + (r * heads + h) * a_.head_dim;
      rms_norm(head, a_.head_dim, weight.data(), a_.norm_epsilon, head);
    }
  });
}

void Pass::keys_are_unturned(std::size_t layer) {
  const bool change = tables_.of(layer) != nullptr || !checkpoint_.layers[layer].key_offset.empty();
  keys_before_.clear();
  if (change && (observer_ || cache_.keys_before_rotary())) keys_before_ = keys_;
}

const float* Pass::keys_before(std::size_t part) const {
  return keys_before_.empty() ? nullptr : &keys_before_[first_[part] * a_.kv_heads * a_.head_dim];
}

KeyTurn Pass::turn_of(std::size_t layer, std::size_t kv_head) const {
  const std::vector<float>& offset = checkpoint_.layers[layer].key_offset;
  return {tables_.of(layer), offset.empty() ? nullptr : &offset[kv_head * a_.head_dim]};
}

void Pass::apply_rotary(std::size_t layer, Activation x, std::size_t heads) {
  const RotaryTable& table = *tables_.of(layer);
  float* const all = at(x);
  by_rows(workers_, rows_, [&](std::size_t r) {
    for (std::size_t h = 0; h < heads; ++h)
      table.turn(position_[r], all + (r * heads + h) * a_.head_dim);
  });
}

void Pass::add_to_rows(Activation x, const std::vector<float>& offset) {
  float* const all = at(x);
  by_rows(workers_, rows_, [&](std::size_t r) {
    for (std::size_t i = 0; i < offset.size(); ++i) all[r * offset.size() + i] += offset[i];
  });
}

void Pass::attend(std::size_t layer) {
  mix(layer);
  if (observer_)
    for (std::size_t p = 0; p < parts_.size(); ++p)
      observer_({layer, tokens(p), parts_[p].more.number,
                 &queries_[first_[p] * a_.heads * a_.head_dim],
                 &keys_[first_[p] * a_.kv_heads * a_.head_dim],
                 &values_[first_[p] * a_.kv_heads * a_.head_dim], keys_before(p), parts_[p].before,
                 gates_of(p)});
  workers_.run(parts_.size() * a_.kv_heads, [&](std::size_t, std::size_t piece) {
    attend_head(layer, piece / a_.kv_heads, piece % a_.kv_heads);
  });
}

template <class Activate>
void Pass::multiply_gated(Activation gate, Activation up, const Activate& activate) {
  by_rows(workers_, rows_, [&](std::size_t r) {
    float* const factors = at(gate) + r * a_.ffn;
    float* const products = at(up) + r * a_.ffn;
    activate(factors, a_.ffn);
    for (std::size_t i = 0; i < a_.ffn; ++i) products[i] *= factors[i];
  });
}

void Pass::silu_multiply(Activation gate, Activation up) { multiply_gated(gate, up, silu); }
void Pass::gelu_multiply(Activation gate, Activation up) { multiply_gated(gate, up, gelu_tanh); }

void Pass::gelu(Activation up) {
  by_rows(workers_, rows_, [&](std::size_t r) { gelu_tanh(at(up) + r * a_.ffn, a_.ffn); });
}

std::vector<float> Pass::run() {
  forward(*this, a_);
  normalize(Activation::hidden, checkpoint_.final_norm, checkpoint_.final_norm_bias,
            Activation::normal);
  return std::move(normal_);
}

}  // namespace axelram::transformer
