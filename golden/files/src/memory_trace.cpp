#include "axelram/files/memory_trace.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/half.hpp"

namespace axelram::files {
namespace {

constexpr std::uint64_t kMostTokens = 1U << 24;

class MemoryReader {
 public:
  explicit MemoryReader(const Safetensors& file) : file_(file) {}

  [[noreturn]] void fail(const std::string& name, const std::string& what) const {
    throw InputError(file_.origin() + ": tensor " + name + ": " + what);
  }

  /// A tensor of this shape; an extent of kAny may be anything.
  template <class T>
  std::vector<T> values(const std::string& name, DataType type, const Shape& shape) const {
    const Tensor& tensor = file_.at(name, type, shape.size());
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (shape[i] != kAny && tensor.shape[i] != shape[i])
        fail(name, "shape is " + to_string(tensor.shape) + "; axis " + std::to_string(i) +
                       " must have " + std::to_string(shape[i]));
    return tensor.values<T>();
  }

  std::vector<std::uint16_t> rows(const std::string& name, std::uint64_t count,
                                  std::uint64_t d) const {
    auto all = values<std::uint16_t>(name, DataType::f16, {count, d});
    check_finite(name, all, d);
    return all;
  }

  void check_finite(const std::string& name, const std::vector<std::uint16_t>& all,
                    std::uint64_t d) const {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!is_finite(all[i], ElementFormat::fp16))
        fail(name, "row " + std::to_string(i / d) + ", column " + std::to_string(i % d) +
                       ": NaN or infinity; every element must be finite");
  }

  /// Tokens of the trace, each at least `step` after the one before.
  std::vector<std::int32_t> tokens(const std::string& name, std::uint64_t count, std::size_t tokens,
                                   std::int32_t step) const {
    const auto all = values<std::int32_t>(name, DataType::i32, {count});
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string what = "element " + std::to_string(i) + " is " + std::to_string(all[i]);
      if (all[i] < 0 || static_cast<std::size_t>(all[i]) >= tokens)
        fail(name, what + "; the trace has " + std::to_string(tokens) + " tokens");
      if (i != 0 && all[i] - all[i - 1] < step)
        fail(name, what + " behind " + std::to_string(all[i - 1]) +
                       (step == 0 ? "; they must not descend" : "; they must ascend"));
    }
    return all;
  }

  const Safetensors& file() const { return file_; }
  static constexpr std::uint64_t kAny = UINT64_MAX;

 private:
  const Safetensors& file_;
};

/// The slots that a trace begins with. The first thing that no sequence of tokens leaves is named.
class InitialSlots {
 public:
  InitialSlots(const MemoryReader& reader, const Config& config, std::size_t stored_bytes)
      : reader_(reader),
        rules_(config.bounded_memory.parameters),
        slots_(static_cast<std::size_t>(rules_.slots())),
        d_(static_cast<std::size_t>(config.parameters.head_dim)),
        bytes_(stored_bytes) {}

  MemoryState read() {
    const std::uint64_t slots = slots_, summaries = static_cast<std::uint64_t>(rules_.summary);
    const auto labels = reader_.values<std::uint8_t>(name("labels"), DataType::u8, {1, 1, slots});
    state_.gates = reader_.values<std::uint8_t>(name("gates"), DataType::u8, {1, 1, slots});
    state_.positions =
        reader_.values<std::int32_t>(name("positions"), DataType::i32, {1, 1, slots});
    state_.stamps = reader_.values<std::int32_t>(name("stamps"), DataType::i32, {1, 1, slots});
    state_.merged = reader_.values<std::int32_t>(name("merged"), DataType::i32, {1, 1, slots});
    state_.key_records =
        reader_.values<std::uint8_t>(name("key_records"), DataType::u8, {1, 1, slots, bytes_});
    state_.value_records =
        reader_.values<std::uint8_t>(name("value_records"), DataType::u8, {1, 1, slots, bytes_});
    masters_ = reader_.values<std::uint16_t>(name("masters"), DataType::f16, {1, 1, summaries, d_});
    take_labels(labels);
    check_positions();
    check_merged();
    reader_.check_finite(name("masters"), masters_, d_);
    check_free();
    spread_masters();
    return std::move(state_);
  }

 private:
  static std::string name(const char* part) { return std::string("initial_") + part; }
  [[noreturn]] void fail(const char* part, std::size_t slot, const std::string& what) const {
    reader_.fail(name(part), "slot " + std::to_string(slot) + ": " + what);
  }
  std::size_t count(SlotLabel label) const {
    return static_cast<std::size_t>(std::count(state_.labels.begin(), state_.labels.end(), label));
  }
  bool free(std::size_t slot) const { return state_.labels[slot] == SlotLabel::free; }

  void take_labels(const std::vector<std::uint8_t>& labels) {
    for (std::size_t s = 0; s < slots_; ++s) {
      if (labels[s] > static_cast<std::uint8_t>(SlotLabel::summary))
        fail("labels", s, std::to_string(labels[s]) + "; a label is 0 .. 4");
      state_.labels.push_back(static_cast<SlotLabel>(labels[s]));
      if (!free(s)) state_.tokens = std::max(state_.tokens, std::int64_t{state_.positions[s]} + 1);
    }
    window_ = std::min<std::int64_t>(rules_.window, state_.tokens);
    sinks_ = std::min<std::int64_t>(rules_.sinks, state_.tokens - window_);
    const auto require = [&](SlotLabel label, const char* text, bool holds, std::int64_t right) {
      if (!holds)
        reader_.fail(name("labels"), std::to_string(count(label)) + " slots are " + text +
                                         "; after " + std::to_string(state_.tokens) +
                                         " tokens there are " + std::to_string(right));
    };
    const auto exactly = [&](SlotLabel label, const char* text, std::int64_t right) {
      require(label, text, static_cast<std::int64_t>(count(label)) == right, right);
    };
    const auto at_most = [&](SlotLabel label, const char* text, std::int64_t most) {
      require(label, text, static_cast<std::int64_t>(count(label)) <= most, most);
    };
    exactly(SlotLabel::window, "window", window_);
    exactly(SlotLabel::sink, "sink", sinks_);
    at_most(SlotLabel::exact, "exact", rules_.bank());
    at_most(SlotLabel::summary, "summary", rules_.summary);
  }

