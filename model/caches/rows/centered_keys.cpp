#include "axelram/caches/centered_keys.hpp"

#include <cmath>
#include <complex>
#include <cstddef>
#include <utility>
#include <vector>

namespace axelram::caches {
namespace {

/// The centers of the blocks of a head, made as they are asked for.
class BlockCenters {
 public:
  BlockCenters(const files::PositionCenters& all, int layer, int head)
      : block_(static_cast<std::size_t>(all.block)), step_(all.interleaved ? 2 : 1) {
    const std::size_t pairs = all.d / 2, apart = all.interleaved ? 1 : pairs;
    const float* const center = &all.centers[(static_cast<std::size_t>(layer) * all.heads +
                                              static_cast<std::size_t>(head)) *
                                             all.d];
    const float* const frequencies = &all.frequencies[static_cast<std::size_t>(layer) * pairs];
    apart_ = apart;
    for (std::size_t i = 0; i < pairs; ++i) {
      frequencies_.push_back(double{frequencies[i]});
      std::complex<double> sum = 0;
      for (int t = 0; t < all.block; ++t) sum += std::polar(1.0, t * frequencies_[i]);
      firsts_.push_back(sum / static_cast<double>(all.block) *
                        std::complex<double>(center[i * step_], center[i * step_ + apart]));
    }
    channels_.resize(all.d);
  }

  std::size_t block_of(std::size_t position) const { return position / block_; }

  /// Makes the centers of the blocks up to `block`.
  void extend(std::size_t block) {
    for (std::size_t next = channels_[0].size(); next <= block; ++next)
      for (std::size_t i = 0; i < firsts_.size(); ++i) {
        const std::complex<double> turned =
            firsts_[i] * std::polar(1.0, static_cast<double>(next * block_) * frequencies_[i]);
        channels_[i * step_].push_back(static_cast<float>(turned.real()));
        channels_[i * step_ + apart_].push_back(static_cast<float>(turned.imag()));
      }
  }

  /// Channel i of the centers of all blocks that were made.
  const std::vector<float>& channel(std::size_t i) const { return channels_[i]; }
  std::size_t d() const { return channels_.size(); }

 private:
  std::size_t block_, step_, apart_ = 0;
  std::vector<double> frequencies_;
  std::vector<std::complex<double>> firsts_;  ///< pairs of the center of block 0
  std::vector<std::vector<float>> channels_;  ///< [d][blocks]
};

class CenteredKeys : public transformer::KeyCache {
 public:
  CenteredKeys(std::unique_ptr<transformer::KeyCache> cache, BlockCenters centers)
      : cache_(std::move(cache)), centers_(std::move(centers)) {}

  void begin(std::uint32_t sequence) override {
    cache_->begin(sequence);
    written_ = 0;
  }

  void write(const float* rows, std::size_t count) override {
    if (count == 0) return;
    const std::size_t d = centers_.d();
    centers_.extend(centers_.block_of(written_ + count - 1));
    rows_.assign(rows, rows + count * d);
    for (std::size_t i = 0; i < d; ++i) {
      const std::vector<float>& channel = centers_.channel(i);
      for (std::size_t t = 0; t < count; ++t)
        rows_[t * d + i] -= channel[centers_.block_of(written_ + t)];
    }
    written_ += count;
    cache_->write(rows_.data(), count);
  }

  void score(const float* queries, std::size_t count, std::size_t first, std::size_t oldest,
             std::size_t stride, float* scores) override {
    cache_->score(queries, count, first, oldest, stride, scores);
    for (std::size_t i = 0; i < count; ++i)
      add_products(queries + i * centers_.d(), oldest, first + i + 1, scores + i * stride);
  }

  void inject(double p, std::uint64_t seed) override { cache_->inject(p, seed); }
  transformer::MemoryEvents events() const override { return cache_->events(); }
  double bytes_per_token() const override { return cache_->bytes_per_token(); }
  double bytes_per_sequence() const override { return cache_->bytes_per_sequence(); }

 private:
  /// Adds the product of the query and the center of each token from oldest to end - 1.
  void add_products(const float* query, std::size_t oldest, std::size_t end, float* scores) {
    const std::size_t first = centers_.block_of(oldest), last = centers_.block_of(end - 1);
    products_.assign(last + 1 - first, 0.0F);
    for (std::size_t i = 0; i < centers_.d(); ++i) {
      const float element = query[i];
      const float* const channel = centers_.channel(i).data() + first;
      for (std::size_t b = 0; b < products_.size(); ++b) products_[b] += element * channel[b];
    }
    for (std::size_t t = oldest; t < end; ++t) scores[t] += products_[centers_.block_of(t) - first];
  }

  std::unique_ptr<transformer::KeyCache> cache_;
  BlockCenters centers_;
  std::size_t written_ = 0;
  std::vector<float> rows_, products_;
};

}  // namespace

std::unique_ptr<transformer::KeyCache> centered_keys(std::unique_ptr<transformer::KeyCache> cache,
                                                     const files::PositionCenters& centers,
                                                     int layer, int head) {
  return std::make_unique<CenteredKeys>(std::move(cache), BlockCenters(centers, layer, head));
}

}  // namespace axelram::caches
