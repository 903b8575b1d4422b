#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "axelram/caches/cache_site.hpp"
#include "axelram/datapath.hpp"
#include "axelram/double_hadamard.hpp"
#include "axelram/half.hpp"
#include "rows/float_vectors.hpp"
#include "tiers/tier_coder.hpp"

namespace axelram::caches {
namespace {

/// Records of a macro as a tier (bit-contract.md#tier-records).
class RecordCoder : public TierCoder {
 public:
  RecordCoder(const TierStore& store, const CacheSite& site, const RecordConstants& constants,
              const UnitTable& units)
      : TierCoder(store, 1, static_cast<std::size_t>(constants.parameters.record_bytes())),
        site_(site),
        d_(static_cast<std::size_t>(constants.parameters.head_dim)),
        datapath_(constants.parameters, constants.rom, constants.rotation, constants.center, units),
        signs_(constants.rotation.signs),
        units_(units),
        scale_(static_cast<float>(constants.rom->score_scale)),
        sums_(d_),
        elements_(d_) {
    for (const std::uint16_t element : constants.center) center_.push_back(half_to_double(element));
    for (const std::int8_t exponent : constants.rotation.balance)
      factors_.push_back(std::ldexp(1.0, exponent));
  }

  void encode(const std::uint16_t* rows, std::uint8_t* block) override {
    if (!datapath_.write(rows, &written_))
      throw std::invalid_argument("an element of a tiered cache is not finite");
    std::copy(written_.record.begin(), written_.record.end(), block);
  }

  void decode(const std::uint8_t* block, float* rows) override {
    const double norm = norm_of(block);
    double levels[16];
    std::copy(datapath_.rom().centroids.begin(), datapath_.rom().centroids.end(), levels);
    look_up(block, levels, sums_.data());
    axelram::hadamard(sums_.data(), d_);
    // Exact: 16 bits of the sum, 11 of the norm and 24 of the scale.
    for (std::size_t i = 0; i < d_; ++i) {
      double x = sums_[i] * signs_[i] * norm * double{scale_};
      if (!center_.empty()) x += center_[i];
      if (!factors_.empty()) x *= factors_[i];
      rows[i] = static_cast<float>(x) + 0.0F;
    }
  }

  void prepare(const float* queries, std::size_t count, std::size_t first) override {
    given_ = queries;
    first_ = first;
    rounded_.assign(count, 0);
    queries_.resize(std::max(queries_.size(), count));
    centered_.assign(count, 0);
  }

  void score(const std::uint8_t* blocks, std::size_t count, std::size_t begin, std::size_t queries,
             float* scores, std::size_t stride) override {
    const double scale = datapath_.rom().score_scale;
    for (std::size_t i = 0; i < queries; ++i) {
      float* const row = scores + i * stride;
      round(begin + i);
      datapath_.score(queries_[begin + i], blocks, count, row);
      for (std::size_t t = 0; t < count; ++t)
        row[t] = static_cast<float>(double{row[t]} * scale + centered_[begin + i]);
    }
  }

  bool sums_rotated() const override { return true; }

  void sum(const std::uint8_t* rows, std::size_t count, std::size_t group, const float* weights,
           std::size_t queries, std::size_t stride, double* sums) override {
    unpacked_.resize(std::max(unpacked_.size(), count * d_));
    for (std::size_t t = 0; t < count; ++t) unpack(rows + t * bytes(), &unpacked_[t * d_]);
    units_.sum_groups({unpacked_.data(), count, d_, group, false}, weights, queries, stride, sums,
                      d_);
  }

  void rotate_back(double* sums) override {
    axelram::hadamard(sums, d_);
    for (std::size_t i = 0; i < d_; ++i) sums[i] *= signs_[i] * double{scale_};
  }

 private:
  /// Rounds a query when it meets the first record: one that meets none may be any.
  void round(std::size_t i) {
    if (rounded_[i] != 0) return;
    const float* const query = given_ + i * d_;
    if (!to_elements(query, d_, ElementFormat::fp16, elements_.data()))
      reject(site_, "query", first_ + i, query, d_, fits_half,
             "FP16 holds numbers up to 65504; use a tier of kivi");
    datapath_.round(elements_.data(), &queries_[i]);
    for (std::size_t c = 0; c < center_.size(); ++c)
      centered_[i] += center_[c] * query[c] * (factors_.empty() ? 1.0 : factors_[c]);
    rounded_[i] = 1;
  }

  /// norm * C[idx], exact in FP32.
  void unpack(const std::uint8_t* record, float* row) const {
    const double norm = norm_of(record);
    float levels[16];
    const std::vector<std::int32_t>& words = datapath_.rom().centroids;
    for (std::size_t j = 0; j < words.size(); ++j) levels[j] = static_cast<float>(norm * words[j]);
    look_up(record, levels, row);
  }

  double norm_of(const std::uint8_t* record) const {
    const std::uint8_t* const bits = record + bytes() - 2;
    const NormValue norm = decode_norm(static_cast<std::uint16_t>(bits[0] | bits[1] << 8));
    return std::ldexp(norm.significand, norm.exponent);
  }

  /// What `table` has for each index of a record (bit-contract.md#write-5).
  template <class T>
  void look_up(const std::uint8_t* record, const T* table, T* row) const {
    constexpr std::size_t kTogether = 8;  // indices, which fill whole bytes
    const auto bits = static_cast<std::size_t>(store().bits);
    const std::uint32_t mask = (1U << bits) - 1;
    for (std::size_t i = 0; i < d_; i += kTogether, record += bits) {
      std::uint32_t indices = 0;
      for (std::size_t k = 0; k < bits; ++k) indices |= std::uint32_t{record[k]} << (8 * k);
      for (std::size_t k = 0; k < kTogether; ++k) row[i + k] = table[indices >> (bits * k) & mask];
    }
  }

  CacheSite site_;
  std::size_t d_;
  Datapath datapath_;
  std::vector<std::int8_t> signs_;
  const UnitTable& units_;
  float scale_;                  ///< K * 2^e_K: score_scale in 24 bits
  std::vector<double> center_;   ///< of balanced keys, if there are exponents
  std::vector<double> factors_;  ///< 2^exponent of each element; of keys, if there are exponents
  KeyResult written_;
  const float* given_ = nullptr;
  std::size_t first_ = 0;
  std::vector<std::uint8_t> rounded_;
  std::vector<QueryResult> queries_;
  std::vector<double> centered_;  ///< <q, c> of each query
  std::vector<double> sums_;
  std::vector<float> unpacked_;
  std::vector<std::uint16_t> elements_;
};

}  // namespace

std::unique_ptr<TierCoder> make_record_coder(const TierStore& store, const TierHead& head) {
  return std::make_unique<RecordCoder>(store, head.site, head.source.records(store.bits, head.site),
                                       head.units);
}

}  // namespace axelram::caches
