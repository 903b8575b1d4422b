#include "adr_figures.hpp"

namespace axelram::commands::tiers {
namespace {

using Figure = std::optional<AdrFigure>;

}  // namespace

AdrFigures::AdrFigures(const TieredCache& cache, const CachedModel& model)
    : cache_(cache),
      model_(model),
      appendix_a_(model.head_dim == 128 && is({80, 64, 8, 32768})),
      appendix_b_(model.head_dim == 128 && is({32, 32, 1, 4096})) {}

bool AdrFigures::is(const Size& size) const {
  const report::ModelShape& shape = model_.shape;
  return shape.layers == size.layers && shape.query_heads == size.query_heads &&
         model_.batch == size.batch && shape.context == size.context;
}

bool AdrFigures::three_tiers() const {
  const auto has = [](const caches::TierSettings& settings) {
    return settings.sizes.hot == 64 && settings.sizes.warm == 448 && settings.sizes.sink == 0 &&
           settings.warm == TierStore{TierFormat::kivi, 4};
  };
  return has(cache_.keys) && has(cache_.values);
}

bool AdrFigures::archive_is(TierFormat format, int bits) const {
  const std::optional<TierStore> store = TierStore{format, bits};
  return cache_.keys.archive == store && cache_.values.archive == store;
}

Figure AdrFigures::fp16() const {
  constexpr const char* kTable = "its memory table";
  if (appendix_a_) return {{687e9, "appendix A"}};
  if (is({118, 48, 512, 2048})) return {{3e12, kTable}};
  if (model_.head_dim != 128) return {};
  if (is({32, 32, 1, 2048})) return {{256e6, kTable}};
  if (is({80, 64, 1, 2048})) return {{2.6e9, kTable}};
  if (is({80, 64, 32, 2048})) return {{83e9, kTable}};
  if (is({80, 64, 1, 131072})) return {{166e9, kTable}};
  return {};
}

Figure AdrFigures::hot() const {
  if (!appendix_a_ || !three_tiers()) return {};
  return {{1.34e9, "appendix A"}};
}

Figure AdrFigures::warm() const {
  if (!appendix_a_ || !three_tiers()) return {};
  return {{4.69e9, "appendix A, which counts it twice"}};
}

Figure AdrFigures::archive() const {
  if (!appendix_a_ || !three_tiers()) return {};
  if (archive_is(TierFormat::kivi, 2)) return {{168e9, "appendix A, which counts it twice"}};
  if (archive_is(TierFormat::squat, 2)) return {{67e9, "appendix A"}};
  return {};
}

Figure AdrFigures::total() const {
  if (!appendix_a_ || !three_tiers()) return {};
  if (archive_is(TierFormat::kivi, 2)) return {{174e9, "appendix A"}};
  if (archive_is(TierFormat::squat, 2)) return {{73e9, "appendix A"}};
  return {};
}

Figure AdrFigures::compression() const {
  constexpr const char* kAppendixB = "appendix B";
  if (appendix_a_ && three_tiers()) {
    if (archive_is(TierFormat::kivi, 2)) return {{3.95, "appendix A"}};
    if (archive_is(TierFormat::squat, 2)) return {{9.4, "appendix A"}};
  }
  if (!appendix_b_) return {};
  if (three_tiers()) return {{22, kAppendixB}};
  if (cache_.keys.sizes.warm != 0 || cache_.values.sizes.warm != 0) return {};
  if (archive_is(TierFormat::kivi, 4)) return {{4, kAppendixB}};
  if (archive_is(TierFormat::squat, 2)) return {{16, kAppendixB}};
  if (!archive_is(TierFormat::kivi, 2)) return {};
  const bool tail = cache_.keys.sizes.hot == 64 && cache_.values.sizes.hot == 64;
  return {{tail ? 12.0 : 8.0, kAppendixB}};
}

Figure AdrFigures::archive_compression() const {
  if (archive_is(TierFormat::kivi, 2)) return {{7, "7 to 8"}};
  if (archive_is(TierFormat::squat, 2)) return {{15, "15 to 22"}};
  if (archive_is(TierFormat::kvquant, 3)) return {{5.3, "5.3"}};
  return {};
}

}  // namespace axelram::commands::tiers
