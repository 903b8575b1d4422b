#include "tier_lines.hpp"

#include <string>

#include "adr_figures.hpp"
#include "tier_counts.hpp"

namespace axelram::commands::tiers {
namespace {

using report::Method;

/// Adds the lines of a report, section by section.
class TierLines {
 public:
  TierLines(const TieredCache& cache, const CachedModel& model)
      : cache_(cache),
        model_(model),
        adr_(cache, model),
        tokens_(model.shape.context),
        keys_(count_part(TierPart::keys, cache.keys, cache.key_shape(model), tokens_)),
        values_(count_part(TierPart::values, cache.values, cache.value_shape(model), tokens_)) {}

  std::vector<report::Line> take() {
    add_tokens();
    add_kinds();
    add_sums();
    add_token();
    add_constants();
    return std::move(lines_);
  }

 private:
  void section(const char* title) { section_ = title; }

  void count(const std::string& name, std::uint64_t value, const std::string& unit,
             const std::string& note, const std::optional<AdrFigure>& adr = {}) {
    add(name, value, unit, note, adr);
  }
  void figure(const std::string& name, double value, const std::string& unit,
              const std::string& note, const std::optional<AdrFigure>& adr = {}) {
    add(name, value, unit, note, adr);
  }
  template <class Value>
  void add(const std::string& name, Value value, const std::string& unit, std::string note,
           const std::optional<AdrFigure>& adr) {
    std::optional<double> paper;
    if (adr) {
      paper = adr->value;
      note += "; ADR-004: " + adr->place;
    }
    lines_.push_back({section_, name, value, unit, Method::counted, paper, note});
  }

  /// Bytes of all layers, KV heads and sequences.
  std::uint64_t whole(std::size_t bytes_of_stream) const {
    return bytes_of_stream * model_.streams() * model_.batch;
  }

  void add_tokens() {
    section("tokens of a sequence");
    const auto part = [&](const std::string& name, const PartCount& count) {
      this->count(name + "_sink_tokens", count.sink, "tokens", "the first, FP16 for ever");
      this->count(name + "_archive_tokens", count.archive, "tokens", pieces_text(count));
      this->count(name + "_warm_tokens", count.warm, "tokens",
                  count.warm == 0 ? "none" : store_text(warm_of(name)));
      this->count(name + "_hot_tokens", count.hot, "tokens", "the newest, FP16");
    };
    part("key", keys_);
    part("value", values_);
  }

  const TierStore& warm_of(const std::string& name) const {
    return name == "key" ? cache_.keys.warm : cache_.values.warm;
  }

  static std::string pieces_text(const PartCount& count) {
    std::string text;
    for (const caches::ArchivePiece& piece : count.pieces)
      text += (text.empty() ? "" : "; ") +
              (count.pieces.size() == 1 ? "" : std::to_string(piece.tokens) + " ") +
              store_text(piece.store);
    return text.empty() ? "none" : text;
  }

  void add_kinds() {
    section("bytes by tier and kind, of all sequences");
    count("fp16_key_rows", whole(keys_.bytes.fp16.rows), "bytes", "sinks and hot tokens");
    count("fp16_value_rows", whole(values_.bytes.fp16.rows), "bytes", "sinks and hot tokens");
    add_tier("warm_key", keys_.bytes.warm);
    add_tier("warm_value", values_.bytes.warm);
    add_tier("archive_key", keys_.bytes.archive);
    add_tier("archive_value", values_.bytes.archive);
  }

  void add_tier(const std::string& name, const TierBytes& bytes) {
    count(name + "_codes", whole(bytes.codes), "bytes", "codes, or indices of a codebook");
    count(name + "_scales", whole(bytes.scales), "bytes",
          "scales; norms of records; the largest elements of KVQuant's values");
    count(name + "_minima", whole(bytes.minima), "bytes",
          "minima; the least elements of KVQuant's values");
    count(name + "_outliers", whole(bytes.outliers), "bytes",
          "channel numbers and FP16 elements of KVQuant's rows");
  }

