#include "tiers/tier_coder.hpp"

#include <stdexcept>
#include <utility>

namespace axelram::caches {
namespace {

/// A coder that reads queries as they are.
class FloatCoder : public TierCoder {
 public:
  FloatCoder(const TierStore& store, std::size_t tokens, std::size_t bytes, std::size_t d,
             const UnitTable& units)
      : TierCoder(store, tokens, bytes), d_(d), units_(units) {}

  void prepare(const float* queries, std::size_t, std::size_t) override { queries_ = queries; }
  void sum(const std::uint8_t* rows, std::size_t count, std::size_t group, const float* weights,
           std::size_t queries, std::size_t stride, double* sums) final {
    if (count <= group) {
      floats_.assign(queries * d_, 0.0F);
      sum_group(rows, count, weights, queries, stride, floats_.data());
      for (std::size_t i = 0; i < floats_.size(); ++i) sums[i] += double{floats_[i]};
      return;
    }
    floats_.resize(count * d_);
    for (std::size_t t = 0; t < count; ++t) decode(rows + t * bytes(), &floats_[t * d_]);
    units_.sum_groups({floats_.data(), count, d_, group, true}, weights, queries, stride, sums, d_);
  }

 protected:
  /// Adds products of `count` rows to sums [queries, d].
  virtual void sum_group(const std::uint8_t* rows, std::size_t count, const float* weights,
                         std::size_t queries, std::size_t stride, float* sums) = 0;
  const float* query(std::size_t i) const { return queries_ + i * d_; }

  std::size_t d_;
  const UnitTable& units_;

 private:
  const float* queries_ = nullptr;
  std::vector<float> floats_;
};

/// Blocks of keys, or rows of values, of KIVI and of SQuat.
class KiviCoder : public FloatCoder {
 public:
  KiviCoder(const TierStore& store, std::size_t tokens, std::size_t d, const KiviLayout& layout,
            const UnitTable& units)
      : FloatCoder(store, tokens, layout.bytes(), d, units), layout_(layout) {}

  void encode(const std::uint16_t* rows, std::uint8_t* block) override {
    units_.encode_kivi(layout_, rows, block);
  }
  void decode(const std::uint8_t* block, float* rows) override {
    units_.decode_kivi(layout_, block, rows);
  }
  void score(const std::uint8_t* blocks, std::size_t count, std::size_t begin, std::size_t queries,
             float* scores, std::size_t stride) override {
    units_.score_kivi(layout_, blocks, count, query(begin), queries, d_, scores, stride);
  }

 protected:
  void sum_group(const std::uint8_t* rows, std::size_t count, const float* weights,
                 std::size_t queries, std::size_t stride, float* sums) override {
    units_.sum_kivi(layout_, rows, count, weights, queries, stride, sums, d_);
  }

  KiviLayout layout_;
};

class SquatCoder : public KiviCoder {
 public:
  SquatCoder(const TierStore& store, std::size_t tokens, const KiviLayout& layout,
             SquatFeedback feedback, const UnitTable& units)
      : KiviCoder(store, tokens, feedback.d, layout, units), feedback_(std::move(feedback)) {}

  void encode(const std::uint16_t* rows, std::uint8_t* block) override {
    units_.encode_squat(layout_, feedback_, rows, block);
  }

 private:
  SquatFeedback feedback_;
};

class NuqCoder : public FloatCoder {
 public:
  NuqCoder(const TierStore& store, const NuqLayout& layout, NuqCodebook codebook,
           const NuqRanges& ranges, const UnitTable& units)
      : FloatCoder(store, 1, layout.bytes(), layout.d, units),
        layout_(layout),
        codebook_(std::move(codebook)),
        boundaries_(nuq_boundaries_ref(codebook_.centroids)),
        ranges_(ranges) {}

  void encode(const std::uint16_t* rows, std::uint8_t* block) override {
    if (layout_.values)
      units_.encode_nuq_value(layout_, boundaries_, rows, block);
    else
      units_.encode_nuq_key(layout_, boundaries_, ranges_, rows, block);
  }
  void decode(const std::uint8_t* block, float* rows) override {
    units_.decode_nuq(layout_, codebook_.levels, ranges_, block, rows);
  }
  void score(const std::uint8_t* blocks, std::size_t count, std::size_t begin, std::size_t queries,
             float* scores, std::size_t stride) override {
    units_.score_nuq(layout_, codebook_.levels, ranges_, blocks, count, query(begin), queries, d_,
                     scores, stride);
  }

 protected:
  void sum_group(const std::uint8_t* rows, std::size_t count, const float* weights,
                 std::size_t queries, std::size_t stride, float* sums) override {
    units_.sum_nuq(layout_, codebook_.levels, rows, count, weights, queries, stride, sums, d_);
  }

 private:
  NuqLayout layout_;
  NuqCodebook codebook_;
  std::vector<double> boundaries_;
  NuqRanges ranges_;
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
      return std::make_unique<KiviCoder>(store, tokens, head.d, kivi(store.bits), head.units);
    case TierFormat::kivi_nested:
      return std::make_unique<KiviCoder>(store, tokens, head.d, nested_kivi_layout(kivi(4)),
                                         head.units);
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