  void check_positions() const {
    std::set<std::int32_t> seen;
    for (std::size_t s = 0; s < slots_; ++s) {
      if (free(s)) continue;
      const std::int32_t position = state_.positions[s], stamp = state_.stamps[s];
      const SlotLabel label = state_.labels[s];
      const std::string text = std::to_string(position);
      if (position < 0) fail("positions", s, text + "; a position is 0 or more");
      if (!seen.insert(position).second) fail("positions", s, text + " is that of another slot");
      if (label == SlotLabel::window && position < state_.tokens - window_)
        fail("positions", s,
             text + "; the window begins at " + std::to_string(state_.tokens - window_));
      if (label == SlotLabel::sink && position >= sinks_)
        fail("positions", s, text + "; sinks are the first " + std::to_string(sinks_) + " tokens");
      const bool own = label == SlotLabel::window || label == SlotLabel::sink;
      if (stamp < position || stamp >= state_.tokens || (own && stamp != position))
        fail("stamps", s,
             std::to_string(stamp) + "; it must be " +
                 (own ? text : text + " .. " + std::to_string(state_.tokens - 1)));
    }
  }

  void check_merged() const {
    for (std::size_t s = 0; s < slots_; ++s)
      if (!free(s) && (state_.merged[s] < 1 ||
                       (state_.labels[s] != SlotLabel::summary && state_.merged[s] != 1)))
        fail("merged", s,
             std::to_string(state_.merged[s]) + "; it must be 1" +
                 (state_.labels[s] == SlotLabel::summary ? " or more" : ""));
  }

  template <class T>
  void check_zero(const char* part, const std::vector<T>& values, std::size_t width,
                  std::size_t row) const {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(row * width);
    if (std::any_of(first, first + static_cast<std::ptrdiff_t>(width), [](T x) { return x != 0; }))
      fail(part, row, "nothing is in it; it must be 0");
  }

  void check_free() const {
    for (std::size_t s = 0; s < slots_; ++s) {
      if (!free(s)) continue;
      check_zero("gates", state_.gates, 1, s);
      check_zero("positions", state_.positions, 1, s);
      check_zero("stamps", state_.stamps, 1, s);
      check_zero("merged", state_.merged, 1, s);
      check_zero("key_records", state_.key_records, bytes_, s);
      check_zero("value_records", state_.value_records, bytes_, s);
    }
    for (std::size_t m = count(SlotLabel::summary); m < static_cast<std::size_t>(rules_.summary);
         ++m)
      check_zero("masters", masters_, d_, m);
  }

  /// Masters of the file, in the order of summaries, to their slots.
  void spread_masters() {
    state_.masters.assign(slots_ * d_, 0);
    std::size_t next = 0;
    for (std::size_t s = 0; s < slots_; ++s)
      if (state_.labels[s] == SlotLabel::summary)
        std::copy_n(&masters_[next++ * d_], d_, &state_.masters[s * d_]);
  }

  const MemoryReader& reader_;
  const MemoryParameters& rules_;
  std::size_t slots_, d_, bytes_;
  std::int64_t window_ = 0, sinks_ = 0;
  std::vector<std::uint16_t> masters_;
  MemoryState state_;
};

bool has_initial(const Safetensors& file) {
  return std::any_of(file.tensors().begin(), file.tensors().end(),
                     [](const Tensor& tensor) { return tensor.name.rfind("initial_", 0) == 0; });
}

}  // namespace

MemoryTrace read_memory_trace(const std::string& path, const Config& config,
                              std::size_t stored_bytes) {
  const Safetensors file = Safetensors::read(path);
  const MemoryReader reader(file);
  const auto d = static_cast<std::uint64_t>(config.parameters.head_dim);
  MemoryTrace trace;
  trace.keys = reader.rows("keys", MemoryReader::kAny, d);
  const std::uint64_t tokens = trace.keys.size() / d;
  if (tokens > kMostTokens)
    reader.fail("keys", std::to_string(tokens) + " tokens; a trace has at most 2^24");
  trace.values = reader.rows("values", tokens, d);
  trace.gates = reader.values<float>("gates", DataType::f32, {tokens});
  for (std::size_t i = 0; i < tokens; ++i)
    if (!std::isfinite(trace.gates[i]))
      reader.fail("gates", "element " + std::to_string(i) + ": NaN or infinity; it must be finite");
  trace.queries = reader.rows("queries", MemoryReader::kAny, d);
  trace.query_tokens = reader.tokens("query_tokens", trace.queries.size() / d, tokens, 0);
  if (file.find("snapshots") != nullptr)
    trace.snapshots = reader.tokens("snapshots", MemoryReader::kAny, tokens, 1);
  else if (tokens != 0)
    trace.snapshots = {static_cast<std::int32_t>(tokens - 1)};
  if (has_initial(file)) {
    trace.initial = InitialSlots(reader, config, stored_bytes).read();
    if (trace.initial->tokens + static_cast<std::int64_t>(tokens) > std::int64_t{1} << 31)
      reader.fail("initial_positions",
                  "behind them " + std::to_string(tokens) + " tokens go beyond position 2^31 - 1");
  }
  return trace;
}

}  // namespace axelram::files
