#include "tier_coder.hpp"

#include <stdexcept>
#include <utility>

namespace axelram::caches {
namespace {

/// Blocks of keys, or rows of values, of KIVI and of SQuat.
class KiviCoder : public TierCoder {
 public:
  KiviCoder(const TierStore& store, std::size_t tokens, const KiviLayout& layout,
            const UnitTable& units)
      : TierCoder(store, tokens, layout.bytes()), layout_(layout), units_(units) {}

  void encode(const std::uint16_t* rows, std::uint8_t* block) override {
    units_.encode_kivi(layout_, rows, block);
  }
  void decode(const std::uint8_t* block, float* rows) override {
    units_.decode_kivi(layout_, block, rows);
  }

 protected:
  KiviLayout layout_;
  const UnitTable& units_;
};

class SquatCoder : public KiviCoder {
 public:
  SquatCoder(const TierStore& store, std::size_t tokens, const KiviLayout& layout,
             SquatFeedback feedback, const UnitTable& units)
      : KiviCoder(store, tokens, layout, units), feedback_(std::move(feedback)) {}

  void encode(const std::uint16_t* rows, std::uint8_t* block) override {
    units_.encode_squat(layout_, feedback_, rows, block);
  }

 private:
  SquatFeedback feedback_;
};

class NuqCoder : public TierCoder {
 public:
  NuqCoder(const TierStore& store, const NuqLayout& layout, NuqCodebook codebook,
           const NuqRanges& ranges, const UnitTable& units)
      : TierCoder(store, 1, layout.bytes()),
        layout_(layout),
        codebook_(std::move(codebook)),
        boundaries_(nuq_boundaries_ref(codebook_.centroids)),
        ranges_(ranges),
        units_(units) {}

  void encode(const std::uint16_t* rows, std::uint8_t* block) override {
    if (layout_.values)
      units_.encode_nuq_value(layout_, boundaries_, rows, block);
    else
      units_.encode_nuq_key(layout_, boundaries_, ranges_, rows, block);
  }
  void decode(const std::uint8_t* block, float* rows) override {
    units_.decode_nuq(layout_, codebook_.levels, ranges_, block, rows);
  }

 private:
  NuqLayout layout_;
  NuqCodebook codebook_;
  std::vector<double> boundaries_;
  NuqRanges ranges_;
  const UnitTable& units_;
};

std::unique_ptr<TierCoder> make_nuq_coder(const TierStore& store, const TierHead& head) {
  const files::TierConstants& constants = *head.source.constants();
  const auto layer = static_cast<std::size_t>(head.site.layer);
  const bool qnorm = head.settings.qnorm;
  const NuqLayout layout{store.bits, head.d, nuq_outlier_count(constants.outliers, head.d),
                         head.site.value};
  if (layout.values)
    return std::make_unique<NuqCoder>(store, layout,
                                      constants.value_codebook(layer, store.bits, qnorm),
                                      NuqRanges{nullptr, nullptr}, head.units);
  return std::make_unique<NuqCoder>(
      store, layout, constants.key_codebook(layer, store.bits, qnorm),
      constants.ranges(layer, static_cast<std::size_t>(head.site.head)), head.units);
}

}  // namespace

void TierCoder::prepare(const float*, std::size_t, std::size_t) {}

void TierCoder::score(const std::uint8_t*, std::size_t, std::size_t, std::size_t, float*,
                      std::size_t) {
  throw std::logic_error("a coder that decodes keys does not score them");
}

void TierCoder::rotate_back(double*) {
  throw std::logic_error("a coder whose sums are not rotated does not rotate them back");
}

std::unique_ptr<TierCoder> make_tier_coder(const TierStore& store, const TierHead& head) {
  const bool keys = !head.site.value;
  const std::size_t tokens = keys ? head.settings.group : 1;
  const auto kivi = [&](int bits) {
    return keys ? kivi_key_layout(bits, head.d, head.settings.group)
                : kivi_value_layout(bits, head.d, head.settings.value_group);
  };
  switch (store.format) {
    case TierFormat::kivi:
      return std::make_unique<KiviCoder>(store, tokens, kivi(store.bits), head.units);
    case TierFormat::kivi_nested:
      return std::make_unique<KiviCoder>(store, tokens, nested_kivi_layout(kivi(4)), head.units);
    case TierFormat::squat:
      if (!keys) return make_tier_coder({TierFormat::kivi, store.bits}, head);
      return std::make_unique<SquatCoder>(
          store, tokens, kivi(store.bits),
          head.source.constants()->feedback(static_cast<std::size_t>(head.site.layer),
                                            static_cast<std::size_t>(head.site.head)),
          head.units);
    case TierFormat::kvquant:
      return make_nuq_coder(store, head);
    case TierFormat::axelram:
      return make_record_coder(store, head);
  }
  throw std::logic_error("a format of a tier has no coder");
}

}  // namespace axelram::caches