  void add_sums() {
    section("bytes of all sequences");
    const auto both = [&](TierBytes StoreBytes::*tier) {
      return whole((keys_.bytes.*tier).total() + (values_.bytes.*tier).total());
    };
    const std::uint64_t bytes = whole(keys_.total() + values_.total());
    const std::uint64_t fp16 = whole(4 * model_.head_dim * tokens_);
    const double times = static_cast<double>(fp16) / static_cast<double>(bytes);
    count("fp16_tier_bytes", both(&StoreBytes::fp16), "bytes", "sinks and hot tokens", adr_.hot());
    count("warm_tier_bytes", both(&StoreBytes::warm), "bytes", "with scales and minima",
          adr_.warm());
    count("archive_tier_bytes", both(&StoreBytes::archive), "bytes", "with scales and minima",
          adr_.archive());
    count("cache_bytes", bytes, "bytes", "the three tiers, constants apart", adr_.total());
    count("fp16_cache_bytes", fp16, "bytes", "all tokens in FP16", adr_.fp16());
    count("formula_bytes", model_.formula_bytes(), "bytes",
          "all tokens in FP16, by ADR-004's formula: for each query head", adr_.fp16());
    figure("compression", times, "x", "FP16 over the three tiers", adr_.compression());
    section("bytes of one sequence");
    count("sequence_bytes", bytes / model_.batch, "bytes", "all layers and KV heads");
    count("sequence_fp16_bytes", fp16 / model_.batch, "bytes", "the same in FP16");
    const double tokens = static_cast<double>(tokens_ * model_.batch);
    figure("bytes_per_token", static_cast<double>(bytes) / tokens, "bytes",
           "mean over the tokens of the sequence");
    count("fp16_bytes_per_token", fp16 / model_.batch / tokens_, "bytes", "the same in FP16");
    figure("bits_per_value", 16 / times, "bits", "of an element, all that is stored; FP16 has 16");
  }

  /// Bytes of a key and a value with a store for each.
  double token_bytes(const TierStore& key, const TierStore& value) const {
    const TierShape keys = cache_.key_shape(model_), values = cache_.value_shape(model_);
    return static_cast<double>(block_bytes_ref(TierPart::keys, key, keys).total()) /
               static_cast<double>(keys.group) +
           static_cast<double>(block_bytes_ref(TierPart::values, value, values).total());
  }

  void add_token() {
    section("one token of one KV head, key and value");
    const TierStore key = archive_store(TierPart::keys, cache_.keys, tokens_);
    const TierStore value = archive_store(TierPart::values, cache_.values, tokens_);
    const auto both = [](const TierStore& a, const TierStore& b) {
      return store_text(a) == store_text(b) ? store_text(a)
                                            : store_text(a) + " and " + store_text(b);
    };
    const std::uint64_t fp16 = 4 * model_.head_dim;
    count("fp16_token_bytes", fp16, "bytes", "2 * d each");
    if (cache_.keys.sizes.warm > 0 && cache_.values.sizes.warm > 0)
      figure("warm_token_bytes", token_bytes(cache_.keys.warm, cache_.values.warm), "bytes",
             both(cache_.keys.warm, cache_.values.warm));
    const double bytes = token_bytes(key, value);
    figure("archive_token_bytes", bytes, "bytes",
           both(key, value) + (cache_.keys.archive && cache_.values.archive
                                   ? ""
                                   : ": what moves into the archive at this context"));
    figure("archive_compression", static_cast<double>(fp16) / bytes, "x",
           "FP16 over a token of the archive", adr_.archive_compression());
  }

  void add_constants() {
    section("constants, once for all sequences");
    std::uint64_t sum = 0;
    const std::vector<Constant> constants = constants_of(cache_, model_);
    for (const Constant& constant : constants) {
      count(constant.name, constant.bytes, "bytes", constant.note);
      sum += constant.bytes;
    }
    count("constants_bytes", sum, "bytes",
          constants.empty() ? "none: KIVI is not calibrated" : "of all layers");
  }

  const TieredCache& cache_;
  const CachedModel& model_;
  AdrFigures adr_;
  std::size_t tokens_;
  PartCount keys_, values_;
  std::string section_;
  std::vector<report::Line> lines_;
};

}  // namespace

std::string store_text(const TierStore& store) {
  const bool nested = store.format == TierFormat::kivi_nested;
  return name_of(nested ? TierFormat::kivi : store.format) + std::to_string(store.bits) +
         (nested ? ", nested" : "");
}

std::vector<report::Line> tier_lines(const TieredCache& cache, const CachedModel& model) {
  return TierLines(cache, model).take();
}

}  // namespace axelram::commands::tiers
