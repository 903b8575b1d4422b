#include <algorithm>

#include "axelram/caches/axelram_setup.hpp"
#include "axelram/caches/cache_site.hpp"
#include "axelram/datapath.hpp"
#include "axelram/half.hpp"
#include "causal_products.hpp"
#include "float_vectors.hpp"
#include "kind.hpp"
#include "partial_cache.hpp"
#include "row_memory.hpp"

namespace axelram::caches {
namespace {

/// Constants of all head caches of one specification on the CPU.
struct CpuSetup {
  CpuSetup(const Axelram& specification, const Shape& shape, const UnitTable& table)
      : setup(specification, shape),
        units(table),
        code(std::make_shared<const RowCode>(
            setup.code(), static_cast<std::size_t>(setup.parameters(false).record_bits()), units)) {
  }

  Datapath datapath(const CacheSite& site) const {
    const Parameters p = setup.parameters(site.value);
    std::vector<std::uint16_t> center;
    if (p.centered) center = setup.center(site.layer, site.head);
    return {p, setup.rom(), setup.signs(site.layer, site.head), center, units};
  }

  RowMemory memory(const CacheSite& site) const {
    const Parameters p = setup.parameters(site.value);
    const ErasurePolicy policy = setup.erasure();
    const auto repair = [code = code, policy, d = p.head_dim, b = p.index_bits](
                            std::size_t, const DecodedRecord& before, const DecodedRecord& current,
                            const DecodedRecord& after, std::uint8_t* repaired) {
      repair_record_ref(*code->code(), policy, d, b, before, current, after, repaired);
    };
    return {code, policy, repair, setup.faults(), site.fault_site()};
  }

  AxelramSetup setup;
  const UnitTable& units;
  std::shared_ptr<const RowCode> code;
};

/// The write path of a key or a value cache: floats to elements, to records, to the memory.
class RecordRows {
 public:
  RecordRows(const CpuSetup& setup, const CacheSite& site)
      : site_(site),
        datapath_(setup.datapath(site)),
        memory_(setup.memory(site)),
        elements_(static_cast<std::size_t>(datapath_.parameters().head_dim)) {}

  void begin(std::uint32_t sequence) { memory_.begin(sequence); }
  void inject(double p, std::uint64_t seed) { memory_.inject(p, seed); }

  /// Returns RowMemory::settle().
  std::size_t write(const float* rows, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const float* const row = rows + i * elements_.size();
      datapath_.write(elements(row, site_.row_name(), memory_.size()), &written_);
      memory_.append(written_.record.data());
    }
    return memory_.settle();
  }

  /// The elements of one row, valid until the next call. Throws files::InputError for a value that
  /// has no finite element.
  const std::uint16_t* elements(const float* row, const char* row_name, std::size_t token) {
    const ElementFormat format = datapath_.parameters().element_format;
    if (!to_elements(row, elements_.size(), format, elements_.data()))
      reject(site_, row_name, token, row, elements_.size(),
             format == ElementFormat::fp16 ? fits_half : fits_bfloat16, element_advice(format));
    return elements_.data();
  }

  const RowMemory& memory() const { return memory_; }
  Datapath& datapath() { return datapath_; }
  const Datapath& datapath() const { return datapath_; }

 private:
  CacheSite site_;
  Datapath datapath_;
  RowMemory memory_;
  std::vector<std::uint16_t> elements_;
  KeyResult written_;
};

template <class Interface>
class RecordHeadCache : public Interface {
 public:
  RecordHeadCache(const CpuSetup& setup, const CacheSite& site)
      : d_(static_cast<std::size_t>(setup.setup.parameters(site.value).head_dim)),
        rows_(setup, site) {}

  void begin(std::uint32_t sequence) override { rows_.begin(sequence); }
  void write(const float* rows, std::size_t count) override { rows_.write(rows, count); }
  void inject(double p, std::uint64_t seed) override { rows_.inject(p, seed); }
  transformer::MemoryEvents events() const override { return rows_.memory().events(); }
  double bytes_per_token() const override {
    return static_cast<double>(rows_.memory().code().stored_bytes());
  }

 protected:
  std::size_t d_;
  RecordRows rows_;
};

/// score * score_scale (bit-contract.md#read-5), rounded to float once.
void scale(float* scores, std::size_t count, double factor) {
  for (std::size_t t = 0; t < count; ++t)
    scores[t] = static_cast<float>(static_cast<double>(scores[t]) * factor);
}

/// Keys, scored as the macro scores them.
class AxelramKeys : public RecordHeadCache<transformer::KeyCache> {
 public:
  using RecordHeadCache::RecordHeadCache;

  void score(const float* queries, std::size_t count, std::size_t first, std::size_t oldest,
             std::size_t stride, float* scores) override {
    Datapath& datapath = rows_.datapath();
    const RowMemory& memory = rows_.memory();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t token = first + i;
      float* const row = scores + i * stride;
      datapath.round(rows_.elements(queries + i * d_, "query", token), &query_);
      datapath.score(query_, memory.row(oldest), token + 1 - oldest, row + oldest);
      if (const std::uint8_t* const last = memory.as_last(token))
        datapath.score(query_, last, 1, row + token);
      scale(row + oldest, token + 1 - oldest, datapath.rom().score_scale);
    }
  }

