#include <algorithm>
#include <cmath>

#include "normalize.hpp"
#include "pass.hpp"

namespace axelram::transformer {
namespace {

constexpr std::size_t kQueriesOfBlock = 128;
constexpr double kHeadNormEpsilon = 1e-6;

/// Copies one head out of rows of `heads` heads.
void gather(const float* rows, std::size_t count, std::size_t heads, std::size_t head,
            std::size_t d, float* out) {
  for (std::size_t r = 0; r < count; ++r)
    std::copy_n(rows + (r * heads + head) * d, d, out + r * d);
}

/// Copies one head into rows of `heads` heads.
void scatter(const float* in, std::size_t count, std::size_t heads, std::size_t head, std::size_t d,
             float* rows) {
  for (std::size_t r = 0; r < count; ++r) std::copy_n(in + r * d, d, rows + (r * heads + head) * d);
}

}  // namespace

Store Pass::new_store(std::size_t layer, std::size_t part, std::size_t kv_head) const {
  const int l = static_cast<int>(layer), head = static_cast<int>(kv_head);
  Store store;
  if (cache_.bounded()) {
    store.memory = cache_.memory(l, head);
    store.memory->begin(parts_[part].more.number);
    return store;
  }
  store.attention = cache_.attention(l, head);
  if (cache_.keys_before_rotary()) store.attention->turn_by(turn_of(layer, kv_head));
  store.attention->begin(parts_[part].more.number);
  return store;
}

void Pass::attend_head(std::size_t layer, std::size_t part, std::size_t kv_head) {
  if (Stores* const stores = parts_[part].stores) {
    Store& store = (*stores)[layer * a_.kv_heads + kv_head];
    if (!store) store = new_store(layer, part, kv_head);
    return attend_head(layer, part, kv_head, &store);
  }
  Store store = new_store(layer, part, kv_head);
  attend_head(layer, part, kv_head, &store);
  const CacheEvents events = events_of(store, layer * a_.kv_heads + kv_head);
  const std::lock_guard<std::mutex> lock(mutex_);
  events_ += events;
}

void Pass::attend_head(std::size_t layer, std::size_t part, std::size_t kv_head, Store* store) {
  if (store->memory) return attend_in_turn(layer, part, kv_head, store->memory.get());
  attend_all(layer, part, kv_head, store->attention.get());
}

const float* Pass::gates_of(std::size_t part) const {
  return gates_.empty() ? nullptr : &gates_[first_[part] * a_.kv_heads];
}

/// λ = sigmoid(<w, x> + b) of the block's normed input, and q_noise = R(theta) q
/// (references.md#coda-gqa-l).
void Pass::mix(std::size_t layer) {
  const checkpoints::CodaWeights& w = checkpoint_.layers[layer].coda;
  gates_.clear();
  lambdas_.clear();
  if (!w.write_bias.empty() && (cache_.bounded() || observer_)) {
    std::vector<float> logits(rows_ * w.write_bias.size());
    transformer::project(workers_, w.write, w.write_bias, normal_.data(), rows_, logits.data());
    const std::size_t heads_of_gate = a_.kv_heads / w.write_bias.size();  // one gate, or one each
    for (const float logit : logits) gates_.insert(gates_.end(), heads_of_gate, logit);
  }
  if (w.theta.empty()) return;
  lambdas_.resize(rows_ * a_.heads);
  transformer::project(workers_, w.lambda, w.lambda_bias, normal_.data(), rows_, lambdas_.data());
  for (float& x : lambdas_) x = static_cast<float>(1 / (1 + std::exp(-static_cast<double>(x))));
  std::vector<float> cosines, sines;
  for (const float angle : w.theta) {
    cosines.push_back(static_cast<float>(std::cos(static_cast<double>(angle))));
    sines.push_back(static_cast<float>(std::sin(static_cast<double>(angle))));
  }
  const bool interleaved =
      a_.coda->interleaved || a_.positions == checkpoints::Positions::rotary_interleaved;
  noise_.emplace(std::move(cosines), std::move(sines), a_.head_dim / 2, interleaved);
}

void Pass::normalize_output(std::size_t layer, std::size_t head, float* out) const {
  const std::size_t d = a_.head_dim;
  const std::vector<float>& norms = checkpoint_.layers[layer].coda.head_norm;
  if (!norms.empty()) rms_norm(out, d, &norms[head * d], kHeadNormEpsilon, out);
}

/// Attention of one KV head and the query heads of its group: all tokens are written before the
/// first query.
void Pass::attend_all(std::size_t layer, std::size_t part, std::size_t kv_head,
                      HeadAttention* store) {
  const std::size_t count = tokens(part), before = parts_[part].before, d = a_.head_dim;
  const std::size_t first_row = first_[part];
  std::vector<float> rows(count * d), others(count * d);
  const float* keys = cache_.keys_before_rotary() ? keys_before(part) : nullptr;
  if (keys == nullptr) keys = &keys_[first_row * a_.kv_heads * d];
  gather(keys, count, a_.kv_heads, kv_head, d, rows.data());
  gather(&values_[first_row * a_.kv_heads * d], count, a_.kv_heads, kv_head, d, others.data());
  store->write(rows.data(), others.data(), count);

  std::vector<float> noise(lambdas_.empty() ? 0 : others.size());
  std::vector<std::size_t> oldest(std::min(count, kQueriesOfBlock));
  for (std::size_t head = kv_head * a_.group(); head < (kv_head + 1) * a_.group(); ++head)
    for (std::size_t first = 0; first < count; first += kQueriesOfBlock) {
      const std::size_t some = std::min(kQueriesOfBlock, count - first);
      gather(&queries_[(first_row + first) * a_.heads * d], some, a_.heads, head, d, rows.data());
      for (std::size_t i = 0; i < some; ++i) oldest[i] = a_.oldest(layer, before + first + i);
      const auto attend = [&](std::vector<float>* out) {
        store->attend(rows.data(), some, before + first, oldest.data(), a_.attention_scale(),
                      out->data());
      };
      attend(&others);
      if (!lambdas_.empty()) {
        for (std::size_t i = 0; i < some; ++i) noise_->turn(head, &rows[i * d]);
        attend(&noise);
        for (std::size_t i = 0; i < some; ++i) {
          const float lambda = lambdas_[(first_row + first + i) * a_.heads + head];
          // Without a second query the first is alone to the bit, zeros with a sign too.
          for (std::size_t c = i * d; c < (i + 1) * d && lambda != 0; ++c)
            others[c] -= lambda * noise[c];
        }
      }
      for (std::size_t i = 0; i < some; ++i) normalize_output(layer, head, &others[i * d]);
      scatter(others.data(), some, a_.heads, head, d,
              &attended_[(first_row + first) * a_.heads * d]);
    }
  store->settle();
}

/// The same of a memory: each token is written and asked before the next.
void Pass::attend_in_turn(std::size_t layer, std::size_t part, std::size_t kv_head,
                          HeadMemory* store) {
  const std::size_t d = a_.head_dim, group = a_.group(), head = kv_head * group;
  const float* const gates = gates_of(part);
  std::vector<float> noise(lambdas_.empty() ? 0 : group * d);
  for (std::size_t t = 0; t < tokens(part); ++t) {
    const std::size_t row = first_[part] + t, kv_row = (row * a_.kv_heads + kv_head) * d;
    store->write(&keys_[kv_row], &values_[kv_row],
                 gates == nullptr ? kOpenGate : gates[t * a_.kv_heads + kv_head]);
    const float* const queries = &queries_[(row * a_.heads + head) * d];
    std::copy_n(queries, noise.size(), noise.data());
    for (std::size_t h = 0; h * d < noise.size(); ++h) noise_->turn(head + h, &noise[h * d]);
    float* const out = &attended_[(row * a_.heads + head) * d];
    store->attend({queries, noise.empty() ? nullptr : noise.data(),
                   noise.empty() ? nullptr : &lambdas_[row * a_.heads + head], group,
                   a_.oldest(layer, parts_[part].before + t), a_.attention_scale()},
                  out);
    for (std::size_t h = 0; h < group; ++h) normalize_output(layer, head + h, out + h * d);
  }
}

}  // namespace axelram::transformer
