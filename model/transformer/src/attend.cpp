#include <algorithm>

#include "axelram/transformer/product.hpp"
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

/// Scaled dot-product attention of one KV head and the query heads of its group.
void Pass::attend_head(std::size_t layer, std::size_t sequence, std::size_t kv_head) {
  const std::size_t tokens = sequences_[sequence].ids.size(), d = a_.head_dim;
  const std::size_t first_row = first_[sequence];
  const auto keys = cache_.keys(static_cast<int>(layer), static_cast<int>(kv_head));
  const auto values = cache_.values(static_cast<int>(layer), static_cast<int>(kv_head));
  std::vector<float> rows(tokens * d);
  gather(&keys_[first_row * a_.kv_heads * d], tokens, a_.kv_heads, kv_head, d, rows.data());
  keys->begin(sequences_[sequence].number);
  keys->write(rows.data(), tokens);
  gather(&values_[first_row * a_.kv_heads * d], tokens, a_.kv_heads, kv_head, d, rows.data());
  values->begin(sequences_[sequence].number);
  values->write(rows.data(), tokens);

  const auto scale = static_cast<float>(a_.attention_scale());
  std::vector<float> weights(std::min(tokens, kQueriesOfBlock) * tokens);
  for (std::size_t head = kv_head * a_.group(); head < (kv_head + 1) * a_.group(); ++head)
    for (std::size_t first = 0; first < tokens; first += kQueriesOfBlock) {
      const std::size_t count = std::min(kQueriesOfBlock, tokens - first);
      gather(&queries_[(first_row + first) * a_.heads * d], count, a_.heads, head, d, rows.data());
      const std::size_t oldest = a_.oldest(layer, first);
      keys->score(rows.data(), count, first, oldest, tokens, weights.data());
      for (std::size_t i = 0; i < count; ++i) {
        float* const row = &weights[i * tokens];
        const std::size_t end = first + i + 1, seen = a_.oldest(layer, first + i);
        std::fill(row + oldest, row + seen, 0.0F);
        softmax(row + seen, end - seen, scale);
        std::fill(row + end, row + tokens, 0.0F);
      }
      values->weighted_sum(weights.data(), count, first, oldest, tokens, rows.data());
      scatter(rows.data(), count, a_.heads, head, d,
              &attended_[(first_row + first) * a_.heads * d]);
    }

  const std::lock_guard<std::mutex> lock(mutex_);
  events_.keys += keys->events();
  events_.values += values->events();
}

}  // namespace axelram::transformer