 private:
  QueryResult query_;
};

double norm_of(std::uint16_t bits) {
  const NormValue value = decode_norm(bits);
  // Exponents -24..6: a power of two without ldexp.
  constexpr double kUnit = 1.0 / (1 << 24);
  return value.significand * static_cast<double>(std::uint64_t{1} << (value.exponent + 24)) * kUnit;
}

/// Values, summed before they are rotated back: a value is norm * score_scale * diag(s) H C[idx]
/// (bit-contract.md#read-5), so that one rotation serves all tokens.
class AxelramValues : public RecordHeadCache<transformer::ValueCache> {
 public:
  AxelramValues(const CpuSetup& setup, const CacheSite& site)
      : RecordHeadCache(setup, site), products_(d_), last_(d_), scratch_(d_) {
    for (const std::int8_t sign : setup.setup.signs(site.layer, site.head))
      scale_.push_back(static_cast<float>(sign * setup.setup.rom()->score_scale));
  }

  void write(const float* rows, std::size_t count) override {
    const std::size_t first = rows_.write(rows, count);
    const RowMemory& memory = rows_.memory();
    rotated_.resize(memory.size() * d_);
    for (std::size_t t = first; t < memory.size(); ++t) unpack(memory.row(t), &rotated_[t * d_]);
  }

  void weighted_sum(const float* weights, std::size_t count, std::size_t first, std::size_t oldest,
                    std::size_t stride, float* out) override {
    products_.weighted_sum(rotated_.data(), weights, count, first, oldest, stride, out);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t token = first + i;
      float* const sum = out + i * d_;
      if (const std::uint8_t* const last = rows_.memory().as_last(token)) {
        unpack(last, last_.data());
        const float weight = weights[i * stride + token];
        const float* const row = &rotated_[token * d_];
        for (std::size_t j = 0; j < d_; ++j) sum[j] += weight * (last_[j] - row[j]);
      }
      rotate_back(sum);
    }
  }

 private:
  /// rotated: d floats norm * C[idx].
  void unpack(const std::uint8_t* record, float* rotated) const {
    const int b = rows_.datapath().parameters().index_bits;
    const std::uint8_t* const end = record + d_ * static_cast<std::size_t>(b) / 8;
    const double norm = norm_of(static_cast<std::uint16_t>(end[0] | end[1] << 8));
    float levels[16];
    std::transform(rows_.datapath().rom().centroids.begin(), rows_.datapath().rom().centroids.end(),
                   levels, [norm](std::int32_t word) { return static_cast<float>(norm * word); });
    // Eight indices are b whole bytes.
    for (; record != end; record += b, rotated += 8) {
      std::uint32_t bits = 0;
      for (int byte = 0; byte < b; ++byte) bits |= std::uint32_t{record[byte]} << (8 * byte);
      for (int i = 0; i < 8; ++i) rotated[i] = levels[bits >> (i * b) & ((1U << b) - 1)];
    }
  }

  void rotate_back(float* rotated) {
    hadamard(rotated, scratch_.data(), static_cast<int>(d_));
    for (std::size_t i = 0; i < d_; ++i) rotated[i] *= scale_[i];
  }

  CausalProducts products_;
  std::vector<float> rotated_;  ///< [rows, d]
  std::vector<float> last_, scratch_, scale_;
};

class AxelramCache : public transformer::KvCache {
 public:
  AxelramCache(const Axelram& specification, const Shape& shape, const UnitTable& units)
      : setup_(specification, shape, units) {}
  std::unique_ptr<transformer::KeyCache> keys(int layer, int head) const override {
    return std::make_unique<AxelramKeys>(setup_, CacheSite{layer, head, false});
  }
  std::unique_ptr<transformer::ValueCache> values(int layer, int head) const override {
    return std::make_unique<AxelramValues>(setup_, CacheSite{layer, head, true});
  }
  const AxelramSetup& setup() const { return setup_.setup; }

 private:
  CpuSetup setup_;
};

SharedCache make_axelram_cache(const Axelram& row, const Shape& shape, const UnitTable& units) {
  const auto cache = std::make_shared<AxelramCache>(row, shape, units);
  return only_part(cache, row.part, shape, [setup = &cache->setup()](int layer, int head) {
    std::vector<float> center;
    const ElementFormat format = setup->parameters(false).element_format;
    for (const std::uint16_t element : setup->center(layer, head))
      center.push_back(static_cast<float>(element_to_double(element, format)));
    return center;
  });
}

bool reseed_axelram(Axelram* row, std::uint64_t seed) {
  const files::Rotation::Source source = files::find_config(row->config).rotation.source;
  const bool signs = !row->seed && source == files::Rotation::Source::seed;
  if (signs) row->seed = seed;
  const bool faults = reseed_faults(&row->faults, seed);
  return signs || faults;
}

}  // namespace

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
                                [](auto& row) -> auto& { return row.seed; })}),
      make_axelram_cache, reseed_axelram};
  return kind;
}

}  // namespace axelram::caches
