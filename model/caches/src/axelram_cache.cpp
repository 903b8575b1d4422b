#include "axelram_stores.hpp"
#include "kind.hpp"

namespace axelram::caches {
namespace {

class AxelramCache : public transformer::KvCache {
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

SharedCache make_axelram_cache(const Axelram& row, const Shape& shape, const UnitTable& units) {
  return std::make_shared<AxelramCache>(row, shape, units);
}

bool reseed_axelram(Axelram* row, std::uint64_t seed) {
  const files::Rotation::Source source = files::read_config(row->config).rotation.source;
  const bool signs = !row->seed && source == files::Rotation::Source::seed;
  if (signs) row->seed = seed;
  const bool faults = reseed_faults(&row->faults, seed);
  return signs || faults;
}

}  // namespace

const Kind<Axelram>& Axelram::kind() {
  static const Kind<Axelram> kind{
      "records of the macro of a configuration file",
      with_faults<Axelram>({text_key<Axelram>(
                                {"config", "FILE", "", "configuration of the macro"},
                                [](auto& row) -> auto& { return row.config; },
                                [](const std::string&) { return std::optional<std::string>(); }),
                            seed_key<Axelram>(
                                {"seed", "N", "the configuration's", "seed of the signs"},
                                [](auto& row) -> auto& { return row.seed; })}),
      make_axelram_cache, reseed_axelram};
  return kind;
}

}  // namespace axelram::caches
