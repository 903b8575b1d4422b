#include <utility>
#include <vector>

#include "axelram/caches/cache_site.hpp"
#include "axelram/files/errors.hpp"
#include "rows/float_vectors.hpp"
#include "rows/row_cache.hpp"
#include "specification/kind.hpp"

namespace axelram::caches {
namespace {

/// Rows of floats, unchanged or rounded to FP16.
class FloatRows {
 public:
  FloatRows(const CacheSite& site, std::size_t d, bool half) : site_(site), d_(d), half_(half) {}

  void clear() { rows_.clear(); }
  void append(const float* rows, std::size_t count) {
    const std::size_t begin = rows_.size();
    rows_.insert(rows_.end(), rows, rows + count * d_);
    for (std::size_t i = 0; i < count; ++i) {
      float* const row = rows_.data() + begin + i * d_;
      if (half_ ? round_to_half(row, d_) : all_finite(row, d_)) continue;
      rows_.resize(begin);
      reject(site_, site_.row_name(), begin / d_ + i, rows + i * d_, d_,
             half_ ? fits_half : fits_float,
             half_ ? "FP16 holds numbers up to 65504; use the cache f32" : "it must be a number");
    }
  }
  const float* data() const { return rows_.data(); }
  std::size_t width() const { return d_; }
  double bytes_per_row() const { return static_cast<double>(d_ * (half_ ? 2 : 4)); }
  [[noreturn]] void reject_faults() const {
    caches::reject_faults(half_ ? Float16::kName : Float32::kName);
  }

 private:
  CacheSite site_;
  std::size_t d_;
  bool half_;
  std::vector<float> rows_;
};

class FloatCache : public transformer::KvCache {
 public:
  FloatCache(std::size_t d, bool half) : d_(d), half_(half) {}
  std::unique_ptr<transformer::KeyCache> keys(int layer, int head) const override {
    return std::make_unique<RowKeys<FloatRows>>(
        FloatRows(CacheSite{layer, head, false}, d_, half_));
  }
  std::unique_ptr<transformer::ValueCache> values(int layer, int head) const override {
    return std::make_unique<RowValues<FloatRows>>(
        FloatRows(CacheSite{layer, head, true}, d_, half_));
  }

 private:
  std::size_t d_;
  bool half_;
};

template <bool half, class Row>
SharedCache make_float_cache(const Row&, const Shape& shape, const UnitTable&) {
  return std::make_shared<FloatCache>(static_cast<std::size_t>(shape.head_dim), half);
}

}  // namespace

const Kind<Float32>& Float32::kind() {
  static const Kind<Float32> kind{
      "FP32, unchanged", {}, make_float_cache<false, Float32>, nothing_to_seed<Float32>};
  return kind;
}

const Kind<Float16>& Float16::kind() {
  static const Kind<Float16> kind{
      "rounded to FP16", {}, make_float_cache<true, Float16>, nothing_to_seed<Float16>};
  return kind;
}

}  // namespace axelram::caches
