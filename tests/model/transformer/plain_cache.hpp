#pragma once

#include <memory>
#include <vector>

#include "axelram/transformer/kv_cache.hpp"

namespace test {

/// Rows as they came, sums in double: what attention is by definition.
template <class Interface>
class PlainRows : public Interface {
 public:
  explicit PlainRows(std::size_t d) : d_(d) {}
  void begin(std::uint32_t) override { rows_.clear(); }
  void write(const float* rows, std::size_t count) override {
    rows_.insert(rows_.end(), rows, rows + count * d_);
  }
  void inject(double, std::uint64_t) override {}
  double bytes_per_token() const override { return 4.0 * static_cast<double>(d_); }

 protected:
  std::size_t d_;
  std::vector<float> rows_;
};

class PlainKeys : public PlainRows<axelram::transformer::KeyCache> {
 public:
  using PlainRows::PlainRows;
  void score(const float* queries, std::size_t count, std::size_t first, std::size_t oldest,
             std::size_t stride, float* scores) override {
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t t = oldest; t <= first + i; ++t) {
        double sum = 0;
        for (std::size_t c = 0; c < d_; ++c)
          sum += static_cast<double>(queries[i * d_ + c]) * rows_[t * d_ + c];
        scores[i * stride + t] = static_cast<float>(sum);
      }
  }
};

class PlainValues : public PlainRows<axelram::transformer::ValueCache> {
 public:
  using PlainRows::PlainRows;
  void weighted_sum(const float* weights, std::size_t count, std::size_t first, std::size_t oldest,
                    std::size_t stride, float* out) override {
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t c = 0; c < d_; ++c) {
        double sum = 0;
        for (std::size_t t = oldest; t <= first + i; ++t)
          sum += static_cast<double>(weights[i * stride + t]) * rows_[t * d_ + c];
        out[i * d_ + c] = static_cast<float>(sum);
      }
  }
};

class PlainCache : public axelram::transformer::KvCache {
 public:
  explicit PlainCache(std::size_t d) : d_(d) {}
  std::unique_ptr<axelram::transformer::KeyCache> keys(int, int) const override {
    return std::make_unique<PlainKeys>(d_);
  }
  std::unique_ptr<axelram::transformer::ValueCache> values(int, int) const override {
    return std::make_unique<PlainValues>(d_);
  }

 private:
  std::size_t d_;
};

}  // namespace test
