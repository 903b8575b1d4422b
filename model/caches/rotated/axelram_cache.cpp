#include <algorithm>
#include <cmath>
#include <utility>

#include "axelram/caches/centered_keys.hpp"
#include "axelram/fast.hpp"
#include "axelram/half.hpp"
#include "rotated/axelram_attention.hpp"
#include "rotated/exact_tokens.hpp"
#include "rotated/key_records.hpp"
#include "rotated/rotated_record.hpp"
#include "rows/causal_products.hpp"
#include "rows/partial_cache.hpp"
#include "specification/kind.hpp"

namespace axelram::caches {
namespace {

/// score * score_scale (bit-contract.md#read-5), rounded to float once.
void scale(float* scores, std::size_t count, double factor) {
  for (std::size_t t = 0; t < count; ++t)
    scores[t] = static_cast<float>(static_cast<double>(scores[t]) * factor);
}

class AxelramKeys : public transformer::KeyCache {
 public:
  AxelramKeys(const CpuSetup& setup, const CacheSite& site) : records_(setup, site) {}

  void begin(std::uint32_t sequence) override { records_.begin(sequence); }
  void write(const float* rows, std::size_t count) override { records_.write(rows, count); }
  void inject(double p, std::uint64_t seed) override { records_.rows().inject(p, seed); }
  transformer::MemoryEvents events() const override { return records_.rows().memory().events(); }
  double bytes_per_token() const override { return records_.rows().stored_bytes(); }
  double bytes_per_sequence() const override { return records_.bytes_per_sequence(); }

  void score(const float* queries, std::size_t count, std::size_t first, std::size_t oldest,
             std::size_t stride, float* scores) override {
    const auto d = static_cast<std::size_t>(records_.parameters().head_dim);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t token = first + i;
      float* const row = scores + i * stride;
      records_.score(queries + i * d, token, oldest, row);
      scale(row + oldest, token + 1 - oldest, records_.rows().datapath().rom().score_scale);
    }
  }

 private:
  KeyRecords records_;
};

/// Values, summed before they are rotated back, so that one rotation serves all tokens. After it,
/// weight * row is added for each exact token, in order of tokens.
class AxelramValues : public transformer::ValueCache {
 public:
  AxelramValues(const CpuSetup& setup, const CacheSite& site)
      : parameters_(setup.setup.parameters(true)),
        d_(static_cast<std::size_t>(parameters_.head_dim)),
        rows_(setup, site),
        products_(d_),
        rotated_record_(setup.setup, site),
        last_(d_) {}

  void begin(std::uint32_t sequence) override {
    rows_.begin(sequence);
    exact_.clear();
  }

  void write(const float* rows, std::size_t count) override {
    const std::size_t first = rows_.write(
        rows, count, [this](std::size_t token, const std::uint16_t* elements, const KeyResult&) {
          if (!ever_exact(token, parameters_)) return;
          for (std::size_t j = 0; j < d_; ++j)
            exact_.push_back(
                static_cast<float>(element_to_double(elements[j], parameters_.element_format)));
        });
    const RowMemory& memory = rows_.memory();
    rotated_.resize(memory.size() * d_);
    for (std::size_t t = first; t < memory.size(); ++t)
      rotated_record_.unpack(memory.row(t), &rotated_[t * d_]);
  }

  void inject(double p, std::uint64_t seed) override { rows_.inject(p, seed); }
  transformer::MemoryEvents events() const override { return rows_.memory().events(); }
  double bytes_per_token() const override { return rows_.stored_bytes(); }
  /// S + R rows of d elements.
  double bytes_per_sequence() const override {
    return 2.0 * parameters_.copies() * parameters_.head_dim;
  }

  void weighted_sum(const float* weights, std::size_t count, std::size_t first, std::size_t oldest,
                    std::size_t stride, float* out) override {
    const float* const of_records =
        parameters_.copies() == 0 ? weights : without_exact(weights, count, first, oldest, stride);
    products_.weighted_sum(rotated_.data(), of_records, count, first, oldest, stride, out);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t token = first + i;
      float* const sum = out + i * d_;
      if (rows_.memory().may_change(token)) sum_apart(of_records + i * stride, token, oldest, sum);
      rotated_record_.rotate_back(sum);
      for_each_exact(oldest, token + 1, parameters_, [&](std::size_t t) {
        const float weight = weights[i * stride + t];
        for (std::size_t j = 0; j < d_; ++j) sum[j] += weight * exact_[t * d_ + j];
      });
    }
  }

 private:
  /// The sum of a query whose own row may change when a later one is written: of all other rows,
  /// and then of that row as the query reads it.
  void sum_apart(const float* weights, std::size_t token, std::size_t oldest, float* sum) {
    others_.resize(token + 1);
    std::copy(weights + oldest, weights + token + 1,
              others_.begin() + static_cast<std::ptrdiff_t>(oldest));
    const float weight = std::exchange(others_[token], 0.0F);
    products_.weighted_sum(rotated_.data(), others_.data(), 1, token, oldest, token + 1, sum);
    const float* row = &rotated_[token * d_];
    if (const std::uint8_t* const last = rows_.memory().as_last(token)) {
      rotated_record_.unpack(last, last_.data());
      row = last_.data();
    }
    for (std::size_t j = 0; j < d_; ++j) sum[j] += weight * row[j];
  }

