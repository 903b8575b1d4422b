#include "rows/partial_cache.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "axelram/caches/cache_site.hpp"
#include "axelram/fast.hpp"
#include "axelram/files/errors.hpp"
#include "rows/causal_products.hpp"
#include "rows/float_vectors.hpp"

namespace axelram::caches {
namespace {

/// `rows` as FP16 numbers.
std::vector<float> halves(const CacheSite& site, const float* rows, std::size_t count,
                          std::size_t first, std::size_t d) {
  std::vector<float> result(rows, rows + count * d);
  for (std::size_t i = 0; i < count; ++i)
    if (!round_to_half(result.data() + i * d, d))
      reject(site, site.row_name(), first + i, rows + i * d, d, fits_half,
             "what is kept exact is kept in FP16");
  return result;
}

/// The rows that some query finds exact, in FP16, apart from the cache that stores them too: the
/// first ones, or all if the newest ones of each query are exact.
class ExactRows {
 public:
  ExactRows(const CacheSite& site, std::size_t d, const Part& part)
      : site_(site),
        d_(d),
        first_(static_cast<std::size_t>(part.exact_tokens)),
        newest_(static_cast<std::size_t>(part.exact_newest)) {}

  void begin() {
    rows_.clear();
    written_ = 0;
  }
  void write(const float* rows, std::size_t count) {
    const std::size_t kept =
        newest_ != 0 ? count : std::min(count, first_ - std::min(first_, written_));
    const std::vector<float> some = halves(site_, rows, kept, written_, d_);
    rows_.insert(rows_.end(), some.begin(), some.end());
    written_ += count;
  }
  const float* row(std::size_t token) const { return &rows_[token * d_]; }

  /// Calls visit(token) for the exact tokens of a query over oldest .. end - 1, in order.
  template <class Visit>
  void for_each(std::size_t oldest, std::size_t end, const Visit& visit) const {
    const std::size_t first_end = std::clamp(first_, oldest, end);
    const std::size_t newest = std::max(first_end, end - std::min(end, newest_));
    for (std::size_t t = oldest; t < first_end; ++t) visit(t);
    for (std::size_t t = newest; t < end; ++t) visit(t);
  }

 private:
  CacheSite site_;
  std::size_t d_, first_, newest_, written_ = 0;
  std::vector<float> rows_;
};

class PartialKeys : public transformer::KeyCache {
 public:
  PartialKeys(std::unique_ptr<transformer::KeyCache> cache, const Part& part, const CacheSite& site,
              std::size_t d, std::vector<float> center)
      : cache_(std::move(cache)),
        part_(part),
        site_(site),
        d_(d),
        center_(std::move(center)),
        exact_rows_(site, d, part),
        products_(d) {
    center_.resize(d_);
    if (static_cast<std::size_t>(part.exact_channels) > d_)
      throw files::InputError("exact_channels is " + std::to_string(part.exact_channels) +
                              "; a head has " + std::to_string(d_));
  }

  void begin(std::uint32_t sequence) override {
    cache_->begin(sequence);
    exact_rows_.begin();
    channels_.clear();
    exact_.clear();
  }

  void write(const float* rows, std::size_t count) override {
    exact_rows_.write(rows, count);
    if (part_.exact_channels == 0) return cache_->write(rows, count);
    if (channels_.empty()) choose_channels(rows, count);
    const std::size_t before = exact_.size() / channels_.size();
    const std::vector<float> half = halves(site_, rows, count, before, d_);
    std::vector<float> others(rows, rows + count * d_);
    for (std::size_t i = 0; i < count; ++i)
      for (const std::size_t c : channels_) {
        exact_.push_back(half[i * d_ + c] - center_[c]);
        others[i * d_ + c] = center_[c];
      }
    cache_->write(others.data(), count);
  }

  void inject(double p, std::uint64_t seed) override { cache_->inject(p, seed); }
  transformer::MemoryEvents events() const override { return cache_->events(); }
  double bytes_per_token() const override { return cache_->bytes_per_token(); }
  double bytes_per_sequence() const override { return cache_->bytes_per_sequence(); }

  void score(const float* queries, std::size_t count, std::size_t first, std::size_t oldest,
             std::size_t stride, float* scores) override {
    std::vector<float> others(queries, queries + count * d_);
    for (std::size_t i = 0; i < count; ++i)
      for (const std::size_t c : channels_) others[i * d_ + c] = 0;
    cache_->score(others.data(), count, first, oldest, stride, scores);
    for (std::size_t i = 0; i < count; ++i) {
      const float* const query = queries + i * d_;
      float* const row = scores + i * stride;
      const std::size_t end = first + i + 1;
      for (std::size_t t = oldest; t < end && !channels_.empty(); ++t)
        for (std::size_t c = 0; c < channels_.size(); ++c)
          row[t] += query[channels_[c]] * exact_[t * channels_.size() + c];
      const float left_out = products_.dot(query, center_.data());
      exact_rows_.for_each(oldest, end, [&](std::size_t t) {
        row[t] = products_.dot(query, exact_rows_.row(t)) - left_out;
      });
    }
  }

