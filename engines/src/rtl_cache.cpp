#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "axelram/caches/axelram_setup.hpp"
#include "axelram/caches/centered_keys.hpp"
#include "axelram/datapath.hpp"
#include "axelram/fast.hpp"
#include "axelram/files/config.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/files/feedback.hpp"
#include "axelram/files/places.hpp"
#include "axelram/half.hpp"
#include "axelram/rtl/generator.hpp"
#include "axelram/signs.hpp"
#include "axelram/sim/build.hpp"
#include "axelram/sim/engine.hpp"
#include "rtl.hpp"
#include "rtl_attention.hpp"

namespace axelram::engines {
namespace {

constexpr const char* kBitErrors =
    "--engine rtl: keys with a bit error rate; 'axelram faults --engine rtl' sends faults through "
    "the hardware";

/// The keys of one macro in RTL. Nothing is stored here: each call of score() sends the keys to the
/// macro and then the queries.
class RtlKeys : public transformer::KeyCache {
 public:
  /// encoder: null, or the records of all keys are its own.
  RtlKeys(files::Config config, std::string library, std::shared_ptr<const Feedback> encoder)
      : config_(std::move(config)), library_(std::move(library)) {
    if (encoder == nullptr) return;
    const Parameters& p = config_.parameters;
    encoder_.emplace(p, std::make_shared<const CodebookRom>(codebook_rom(p)), config_.head_rotation,
                     config_.center, fast_units());
    encoder_->set_feedback(std::move(encoder));
  }

  void begin(std::uint32_t) override {
    keys_.clear();
    records_.clear();
  }

  void write(const float* rows, std::size_t count) override {
    append_elements(config_, rows, count, "key", &keys_);
    if (encoder_) {
      const auto encoded = encoder_->records(keys_.data() + keys_.size() - count * dim(), count);
      records_.insert(records_.end(), encoded.begin(), encoded.end());
    }
    const std::size_t keys = keys_.size() / dim();
    if (keys > static_cast<std::size_t>(config_.max_keys))
      throw files::InputError("--engine rtl: " + std::to_string(keys) +
                              " keys; macro.max_keys is " + std::to_string(config_.max_keys));
  }

  /// A code without errors changes no score. Which tokens are exact depends on the newest one, and
  /// on the first ones of the sequence; no other score depends on keys written later or long ago.
  void score(const float* queries, std::size_t count, std::size_t first, std::size_t oldest,
             std::size_t stride, float* scores) override {
    if (config_.parameters.copies() == 0)
      return score_together(queries, count, first, oldest, {oldest, stride, scores});
    for (std::size_t i = 0; i < count; ++i)
      score_together(queries + i * dim(), 1, first + i, 0, {oldest, stride, scores + i * stride});
  }

  void inject(double p, std::uint64_t) override {
    if (p != 0) throw files::InputError(kBitErrors);
  }

  double bytes_per_token() const override { return config_.parameters.record_bytes(); }

 private:
  /// Where scores go: those of tokens from `oldest` on.
  struct Place {
    std::size_t oldest, stride;
    float* scores;
  };

  std::size_t dim() const { return static_cast<std::size_t>(config_.parameters.head_dim); }

  /// One run: keys `begin` .. first + count - 1, then the queries.
  void score_together(const float* queries, std::size_t count, std::size_t first, std::size_t begin,
                      const Place& place) {
    files::Trace trace;
    trace.element_format = config_.parameters.element_format;
    trace.head_dim = config_.parameters.head_dim;
    trace.keys.assign(keys_.begin() + static_cast<std::ptrdiff_t>(begin * dim()),
                      keys_.begin() + static_cast<std::ptrdiff_t>((first + count) * dim()));
    const std::size_t keys = first + count - begin;
    if (encoder_) {
      const auto bytes = static_cast<std::size_t>(config_.parameters.record_bytes());
      trace.records.assign(records_.begin() + static_cast<std::ptrdiff_t>(begin * bytes),
                           records_.begin() + static_cast<std::ptrdiff_t>((begin + keys) * bytes));
    }
    append_elements(config_, queries, count, "query", &trace.queries);
    const sim::RtlRun run = sim::run_rtl(config_, trace, library_, {}, 1, "");
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t t = place.oldest; t <= first + i; ++t)
        place.scores[i * place.stride + t] = static_cast<float>(
            double{run.result.scores[i * keys + t - begin]} * run.result.score_scale);
  }

