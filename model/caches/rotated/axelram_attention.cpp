#include "rotated/axelram_attention.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "axelram/files/errors.hpp"
#include "axelram/half.hpp"
#include "rotated/key_records.hpp"

namespace axelram::caches {
namespace {

class AxelramAttention : public transformer::HeadAttention {
 public:
  AxelramAttention(const CpuSetup& setup, int layer, int head)
      : setup_(setup),
        keys_(setup, {layer, head, false}),
        values_(setup, {layer, head, true}),
        signs_(setup.setup.signs(layer, head)),
        d_(signs_.size()) {}

  void begin(std::uint32_t sequence) override {
    keys_.begin(sequence);
    values_.begin(sequence);
  }

  void write(const float* keys, const float* values, std::size_t count) override {
    setup_.setup.check_tokens(values_.memory().size() + count);
    keys_.write(keys, count);
    values_.write(values, count, [](std::size_t, const std::uint16_t*, const KeyResult&) {});
    scores_.resize(values_.memory().size());
  }

  void attend(const float* queries, std::size_t count, std::size_t first, const std::size_t* oldest,
              double scale, float* out) override {
    setup_.setup.check_scale(scale);
    const AttentionParameters& attention = setup_.setup.attention();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t token = first + i;
      keys_.score(queries + i * d_, token, oldest[i], scores_.data());
      setup_.units.attend(attention, keys_.parameters(), *setup_.setup.rom(), signs_.data(),
                          scores_.data() + oldest[i], records(oldest[i], token),
                          token + 1 - oldest[i], &result_);
      for (std::size_t j = 0; j < d_; ++j)
        out[i * d_ + j] = output(attention.output, result_.outputs[j]);
    }
  }

  transformer::CacheEvents events() const override {
    return {keys_.rows().memory().events(), values_.memory().events()};
  }
  double bytes_per_token() const override {
    return keys_.rows().stored_bytes() + values_.stored_bytes();
  }
  double bytes_per_sequence() const override { return keys_.bytes_per_sequence(); }

 private:
  /// Records of the values of tokens oldest .. token, as they are read while `token` is the newest.
  const std::uint8_t* records(std::size_t oldest, std::size_t token) {
    const RowMemory& memory = values_.memory();
    const std::uint8_t* const last = memory.as_last(token);
    if (last == nullptr) return memory.row(oldest);
    const std::size_t bytes = memory.code().row_bytes();
    records_.assign(memory.row(oldest), memory.row(oldest) + (token - oldest) * bytes);
    records_.insert(records_.end(), last, last + bytes);
    return records_.data();
  }

  static float output(OutputFormat format, std::uint32_t bits) {
    if (format == OutputFormat::fp16)
      return static_cast<float>(half_to_double(static_cast<std::uint16_t>(bits)));
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

  const CpuSetup& setup_;
  KeyRecords keys_;
  RecordRows values_;
  std::vector<std::int8_t> signs_;
  std::size_t d_;
  std::vector<float> scores_;  ///< of the tokens of a query
  std::vector<std::uint8_t> records_;
  AttentionResult result_;
};

}  // namespace

std::unique_ptr<transformer::HeadAttention> axelram_attention(const CpuSetup& setup, int layer,
                                                              int head) {
  return std::make_unique<AxelramAttention>(setup, layer, head);
}

}  // namespace axelram::caches
