#include "axelram_stores.hpp"
#include "stores.hpp"

namespace axelram::caches {
namespace {

class AxelramCache : public transformer::Cache {
 public:
  AxelramCache(const Axelram& store, const Shape& shape, const UnitTable& units)
      : units_(store, shape, units) {}
  std::unique_ptr<transformer::KeyCache> keys(int layer, int head) const override {
    return std::make_unique<AxelramKeys>(units_, Place{layer, head, false});
  }
  std::unique_ptr<transformer::ValueCache> values(int layer, int head) const override {
    return std::make_unique<AxelramValues>(units_, Place{layer, head, true});
  }

 private:
  AxelramUnits units_;
};

}  // namespace

Maker make(const Axelram& store, const Shape& shape, const UnitTable& units) {
  return std::make_shared<AxelramCache>(store, shape, units);
}

}  // namespace axelram::caches
