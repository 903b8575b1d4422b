#include <algorithm>

#include "pass.hpp"

namespace axelram::transformer {
namespace {

constexpr std::size_t kQueriesOfBlock = 128;

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

/// Attention of one KV head and the query heads of its group.
void Pass::attend_head(std::size_t layer, std::size_t sequence, std::size_t kv_head) {
  const std::size_t tokens = sequences_[sequence].ids.size(), d = a_.head_dim;
  const std::size_t first_row = first_[sequence];
  const auto attention = cache_.attention(static_cast<int>(layer), static_cast<int>(kv_head));
  std::vector<float> rows(tokens * d), others(tokens * d);
  const float* keys = &keys_[first_row * a_.kv_heads * d];
  if (cache_.keys_before_rotary()) {
    attention->turn_by(turn_of(layer, kv_head));
    if (const float* const before = keys_before(sequence)) keys = before;
  }
  gather(keys, tokens, a_.kv_heads, kv_head, d, rows.data());
  gather(&values_[first_row * a_.kv_heads * d], tokens, a_.kv_heads, kv_head, d, others.data());
  attention->begin(sequences_[sequence].number);
  attention->write(rows.data(), others.data(), tokens);

  std::vector<std::size_t> oldest(std::min(tokens, kQueriesOfBlock));
  for (std::size_t head = kv_head * a_.group(); head < (kv_head + 1) * a_.group(); ++head)
    for (std::size_t first = 0; first < tokens; first += kQueriesOfBlock) {
      const std::size_t count = std::min(kQueriesOfBlock, tokens - first);
      gather(&queries_[(first_row + first) * a_.heads * d], count, a_.heads, head, d, rows.data());
      for (std::size_t i = 0; i < count; ++i) oldest[i] = a_.oldest(layer, first + i);
      attention->attend(rows.data(), count, first, oldest.data(), a_.attention_scale(),
                        others.data());
      scatter(others.data(), count, a_.heads, head, d,
              &attended_[(first_row + first) * a_.heads * d]);
    }
  attention->settle();

  const std::lock_guard<std::mutex> lock(mutex_);
  events_ += attention->events();
}

}  // namespace axelram::transformer
