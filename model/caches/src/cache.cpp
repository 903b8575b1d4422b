#include "axelram/caches/cache.hpp"

#include <utility>
#include <variant>

#include "stores.hpp"

namespace axelram::caches {
namespace {

class MixedCache : public transformer::Cache {
 public:
  MixedCache(Maker keys, Maker values) : keys_(std::move(keys)), values_(std::move(values)) {}
  std::unique_ptr<transformer::KeyCache> keys(int layer, int head) const override {
    return keys_->keys(layer, head);
  }
  std::unique_ptr<transformer::ValueCache> values(int layer, int head) const override {
    return values_->values(layer, head);
  }

 private:
  Maker keys_, values_;
};

}  // namespace

std::unique_ptr<transformer::Cache> make_cache(const Specification& specification,
                                               const Shape& shape, const UnitTable& units) {
  const auto maker = [&](const StoreSpecification& store) {
    return std::visit([&](const auto& one) { return make(one, shape, units); }, store);
  };
  const Maker keys = maker(specification.keys);
  const bool shared = specification.keys == specification.values;
  return std::make_unique<MixedCache>(keys, shared ? keys : maker(specification.values));
}

}  // namespace axelram::caches
