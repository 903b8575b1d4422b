#include "axelram/files/tier_trace.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/turned_keys.hpp"
#include "axelram/half.hpp"

namespace axelram::files {
namespace {

constexpr std::uint64_t kMostTokens = (1U << 30) - 1;

/// One tensor of a trace, checked.
class TraceReader {
 public:
  explicit TraceReader(const Safetensors& file) : file_(file) {}

  [[noreturn]] void fail(const std::string& name, const std::string& what) const {
    throw InputError(file_.origin() + ": tensor " + name + what);
  }

  /// Rows of `columns` elements, all finite; 0: any number of rows or columns.
  template <class T>
  std::vector<T> rows(const std::string& name, std::uint64_t count, std::uint64_t columns) const {
    const bool halves = sizeof(T) == 2;
    const Tensor& tensor = file_.at(name, halves ? DataType::f16 : DataType::f32, 2);
    if (tensor.shape[1] != columns || (count != kAny && tensor.shape[0] != count))
      fail(name, ": shape is " + to_string(tensor.shape) + "; it must be [" +
                     (count == kAny ? "rows" : std::to_string(count)) + ", " +
                     std::to_string(columns) + "]");
    return finite(name, tensor.values<T>(), columns);
  }

  template <class T>
  std::vector<T> finite(const std::string& name, std::vector<T> values,
                        std::uint64_t columns) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      bool valid = false;
      if constexpr (sizeof(T) == 2)
        valid = is_finite(values[i], ElementFormat::fp16);
      else
        valid = std::abs(values[i]) <= 65504;  // no product of such numbers overflows FP32
      if (!valid)
        fail(name, ", row " + std::to_string(i / columns) + ", column " +
                       std::to_string(i % columns) +
                       (sizeof(T) == 2 ? ": NaN or infinity; every element must be finite"
                                       : ": NaN, or beyond 65504 in magnitude"));
    }
    return values;
  }

  /// A whole number of the metadata, 0 if it is absent.
  int number(const std::string& key) const {
    const auto found = file_.metadata().find(key);
    if (found == file_.metadata().end()) return 0;
    const std::string& text = found->second;
    int value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end.ec != std::errc() || end.ptr != text.data() + text.size() || value < 0 ||
        value >= 1 << 20)
      throw InputError(file_.origin() + ": metadata " + key + " is " + in_quotes(text) +
                       "; it must be a whole number below 2^20");
    return value;
  }

  static constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();

 private:
  const Safetensors& file_;
};

void read_rotation(const Safetensors& file, const TraceReader& reader, TierTrace* trace) {
  trace->cosines = reader.rows<float>("cosines", trace->tokens(), trace->d / 2);
  trace->sines = reader.rows<float>("sines", trace->tokens(), trace->d / 2);
  if (file.find("key_offset") != nullptr) {
    const Tensor& offset = file.at("key_offset", DataType::f32, 1);
    if (offset.shape[0] != trace->d)
      reader.fail("key_offset", ": shape is " + to_string(offset.shape) + "; it must be [" +
                                    std::to_string(trace->d) + "]");
    trace->key_offset = reader.finite("key_offset", offset.values<float>(), trace->d);
  }
  const auto pairs = file.metadata().find("rotation_pairs");
  if (pairs == file.metadata().end()) return;
  trace->interleaved = pairs->second == "interleaved";
  if (!trace->interleaved && pairs->second != "halves")
    throw InputError(file.origin() + ": metadata rotation_pairs is " + in_quotes(pairs->second) +
                     "; it must be interleaved or halves");
}

std::vector<std::int32_t> query_tokens_of(const Safetensors& file, const TraceReader& reader,
                                          std::size_t queries, std::size_t tokens) {
  const Tensor& tensor = file.at("query_tokens", DataType::i32, 1);
  if (tensor.shape[0] != queries)
    reader.fail("query_tokens", ": shape is " + to_string(tensor.shape) + "; it must be [" +
                                    std::to_string(queries) + "], one for each row of queries");
  std::vector<std::int32_t> all = tensor.values<std::int32_t>();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string where = ", element " + std::to_string(i) + ": " + std::to_string(all[i]);
    if (all[i] < 0 || static_cast<std::size_t>(all[i]) >= tokens)
      reader.fail("query_tokens",
                  where + (tokens == 0 ? "; there are no tokens, so there can be no queries"
                                       : "; the tokens are 0 .. " + std::to_string(tokens - 1)));
    if (i != 0 && all[i] < all[i - 1])
      reader.fail("query_tokens", where + " behind " + std::to_string(all[i - 1]) +
                                      "; they must not descend, as those of "
                                      "axelram capture --by-token");
  }
  return all;
}

}  // namespace

TierTrace tier_trace_from(const Safetensors& file, bool before_rotary) {
  const TraceReader reader(file);
  TierTrace trace;
  const Tensor& keys = file.at("keys", DataType::f16, 2);
  const std::uint64_t d = keys.shape[1];
  if (d != 32 && d != 64 && d != 128 && d != 256)
    reader.fail("keys",
                ": shape is " + to_string(keys.shape) + "; a head has 32, 64, 128 or 256 elements");
  if (keys.shape[0] > kMostTokens)
    reader.fail("keys", ": " + std::to_string(keys.shape[0]) +
                            " tokens; a tiered cache holds fewer than 2^30");
  trace.d = d;
  trace.keys = reader.rows<std::uint16_t>("keys", TraceReader::kAny, d);
  trace.values = reader.rows<std::uint16_t>("values", trace.tokens(), d);
  trace.queries = reader.rows<std::uint16_t>("queries", TraceReader::kAny, d);
  trace.query_tokens = query_tokens_of(file, reader, trace.queries.size() / d, trace.tokens());
  if (!before_rotary)
    check_turned_keys(file, "give a cache with rope=pre, or capture without --before-rotary");
  trace.layer = reader.number("layer");
  trace.head = reader.number("head");
  if (before_rotary) read_rotation(file, reader, &trace);
  return trace;
}

TierTrace read_tier_trace(const std::string& path, bool before_rotary) {
  return tier_trace_from(Safetensors::read(path), before_rotary);
}

}  // namespace axelram::files
