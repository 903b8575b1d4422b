#include "axelram/files/memory_trace.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/half.hpp"
#include "axelram/memory_state.hpp"

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

/// The slots that a trace begins with (bit-contract.md#memory-state).
MemoryState initial_slots(const MemoryReader& reader, const MemoryRecords& records) {
  const MemoryParameters& rules = records.head().memory;
  const auto slots = static_cast<std::size_t>(rules.slots());
  const auto summaries = static_cast<std::size_t>(rules.summary);
  const auto d = static_cast<std::size_t>(records.head().parameters.head_dim);
  const Shape one = {1, 1, slots}, record = {1, 1, slots, records.stored_bytes()};
  MemoryState state;
  for (const std::uint8_t label : reader.values<std::uint8_t>("initial_labels", DataType::u8, one))
    state.labels.push_back(static_cast<SlotLabel>(label));
  state.gates = reader.values<std::uint8_t>("initial_gates", DataType::u8, one);
  state.positions = reader.values<std::int32_t>("initial_positions", DataType::i32, one);
  state.stamps = reader.values<std::int32_t>("initial_stamps", DataType::i32, one);
  state.merged = reader.values<std::int32_t>("initial_merged", DataType::i32, one);
  state.key_records = reader.values<std::uint8_t>("initial_key_records", DataType::u8, record);
  state.value_records = reader.values<std::uint8_t>("initial_value_records", DataType::u8, record);
  const auto masters =
      reader.values<std::uint16_t>("initial_masters", DataType::f16, {1, 1, summaries, d});
  // Masters of the file are those of summaries, in the order of slots.
  state.masters.resize(slots * d);
  auto next = masters.begin();
  for (std::size_t slot = 0; slot < slots; ++slot) {
    if (state.labels[slot] != SlotLabel::free)
      state.tokens = std::max(state.tokens, std::int64_t{state.positions[slot]} + 1);
    if (state.labels[slot] != SlotLabel::summary || next == masters.end()) continue;
    std::copy_n(next, d, state.masters.begin() + static_cast<std::ptrdiff_t>(slot * d));
    next += static_cast<std::ptrdiff_t>(d);
  }
  try {
    check_memory_state(records, state);
  } catch (const std::invalid_argument& error) {
    throw InputError(reader.file().origin() + ": initial slots: " + error.what());
  }
  if (std::any_of(next, masters.end(), [](std::uint16_t x) { return x != 0; }))
    reader.fail("initial_masters", "elements behind those of the summaries must be 0");
  return state;
}

bool has_initial(const Safetensors& file) {
  return std::any_of(file.tensors().begin(), file.tensors().end(),
                     [](const Tensor& tensor) { return tensor.name.rfind("initial_", 0) == 0; });
}

}  // namespace

MemoryTrace read_memory_trace(const std::string& path, const MemoryRecords& records) {
  const Safetensors file = Safetensors::read(path);
  const MemoryReader reader(file);
  const auto d = static_cast<std::uint64_t>(records.head().parameters.head_dim);
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
    trace.initial = initial_slots(reader, records);
    if (trace.initial->tokens + static_cast<std::int64_t>(tokens) > records.head().longest)
      reader.fail("initial_positions",
                  "behind them " + std::to_string(tokens) + " tokens go beyond position 2^31 - 1");
  }
  return trace;
}

}  // namespace axelram::files