  files::Config config_;
  std::string library_;
  std::optional<Datapath> encoder_;
  std::vector<std::uint16_t> keys_;
  std::vector<std::uint8_t> records_;  ///< of all keys, by the encoder
};

class RtlCache : public transformer::KvCache {
 public:
  RtlCache(caches::Axelram keys, std::unique_ptr<transformer::KvCache> golden, Tell tell)
      : keys_(std::move(keys)), golden_(std::move(golden)), tell_(std::move(tell)) {
    keys_.config = files::find_config_file(keys_.config);
    config_ = files::read_config(keys_.config);
    caches::put_balance(keys_.config, keys_.balance, &config_);
    if (keys_.seed) config_.rotation.source = files::Rotation::Source::seed;
    if (keys_.seed) config_.rotation.seed = *keys_.seed;
    if (!keys_.feedback.empty())  // golden has checked that it fits the model
      moments_ = files::read_query_moments(keys_.feedback, config_.parameters.head_dim);
    if (!keys_.centers.empty())
      centers_ = files::read_position_centers(keys_.centers, config_.parameters.head_dim);
  }

  std::unique_ptr<transformer::KeyCache> keys(int layer, int head) const override {
    files::Config config = config_of(layer, head);
    const std::string library = library_of(config, layer, head);
    std::shared_ptr<const Feedback> encoder;
    if (moments_)
      encoder =
          feedback_of(moments_->at(static_cast<std::size_t>(layer), static_cast<std::size_t>(head)),
                      config.head_rotation.signs.data(), config.parameters.head_dim);
    auto keys = std::make_unique<RtlKeys>(std::move(config), library, std::move(encoder));
    if (!centers_) return keys;
    return caches::centered_keys(std::move(keys), *centers_, layer, head);
  }

  std::unique_ptr<transformer::ValueCache> values(int layer, int head) const override {
    return golden_->values(layer, head);
  }

  std::unique_ptr<transformer::HeadAttention> attention(int layer, int head) const override {
    if (!config_.attention.given) return KvCache::attention(layer, head);
    const files::Config config = config_of(layer, head);
    return rtl_attention(config, library_of(config, layer, head));
  }

 private:
  files::Config config_of(int layer, int head) const {
    return files::config_of_head(config_, files::folder_of(keys_.config), layer, head);
  }

  /// The model of a macro, built once.
  std::string library_of(const files::Config& config, int layer, int head) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::string& library = libraries_[{layer, head}];
    if (!library.empty()) return library;
    sim::BuildOptions options;
    options.progress = [&](const std::string& line) {
      if (tell_)
        tell_("layer " + std::to_string(layer) + ", KV head " + std::to_string(head) + ": " + line);
    };
    return library = sim::build_model(rtl::generate_observed(config), options);
  }

  caches::Axelram keys_;
  files::Config config_;
  std::optional<files::QueryMoments> moments_;
  std::optional<files::PositionCenters> centers_;
  std::unique_ptr<transformer::KvCache> golden_;
  Tell tell_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<int, int>, std::string> libraries_;
};

}  // namespace

void check_rtl_cache(const caches::Specification& specification) {
  const auto* const keys = std::get_if<caches::Axelram>(&specification.keys);
  if (keys == nullptr)
    throw files::InputError("--engine rtl: the keys of cache '" + caches::to_string(specification) +
                            "' are not an axelram cache; the hardware stores nothing else");
  if (keys->faults.ber != 0) throw files::InputError(kBitErrors);
  if (!keys->feedback.empty())
    files::reject_attention(files::find_config(keys->config), "--engine rtl with an encoder");
  if (!keys->feedback.empty() && files::find_config(keys->config).parameters.copies() != 0)
    throw files::InputError("cache '" + caches::to_string(specification) +
                            "': --engine rtl has no encoder beside exact tokens, since a record "
                            "has no copy; use --engine fast");
}

std::unique_ptr<transformer::KvCache> rtl_cache(const caches::Specification& specification,
                                                const caches::Shape& shape, Tell tell) {
  check_rtl_cache(specification);
  return std::make_unique<RtlCache>(std::get<caches::Axelram>(specification.keys),
                                    caches::make_cache(specification, shape), std::move(tell));
}

}  // namespace axelram::engines
