#include "axelram/files/memory_trace.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/turned_keys.hpp"
#include "axelram/half.hpp"
#include "axelram/memory_state.hpp"
#include "slots.hpp"
#include "tensors/shaped_tensor.hpp"

namespace axelram::files {
namespace {

constexpr std::uint64_t kMostTraceTokens = 1U << 24;

class MemoryReader {
 public:
  explicit MemoryReader(const Safetensors& file) : file_(file) {}

  [[noreturn]] void fail(const std::string& name, const std::string& what) const {
    fail_at_tensor(file_, name, what);
  }

  template <class T>
  std::vector<T> values(const std::string& name, DataType type, const Shape& shape) const {
    return shaped_tensor(file_, name, type, shape).values<T>();
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
    auto all = values<std::int32_t>(name, DataType::i32, {count});
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

 private:
  const Safetensors& file_;
};

/// The slots that a trace begins with (bit-contract.md#memory-state).
MemoryState initial_slots(const MemoryReader& reader, const MemoryRecords& records) {
  const SlotLayout layout{records.head().memory,
                          static_cast<std::size_t>(records.head().parameters.head_dim),
                          records.stored_bytes()};
  ReadSlots read = std::move(slots_in(reader.file(), "initial_", layout, {1, 1}).front());
  MemoryState& state = read.state;
  for (std::size_t slot = 0; slot < state.slots(); ++slot)
    if (state.labels[slot] != SlotLabel::free)
      state.tokens = std::max(state.tokens, std::int64_t{state.positions[slot]} + 1);
  try {
    check_memory_state(records, state);
  } catch (const std::invalid_argument& error) {
    throw InputError(reader.file().origin() + ": initial slots: " + error.what());
  }
  if (!read.rest_of_masters_is_zero)
    reader.fail("initial_masters", "elements behind those of the summaries must be 0");
  return std::move(read.state);
}

bool has_initial(const Safetensors& file) {
  return std::any_of(file.tensors().begin(), file.tensors().end(),
                     [](const Tensor& tensor) { return tensor.name.rfind("initial_", 0) == 0; });
}

}  // namespace

MemoryTrace read_memory_trace(const std::string& path, const MemoryRecords& records) {
  return memory_trace_from(Safetensors::read(path), records);
}

MemoryTrace memory_trace_from(const Safetensors& file, const MemoryRecords& records) {
  check_turned_keys(file, "a memory takes keys after it: capture without --before-rotary");
  const MemoryReader reader(file);
  const auto d = static_cast<std::uint64_t>(records.head().parameters.head_dim);
  MemoryTrace trace;
  trace.keys = reader.rows("keys", kAnyExtent, d);
  const std::uint64_t tokens = trace.keys.size() / d;
  if (tokens > kMostTraceTokens)
    reader.fail("keys", std::to_string(tokens) + " tokens; a trace has at most 2^24");
  trace.values = reader.rows("values", tokens, d);
  trace.gates = reader.values<float>("gates", DataType::f32, {tokens});
  for (std::size_t i = 0; i < tokens; ++i)
    if (!std::isfinite(trace.gates[i]))
      reader.fail("gates", "element " + std::to_string(i) + ": NaN or infinity; it must be finite");
  trace.queries = reader.rows("queries", kAnyExtent, d);
  trace.query_tokens = reader.tokens("query_tokens", trace.queries.size() / d, tokens, 0);
  if (file.find("snapshots") != nullptr)
    trace.snapshots = reader.tokens("snapshots", kAnyExtent, tokens, 1);
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
