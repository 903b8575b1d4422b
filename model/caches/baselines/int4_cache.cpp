#include <algorithm>
#include <string>
#include <utility>

#include "axelram/caches/cache_site.hpp"
#include "axelram/files/errors.hpp"
#include "rows/causal_products.hpp"
#include "rows/float_vectors.hpp"
#include "rows/partial_cache.hpp"
#include "rows/row_memory.hpp"
#include "specification/kind.hpp"

namespace axelram::caches {
namespace {

/// Constants of all head caches of one specification.
struct Int4Setup {
  Int4 specification;
  Int4Layout layout;
  const UnitTable& units;
  std::shared_ptr<const RowCode> code;
};

/// Quantized rows in a memory, and the same rows dequantized.
class QuantizedRows {
 public:
  QuantizedRows(const Int4Setup& setup, const CacheSite& site)
      : layout_(setup.layout),
        units_(setup.units),
        site_(site),
        memory_(
            setup.code, setup.specification.erasure,
            [this, code = setup.code, policy = setup.specification.erasure](
                std::size_t token, const DecodedRecord& before, const DecodedRecord& current,
                const DecodedRecord& after, std::uint8_t* repaired) {
              repair_int4_row_ref(layout_, *code->code(), policy, before, current, after,
                                  scales_of(token), repaired);
            },
            setup.specification.faults, site.fault_site()),
        row_(layout_.row_bytes()),
        last_(layout_.d) {}
  QuantizedRows(const QuantizedRows&) = delete;
  QuantizedRows& operator=(const QuantizedRows&) = delete;

  void begin(std::uint32_t sequence) {
    memory_.begin(sequence);
    scales_.clear();
    minima_.clear();
  }

  void inject(double p, std::uint64_t seed) { memory_.inject(p, seed); }

  void write(const float* rows, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const float* const row = rows + i * layout_.d;
      if (!all_finite(row, layout_.d))
        reject(site_, site_.row_name(), memory_.size(), row, layout_.d, fits_float,
               "it must be a number");
      append(row);
    }
    const std::size_t first = memory_.settle();
    floats_.resize(memory_.size() * layout_.d);
    for (std::size_t t = first; t < memory_.size(); ++t)
      units_.dequantize_int4_row(layout_, memory_.row(t), scales_of(t), &floats_[t * layout_.d]);
  }

  /// [rows, d]
  const float* data() const { return floats_.data(); }

  /// The row as RowMemory::as_last returns it, valid until the next call.
  const float* as_last(std::size_t row) {
    const std::uint8_t* const last = memory_.as_last(row);
    if (last == nullptr) return nullptr;
    units_.dequantize_int4_row(layout_, last, scales_of(row), last_.data());
    return last_.data();
  }

  /// RowMemory::may_change.
  bool may_change(std::size_t row) const { return memory_.may_change(row); }

  const transformer::MemoryEvents& events() const { return memory_.events(); }
  double bytes_per_row() const {
    const std::size_t scales = layout_.groups() * (layout_.has_minima() ? 2 : 1);
    return static_cast<double>(memory_.code().stored_bytes() + 2 * scales);
  }

 private:
  void append(const float* row) {
    const std::size_t groups = layout_.groups(), first = memory_.size() * groups;
    scales_.resize(first + groups);
    minima_.resize(layout_.has_minima() ? first + groups : 0);
    units_.quantize_int4_row(layout_, row, row_.data(), &scales_[first],
                             layout_.has_minima() ? &minima_[first] : nullptr);
    memory_.append(row_.data());
  }

  Int4Scales scales_of(std::size_t token) const {
    const std::size_t first = token * layout_.groups();
    return {&scales_[first], layout_.has_minima() ? &minima_[first] : nullptr};
  }

  Int4Layout layout_;
  const UnitTable& units_;
  CacheSite site_;
  RowMemory memory_;
  std::vector<std::uint16_t> scales_, minima_;  ///< [rows, groups]
  std::vector<std::uint8_t> row_;               ///< one quantized row
  std::vector<float> floats_, last_;
};

/// A key or a value cache on QuantizedRows.
template <class Interface>
class Int4HeadCache : public Interface {
 public:
  Int4HeadCache(const Int4Setup& setup, const CacheSite& site)
      : d_(setup.layout.d), rows_(setup, site), products_(d_) {}

  void begin(std::uint32_t sequence) override { rows_.begin(sequence); }
  void write(const float* rows, std::size_t count) override { rows_.write(rows, count); }
  void inject(double p, std::uint64_t seed) override { rows_.inject(p, seed); }
  transformer::MemoryEvents events() const override { return rows_.events(); }
  double bytes_per_token() const override { return rows_.bytes_per_row(); }

