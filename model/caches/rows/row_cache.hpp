#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "axelram/transformer/kv_cache.hpp"
#include "rows/causal_products.hpp"

namespace axelram::caches {

/// A key or a value cache whose rows are read as floats. Rows has clear(), append(rows, count),
/// data(), width(), bytes_per_row() and reject_faults().
template <class Interface, class Rows>
class RowCache : public Interface {
 public:
  explicit RowCache(Rows rows) : rows_(std::move(rows)), products_(rows_.width()) {}

  void begin(std::uint32_t) override { rows_.clear(); }
  void write(const float* rows, std::size_t count) override { rows_.append(rows, count); }
  void inject(double, std::uint64_t) override { rows_.reject_faults(); }
  double bytes_per_token() const override { return rows_.bytes_per_row(); }

 protected:
  Rows rows_;
  CausalProducts products_;
};

template <class Rows>
class RowKeys : public RowCache<transformer::KeyCache, Rows> {
 public:
  using RowCache<transformer::KeyCache, Rows>::RowCache;
  void score(const float* queries, std::size_t count, std::size_t first, std::size_t oldest,
             std::size_t stride, float* scores) override {
    this->products_.score(this->rows_.data(), queries, count, first, oldest, stride, scores);
  }
};

template <class Rows>
class RowValues : public RowCache<transformer::ValueCache, Rows> {
 public:
  using RowCache<transformer::ValueCache, Rows>::RowCache;
  void weighted_sum(const float* weights, std::size_t count, std::size_t first, std::size_t oldest,
                    std::size_t stride, float* out) override {
    this->products_.weighted_sum(this->rows_.data(), weights, count, first, oldest, stride, out);
  }
};

}  // namespace axelram::caches
