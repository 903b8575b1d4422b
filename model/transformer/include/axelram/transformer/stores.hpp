#pragma once

#include <memory>
#include <vector>

#include "axelram/transformer/store.hpp"

namespace axelram::transformer {

/// The stores of a cache for the workers that fill them: one of each layer and KV head for each
/// worker, made when first asked for.
class Stores {
 public:
  struct Pair {
    std::unique_ptr<KeyStore> keys;
    std::unique_ptr<ValueStore> values;
  };

  Stores(const Cache& cache, std::size_t workers, std::size_t layers, std::size_t heads)
      : cache_(cache), layers_(layers), heads_(heads), pairs_(workers * layers * heads) {}

  /// One worker may call this while others do with their own numbers.
  Pair& at(std::size_t worker, std::size_t layer, std::size_t head) {
    Pair& pair = pairs_[(worker * layers_ + layer) * heads_ + head];
    if (!pair.keys) {
      pair.keys = cache_.keys(static_cast<int>(layer), static_cast<int>(head));
      pair.values = cache_.values(static_cast<int>(layer), static_cast<int>(head));
    }
    return pair;
  }

  /// Of all keys, and of all values.
  StoreEvents key_events() const {
    StoreEvents sum;
    for (const Pair& pair : pairs_)
      if (pair.keys) sum += pair.keys->events();
    return sum;
  }
  StoreEvents value_events() const {
    StoreEvents sum;
    for (const Pair& pair : pairs_)
      if (pair.values) sum += pair.values->events();
    return sum;
  }

 private:
  const Cache& cache_;
  std::size_t layers_, heads_;
  std::vector<Pair> pairs_;
};

}  // namespace axelram::transformer
