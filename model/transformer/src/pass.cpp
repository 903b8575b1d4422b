#include "pass.hpp"

#include <algorithm>

#include "axelram/transformer/product.hpp"
#include "normalize.hpp"
#include "projection.hpp"

namespace axelram::transformer {
namespace {

constexpr std::size_t kRowsOfPiece = 64;

/// fn(worker, first row, end row) over pieces of rows.
template <class Function>
void by_rows(Workers& workers, std::size_t rows, const Function& function) {
  workers.run((rows + kRowsOfPiece - 1) / kRowsOfPiece, [&](std::size_t, std::size_t piece) {
    for (std::size_t r = piece * kRowsOfPiece; r < std::min(rows, (piece + 1) * kRowsOfPiece); ++r)
      function(r);
  });
}

std::size_t longest(std::span<const Sequence> sequences) {
  std::size_t most = 0;
  for (const Sequence& sequence : sequences) most = std::max(most, sequence.ids.size());
  return most;
}

}  // namespace

Pass::Pass(const checkpoints::Checkpoint& checkpoint, Workers& workers,
           std::span<const Sequence> sequences, const KvCache& cache, const Observer& observer)
    : checkpoint_(checkpoint),
      a_(checkpoint.architecture),
      workers_(workers),
      sequences_(sequences),
      cache_(cache),
      observer_(observer),
      rotary_(a_, longest(sequences)) {
  for (const Sequence& sequence : sequences) {
    first_.push_back(rows_);
    for (std::size_t t = 0; t < sequence.ids.size(); ++t) position_.push_back(t);
    rows_ += sequence.ids.size();
  }
  x_.resize(rows_ * a_.hidden);
  normal_.resize(x_.size());
  queries_.resize(rows_ * a_.heads * a_.head_dim);
  mixed_.resize(queries_.size());
  keys_.resize(rows_ * a_.kv_heads * a_.head_dim);
  values_.resize(keys_.size());
  if (a_.gated) gate_.resize(rows_ * a_.ffn);
  up_.resize(rows_ * a_.ffn);
}

void Pass::embed() {
  std::vector<float> place(a_.hidden);
  for (std::size_t s = 0, row = 0; s < sequences_.size(); ++s)
    for (std::size_t t = 0; t < sequences_[s].ids.size(); ++t, ++row) {
      float* const x = &x_[row * a_.hidden];
      checkpoint_.embedding.rows(static_cast<std::size_t>(sequences_[s].ids[t]), 1, x);
      if (a_.positions != checkpoints::Positions::learned) continue;
      checkpoint_.positions.rows(t, 1, place.data());
      for (std::size_t i = 0; i < a_.hidden; ++i) x[i] += place[i];
    }
}

void Pass::normalize(const float* x, const std::vector<float>& weight,
                     const std::vector<float>& bias, float* y) {
  by_rows(workers_, rows_, [&](std::size_t r) {
    const std::size_t at = r * a_.hidden;
    if (a_.layer_norm)
      layer_norm(x + at, a_.hidden, weight, bias, a_.norm_epsilon, y + at);
    else
      rms_norm(x + at, a_.hidden, weight, a_.norm_epsilon, y + at);
  });
}

void Pass::place(std::vector<float>* x, std::size_t heads, const std::vector<float>& norm,
                 const std::vector<float>& offset) {
  const std::size_t width = heads * a_.head_dim;
  by_rows(workers_, rows_, [&](std::size_t r) {
    float* const row = x->data() + r * width;
    for (std::size_t h = 0; h < heads; ++h) {
      float* const head = row + h * a_.head_dim;
      if (!norm.empty()) rms_norm(head, a_.head_dim, norm, a_.norm_epsilon, head);
      if (a_.positions != checkpoints::Positions::learned) rotary_.turn(position_[r], head);
    }
    for (std::size_t i = 0; i < offset.size(); ++i) row[i] += offset[i];
  });
}

void Pass::attention(std::size_t layer) {
  const checkpoints::Layer& w = checkpoint_.layers[layer];
  normalize(x_.data(), w.attention_norm, w.attention_norm_bias, normal_.data());
  project(workers_, w.q, w.q_bias, normal_.data(), rows_, queries_.data());
  project(workers_, w.k, w.k_bias, normal_.data(), rows_, keys_.data());
  project(workers_, w.v, w.v_bias, normal_.data(), rows_, values_.data());
  place(&queries_, a_.heads, w.q_norm, {});
  place(&keys_, a_.kv_heads, w.k_norm, w.key_offset);
  if (observer_)
    for (std::size_t s = 0; s < sequences_.size(); ++s)
      observer_({layer, sequences_[s].ids.size(), sequences_[s].number,
                 &queries_[first_[s] * a_.heads * a_.head_dim],
                 &keys_[first_[s] * a_.kv_heads * a_.head_dim],
                 &values_[first_[s] * a_.kv_heads * a_.head_dim]});
  workers_.run(sequences_.size() * a_.kv_heads, [&](std::size_t, std::size_t piece) {
    attend(layer, piece / a_.kv_heads, piece % a_.kv_heads);
  });
  project(workers_, w.o, w.o_bias, mixed_.data(), rows_, x_.data(), Into::add);
}

void Pass::feed_forward(std::size_t layer) {
  const checkpoints::Layer& w = checkpoint_.layers[layer];
  normalize(x_.data(), w.ffn_norm, w.ffn_norm_bias, normal_.data());
  project(workers_, w.up, w.up_bias, normal_.data(), rows_, up_.data());
  if (a_.gated) project(workers_, w.gate, w.gate_bias, normal_.data(), rows_, gate_.data());
  by_rows(workers_, rows_, [&](std::size_t r) {
    float* const up = &up_[r * a_.ffn];
    if (!a_.gated) return gelu_tanh(up, a_.ffn);
    float* const gate = &gate_[r * a_.ffn];
    silu(gate, a_.ffn);
    for (std::size_t i = 0; i < a_.ffn; ++i) up[i] *= gate[i];
  });
  project(workers_, w.down, w.down_bias, up_.data(), rows_, x_.data(), Into::add);
}

std::vector<float> Pass::run() {
  embed();
  for (std::size_t layer = 0; layer < a_.layers; ++layer) {
    attention(layer);
    feed_forward(layer);
  }
  normalize(x_.data(), checkpoint_.final_norm, checkpoint_.final_norm_bias, normal_.data());
  return std::move(normal_);
}

}  // namespace axelram::transformer