  /// The weights that weighted_sum() reads, those of exact tokens at 0.
  const float* without_exact(const float* weights, std::size_t count, std::size_t first,
                             std::size_t oldest, std::size_t stride) {
    weights_.resize(count * stride);
    for (std::size_t i = 0; i < count; ++i) {
      float* const row = &weights_[i * stride];
      std::copy(weights + i * stride + oldest, weights + i * stride + first + count, row + oldest);
      for_each_exact(oldest, first + i + 1, parameters_, [row](std::size_t t) { row[t] = 0; });
    }
    return weights_.data();
  }

  Parameters parameters_;  ///< exact tokens included
  std::size_t d_;
  RecordRows rows_;
  CausalProducts products_;
  std::vector<float> rotated_;  ///< [rows, d]
  std::vector<float> exact_;    ///< [rows that were ever exact, d], elements as floats
  RotatedRecord rotated_record_;
  std::vector<float> last_, weights_, others_;
};

class AxelramCache : public transformer::KvCache {
 public:
  AxelramCache(AxelramSetup setup, const UnitTable& units) : setup_(std::move(setup), units) {}
  std::unique_ptr<transformer::KeyCache> keys(int layer, int head) const override {
    auto keys = std::make_unique<AxelramKeys>(setup_, CacheSite{layer, head, false});
    const files::PositionCenters* const centers = setup_.setup.centers();
    if (centers == nullptr) return keys;
    return centered_keys(std::move(keys), *centers, layer, head);
  }
  std::unique_ptr<transformer::ValueCache> values(int layer, int head) const override {
    return std::make_unique<AxelramValues>(setup_, CacheSite{layer, head, true});
  }
  std::unique_ptr<transformer::HeadAttention> attention(int layer, int head) const override {
    if (!setup_.setup.attends()) return KvCache::attention(layer, head);
    return axelram_attention(setup_, layer, head);
  }
  const AxelramSetup& setup() const { return setup_.setup; }

 private:
  CpuSetup setup_;
};

SharedCache make_axelram_cache(const Axelram& row, const Shape& shape, const UnitTable& units) {
  const auto cache = std::make_shared<AxelramCache>(AxelramSetup(row, shape), units);
  const Part& part = row.part;
  if (cache->setup().attends() &&
      (part.exact_tokens != 0 || part.exact_newest != 0 || part.exact_channels != 0))
    cache->setup().reject_attention("a cache with rows or channels in FP16");
  return only_part(cache, row.part, shape, [setup = &cache->setup()](int layer, int head) {
    std::vector<float> center;  // of keys as they came
    const ElementFormat format = setup->parameters(false).element_format;
    const std::vector<std::int8_t> balance = setup->rotation(layer, head).balance;
    for (const std::uint16_t element : setup->center(layer, head)) {
      const double balanced = element_to_double(element, format);
      const int exponent = balance.empty() ? 0 : balance[center.size()];
      center.push_back(static_cast<float>(std::ldexp(balanced, exponent)));
    }
    return center;
  });
}

Parameter<Axelram> encoder_key() {
  const Parameter<Axelram> key{
      {"encoder", "feedback:FILE", "the macro's",
       "indices of keys chosen with feedback, by the file that 'axelram calibrate --feedback' "
       "writes"},
      [](const std::string& value, Axelram* row) -> std::optional<std::string> {
        const std::optional<std::string> file = files::encoder_file(value);
        if (!file) return "; write encoder=feedback:FILE";
        row->feedback = *file;
        return std::nullopt;
      },
      [](const Axelram& row) {
        return row.feedback.empty() ? std::string() : "feedback:" + row.feedback;
      }};
  return with_part(key, TierPart::keys);
}

bool reseed_axelram(Axelram* row, std::uint64_t seed) {
  const files::Rotation::Source source = files::find_config(row->config).rotation.source;
  const bool signs = !row->seed && source == files::Rotation::Source::seed;
  if (signs) row->seed = seed;
  const bool faults = reseed_faults(&row->faults, seed);
  return signs || faults;
}

}  // namespace

std::unique_ptr<transformer::KvCache> make_cache(AxelramSetup setup, const UnitTable& units) {
  return std::make_unique<AxelramCache>(std::move(setup), units);
}

const Kind<Axelram>& Axelram::kind() {
  static const Kind<Axelram> kind{
      "records of the macro of a configuration file",
      with_common<Axelram>({text_key<Axelram>(
                                {"config", kConfiguration, "",
                                 "configuration of the macro: a file, or a name that 'axelram list "
                                 "configurations' shows"},
                                [](auto& row) -> auto& { return row.config; },
                                [](const std::string&) { return std::optional<std::string>(); }),
                            seed_key<Axelram>(
                                {"seed", "N", "the configuration's", "seed of the signs"},
                                [](auto& row) -> auto& { return row.seed; }),
                            encoder_key(), centers_key<Axelram>(),
                            balance_key<Axelram>([](auto& row) -> auto& { return row.balance; })}),
      make_axelram_cache, reseed_axelram};
  return kind;
}

}  // namespace axelram::caches