 protected:
  std::size_t d_;
  QuantizedRows rows_;
  CausalProducts products_;
};

class Int4Keys : public Int4HeadCache<transformer::KeyCache> {
 public:
  using Int4HeadCache::Int4HeadCache;
  void score(const float* queries, std::size_t count, std::size_t first, std::size_t oldest,
             std::size_t stride, float* scores) override {
    products_.score(rows_.data(), queries, count, first, oldest, stride, scores);
    for (std::size_t i = 0; i < count; ++i)
      if (const float* const last = rows_.as_last(first + i))
        scores[i * stride + first + i] = products_.dot(queries + i * d_, last);
  }
};

class Int4Values : public Int4HeadCache<transformer::ValueCache> {
 public:
  using Int4HeadCache::Int4HeadCache;
  void weighted_sum(const float* weights, std::size_t count, std::size_t first, std::size_t oldest,
                    std::size_t stride, float* out) override {
    products_.weighted_sum(rows_.data(), weights, count, first, oldest, stride, out);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t token = first + i;
      if (!rows_.may_change(token)) continue;
      // Summed without the newest row, which is added as its query reads it.
      weights_.resize(token + 1);
      std::copy(weights + i * stride + oldest, weights + i * stride + token + 1,
                weights_.begin() + static_cast<std::ptrdiff_t>(oldest));
      const float weight = std::exchange(weights_[token], 0.0F);
      products_.weighted_sum(rows_.data(), weights_.data(), 1, token, oldest, token + 1,
                             out + i * d_);
      const float* const last = rows_.as_last(token);
      const float* const row = last != nullptr ? last : rows_.data() + token * d_;
      for (std::size_t j = 0; j < d_; ++j) out[i * d_ + j] += weight * row[j];
    }
  }

 private:
  std::vector<float> weights_;  ///< of one query
};

class Int4Cache : public transformer::KvCache {
 public:
  explicit Int4Cache(Int4Setup setup) : setup_(std::move(setup)) {}
  std::unique_ptr<transformer::KeyCache> keys(int layer, int head) const override {
    return std::make_unique<Int4Keys>(setup_, CacheSite{layer, head, false});
  }
  std::unique_ptr<transformer::ValueCache> values(int layer, int head) const override {
    return std::make_unique<Int4Values>(setup_, CacheSite{layer, head, true});
  }

 private:
  Int4Setup setup_;
};

SharedCache make_int4_cache(const Int4& specification, const Shape& shape, const UnitTable& units) {
  const int d = shape.head_dim, group = specification.group == 0 ? d : specification.group;
  if (d % 2 != 0)
    throw files::InputError("the cache int4 stores two values per byte; the model's head_dim " +
                            std::to_string(d) + " must be even");
  if (d % group != 0)
    throw files::InputError("the cache int4 has group=" + std::to_string(group) +
                            "; it must divide the model's head_dim " + std::to_string(d));
  const Int4Layout layout{specification.mode, static_cast<std::size_t>(d),
                          static_cast<std::size_t>(group)};
  auto code = std::make_shared<const RowCode>(specification.code, layout.d * 4, units);
  return only_part(
      std::make_shared<Int4Cache>(Int4Setup{specification, layout, units, std::move(code)}),
      specification.part, shape);
}

bool reseed_int4(Int4* row, std::uint64_t seed) { return reseed_faults(&row->faults, seed); }

std::optional<std::string> wrong_code(const std::string& name) {
  if (name == "none") return std::nullopt;
  try {
    make_code(name);
    return std::nullopt;
  } catch (const std::invalid_argument& error) {
    std::vector<std::string> known = {"none"};
    for (const std::string& family : code_family_names()) known.push_back(family);
    return ", " + files::printable(error.what()) + "; it must be " + files::any_of(known);
  }
}

/// Whether the code of the rows has words that it cannot correct.
bool detects(const Int4& row) { return row.code != "none" && make_code(row.code).detects_errors(); }

}  // namespace

const Kind<Int4>& Int4::kind() {
  static const Kind<Int4> kind{
      "INT4 with one scale per group of neighbouring values",
      with_common<Int4>(
          {choice_key<Int4, Int4Mode>(
               "mode", "levels of a group", [](auto& row) -> auto& { return row.mode; }),
           number_key<Int4, int>(
               {"group", "N", "head_dim", "values that share a scale"},
               [](auto& row) -> auto& { return row.group; }, 1, 1 << 20,
               "a whole number of neighbouring values, such as 32"),
           text_key<Int4>(
               {"code", "NAME", "none", "code of the rows (axelram list codes)"},
               [](auto& row) -> auto& { return row.code; }, wrong_code),
           with_need<Int4>(choice_key<Int4, ErasurePolicy>(
                               "erasure", "values in an uncorrectable word become",
                               [](auto& row) -> auto& { return row.erasure; }),
                           detects, "no word is uncorrectable; give a code that detects errors")}),
      make_int4_cache, reseed_int4};
  return kind;
}

}  // namespace axelram::caches
