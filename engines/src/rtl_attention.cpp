#include "rtl_attention.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "axelram/files/errors.hpp"
#include "axelram/half.hpp"
#include "axelram/sim/engine.hpp"

namespace axelram::engines {
namespace {

using Kind = files::SegmentCommand::Kind;

class RtlAttention : public transformer::HeadAttention {
 public:
  RtlAttention(files::Config config, std::string library)
      : config_(std::move(config)),
        library_(std::move(library)),
        d_(static_cast<std::size_t>(config_.parameters.head_dim)) {}

  void begin(std::uint32_t) override {
    keys_.clear();
    values_.clear();
  }

  void write(const float* keys, const float* values, std::size_t count) override {
    append_elements(config_, keys, count, "key", &keys_);
    append_elements(config_, values, count, "value", &values_);
    const std::size_t tokens = keys_.size() / d_;
    if (tokens > static_cast<std::size_t>(config_.max_keys))
      throw files::InputError("--engine rtl: " + std::to_string(tokens) +
                              " tokens; macro.max_keys is " + std::to_string(config_.max_keys));
  }

  /// Each query is the first one of a group of its own, behind the append of its token.
  void attend(const float* queries, std::size_t count, std::size_t first, const std::size_t* oldest,
              double, float* out) override {
    if (count == 0) return;
    const auto group = static_cast<std::size_t>(config_.attention.parameters.group);
    files::Trace trace;
    trace.element_format = config_.parameters.element_format;
    trace.head_dim = config_.parameters.head_dim;
    trace.keys = tokens(keys_, oldest[0], first + count);
    trace.values = tokens(values_, oldest[0], first + count);
    std::vector<files::SegmentCommand> commands = {
        {Kind::allocate, 0, {0, static_cast<std::uint32_t>(config_.max_keys)}}};
    commands.insert(commands.end(), first - oldest[0], {Kind::append});
    for (std::size_t i = 0; i < count; ++i) {
      commands.push_back({Kind::append});
      const std::size_t forgotten = oldest[i] - oldest[i == 0 ? 0 : i - 1];
      if (forgotten > 0)
        commands.push_back({Kind::evict, 0, {}, static_cast<std::uint32_t>(forgotten)});
      commands.push_back({Kind::attend});
      append_elements(config_, queries + i * d_, 1, "query", &trace.queries);
      trace.queries.resize((i + 1) * group * d_);
    }
    trace.commands = std::move(commands);
    const files::Result result = sim::run_rtl_attention(config_, trace, library_, {}, 1, "").result;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < d_; ++j) out[i * d_ + j] = result.output_at(i * group * d_ + j);
  }

  transformer::CacheEvents events() const override { return {}; }
  double bytes_per_token() const override { return 2 * config_.parameters.record_bytes(); }
  double bytes_per_sequence() const override { return 0; }

 private:
  std::vector<std::uint16_t> tokens(const std::vector<std::uint16_t>& all, std::size_t begin,
                                    std::size_t end) const {
    return {all.begin() + static_cast<std::ptrdiff_t>(begin * d_),
            all.begin() + static_cast<std::ptrdiff_t>(end * d_)};
  }

  files::Config config_;
  std::string library_;
  std::size_t d_;
  std::vector<std::uint16_t> keys_, values_;
};

}  // namespace

std::unique_ptr<transformer::HeadAttention> rtl_attention(files::Config config,
                                                          std::string library) {
  return std::make_unique<RtlAttention>(std::move(config), std::move(library));
}

void append_elements(const files::Config& config, const float* rows, std::size_t count,
                     const char* what, std::vector<std::uint16_t>* elements) {
  const ElementFormat format = config.parameters.element_format;
  const std::size_t total = count * static_cast<std::size_t>(config.parameters.head_dim);
  for (std::size_t i = 0; i < total; ++i) {
    elements->push_back(double_to_element(rows[i], format));
    if (!is_finite(elements->back(), format))
      throw files::InputError("layer " + std::to_string(config.rotation.layer) + ", KV head " +
                              std::to_string(config.rotation.head) + ": a " + what +
                              " beyond the range of element_format; use bf16");
  }
}

}  // namespace axelram::engines
