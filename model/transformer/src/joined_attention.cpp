#include <algorithm>
#include <utility>
#include <vector>

#include "axelram/transformer/kv_cache.hpp"
#include "axelram/transformer/product.hpp"

namespace axelram::transformer {
namespace {

/// Scaled dot-product attention in floats between the scores of keys and the sums of values.
class JoinedAttention : public HeadAttention {
 public:
  JoinedAttention(std::unique_ptr<KeyCache> keys, std::unique_ptr<ValueCache> values)
      : keys_(std::move(keys)), values_(std::move(values)) {}

  void begin(std::uint32_t sequence) override {
    keys_->begin(sequence);
    values_->begin(sequence);
    tokens_ = 0;
  }

  void write(const float* keys, const float* values, std::size_t count) override {
    keys_->write(keys, count);
    values_->write(values, count);
    tokens_ += count;
  }

  void attend(const float* queries, std::size_t count, std::size_t first, const std::size_t* oldest,
              double scale, float* out) override {
    if (count == 0) return;
    weights_.resize(std::max(weights_.size(), count * tokens_));
    keys_->score(queries, count, first, oldest[0], tokens_, weights_.data());
    for (std::size_t i = 0; i < count; ++i) {
      float* const row = &weights_[i * tokens_];
      const std::size_t end = first + i + 1;
      std::fill(row + oldest[0], row + oldest[i], 0.0F);
      softmax(row + oldest[i], end - oldest[i], static_cast<float>(scale));
      std::fill(row + end, row + tokens_, 0.0F);
    }
    values_->weighted_sum(weights_.data(), count, first, oldest[0], tokens_, out);
  }

  void turn_by(const KeyTurn& turn) override { keys_->turn_by(turn); }
  void settle() override {
    keys_->settle();
    values_->settle();
  }
  CacheEvents events() const override { return {keys_->events(), values_->events()}; }
  double bytes_per_token() const override {
    return keys_->bytes_per_token() + values_->bytes_per_token();
  }
  double bytes_per_sequence() const override {
    return keys_->bytes_per_sequence() + values_->bytes_per_sequence();
  }
  double bytes(std::size_t tokens) const override {
    return keys_->bytes(tokens) + values_->bytes(tokens);
  }

 private:
  std::unique_ptr<KeyCache> keys_;
  std::unique_ptr<ValueCache> values_;
  std::size_t tokens_ = 0;
  std::vector<float> weights_;  ///< [count, tokens_]
};

}  // namespace

std::unique_ptr<HeadAttention> KvCache::attention(int layer, int head) const {
  return std::make_unique<JoinedAttention>(keys(layer, head), values(layer, head));
}

}  // namespace axelram::transformer
