#include "axelram/caches/cache.hpp"

#include <utility>
#include <variant>

#include "specification/kind.hpp"

namespace axelram::caches {
namespace {

class MixedCache : public transformer::KvCache {
 public:
  MixedCache(SharedCache keys, SharedCache values)
      : keys_(std::move(keys)), values_(std::move(values)) {}
  std::unique_ptr<transformer::KeyCache> keys(int layer, int head) const override {
    return keys_->keys(layer, head);
  }
  std::unique_ptr<transformer::ValueCache> values(int layer, int head) const override {
    return values_->values(layer, head);
  }
  bool keys_before_rotary() const override { return keys_->keys_before_rotary(); }
  std::unique_ptr<transformer::HeadAttention> attention(int layer, int head) const override {
    return keys_ == values_ ? keys_->attention(layer, head) : KvCache::attention(layer, head);
  }
  bool bounded() const override { return keys_->bounded(); }
  std::unique_ptr<transformer::HeadMemory> memory(int layer, int head) const override {
    return keys_->memory(layer, head);
  }

 private:
  SharedCache keys_, values_;
};

}  // namespace

void reject_half_attention(const Specification& specification) {
  if (specification.keys == specification.values) return;
  for (const std::string& name : configurations(specification))
    files::reject_attention(files::find_config(name), "a cache of keys or of values alone");
}

std::unique_ptr<transformer::KvCache> make_cache(const Specification& specification,
                                                 const Shape& shape, const UnitTable& units) {
  const auto maker = [&](const RowSpecification& store) {
    return std::visit([&](const auto& row) { return row.kind().make(row, shape, units); }, store);
  };
  const SharedCache keys = maker(specification.keys);
  const bool shared = specification.keys == specification.values;
  reject_half_attention(specification);
  return std::make_unique<MixedCache>(keys, shared ? keys : maker(specification.values));
}

}  // namespace axelram::caches