 private:
  /// Those of the largest mean square over the rows, less the center.
  void choose_channels(const float* rows, std::size_t count) {
    std::vector<double> energy(d_);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t c = 0; c < d_; ++c) {
        const double x = double{rows[i * d_ + c]} - double{center_[c]};
        energy[c] += x * x;
      }
    channels_.resize(d_);
    std::iota(channels_.begin(), channels_.end(), std::size_t{0});
    std::stable_sort(channels_.begin(), channels_.end(),
                     [&](std::size_t a, std::size_t b) { return energy[a] > energy[b]; });
    channels_.resize(static_cast<std::size_t>(part_.exact_channels));
  }

  std::unique_ptr<transformer::KeyCache> cache_;
  Part part_;
  CacheSite site_;
  std::size_t d_;
  std::vector<float> center_;
  ExactRows exact_rows_;
  CausalProducts products_;
  std::vector<std::size_t> channels_;  ///< that are exact
  std::vector<float> exact_;           ///< [rows, channels_], less the center
};

class PartialValues : public transformer::ValueCache {
 public:
  PartialValues(std::unique_ptr<transformer::ValueCache> cache, const Part& part,
                const CacheSite& site, std::size_t d)
      : cache_(std::move(cache)), d_(d), exact_rows_(site, d, part) {}

  void begin(std::uint32_t sequence) override {
    cache_->begin(sequence);
    exact_rows_.begin();
  }
  void write(const float* rows, std::size_t count) override {
    exact_rows_.write(rows, count);
    cache_->write(rows, count);
  }
  void inject(double p, std::uint64_t seed) override { cache_->inject(p, seed); }
  transformer::MemoryEvents events() const override { return cache_->events(); }
  double bytes_per_token() const override { return cache_->bytes_per_token(); }
  double bytes_per_sequence() const override { return cache_->bytes_per_sequence(); }

  void weighted_sum(const float* weights, std::size_t count, std::size_t first, std::size_t oldest,
                    std::size_t stride, float* out) override {
    weights_.assign(weights, weights + count * stride);
    for (std::size_t i = 0; i < count; ++i)
      exact_rows_.for_each(oldest, first + i + 1,
                           [&](std::size_t t) { weights_[i * stride + t] = 0; });
    cache_->weighted_sum(weights_.data(), count, first, oldest, stride, out);
    for (std::size_t i = 0; i < count; ++i)
      exact_rows_.for_each(oldest, first + i + 1, [&](std::size_t t) {
        for (std::size_t j = 0; j < d_; ++j)
          out[i * d_ + j] += weights[i * stride + t] * exact_rows_.row(t)[j];
      });
  }

 private:
  std::unique_ptr<transformer::ValueCache> cache_;
  std::size_t d_;
  ExactRows exact_rows_;
  std::vector<float> weights_;
};

class PartialCache : public transformer::KvCache {
 public:
  PartialCache(SharedCache cache, SharedCache elsewhere, const Part& part, const Shape& shape,
               CenterOf center)
      : cache_(std::move(cache)),
        elsewhere_(std::move(elsewhere)),
        part_(part),
        d_(static_cast<std::size_t>(shape.head_dim)),
        center_(std::move(center)) {}

  std::unique_ptr<transformer::KeyCache> keys(int layer, int head) const override {
    if (!applies(layer, head)) return elsewhere_->keys(layer, head);
    if (!exact_tokens() && part_.exact_channels == 0) return cache_->keys(layer, head);
    return std::make_unique<PartialKeys>(cache_->keys(layer, head), part_,
                                         CacheSite{layer, head, false}, d_,
                                         center_ ? center_(layer, head) : std::vector<float>());
  }
  std::unique_ptr<transformer::ValueCache> values(int layer, int head) const override {
    if (!applies(layer, head)) return elsewhere_->values(layer, head);
    if (!exact_tokens()) return cache_->values(layer, head);
    return std::make_unique<PartialValues>(cache_->values(layer, head), part_,
                                           CacheSite{layer, head, true}, d_);
  }
  std::unique_ptr<transformer::HeadAttention> attention(int layer, int head) const override {
    if (!applies(layer, head)) return elsewhere_->attention(layer, head);
    if (!exact_tokens() && part_.exact_channels == 0) return cache_->attention(layer, head);
    return KvCache::attention(layer, head);
  }

 private:
  bool applies(int layer, int head) const {
    return part_.layer.value_or(layer) == layer && part_.head.value_or(head) == head;
  }
  bool exact_tokens() const { return part_.exact_tokens != 0 || part_.exact_newest != 0; }

  SharedCache cache_, elsewhere_;
  Part part_;
  std::size_t d_;
  CenterOf center_;
};

void check_below(const char* name, const std::optional<int>& given, int count) {
  if (given && *given >= count)
    throw files::InputError("cache specification: " + std::string(name) + " is " +
                            std::to_string(*given) + "; the model has 0.." +
                            std::to_string(count - 1));
}

}  // namespace

SharedCache only_part(SharedCache cache, const Part& part, const Shape& shape,
                      const CenterOf& center) {
  if (part == Part()) return cache;
  check_below("layer", part.layer, shape.layers);
  check_below("head", part.head, shape.heads);
  SharedCache elsewhere = Float16::kind().make({}, shape, fast_units());
  return std::make_shared<PartialCache>(std::move(cache), std::move(elsewhere), part, shape,
                                        center);
}

}  // namespace axelram::caches
