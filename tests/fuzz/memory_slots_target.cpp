#include <algorithm>
#include <cstdint>
#include <optional>

#include "axelram/files/memory_file.hpp"
#include "axelram/files/memory_trace.hpp"
#include "axelram/files/sha256.hpp"
#include "axelram/memory_state.hpp"
#include "files/memory_file_example.hpp"
#include "require.hpp"
#include "rewritten_file.hpp"

using namespace axelram;
using namespace axelram::files;
namespace example = memory_file_example;

namespace {

/// What a reader returns, or nothing if it throws an InputError on one line.
template <class Read>
auto what(Read&& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const InputError& error) {
    const std::string message = error.what();
    require(message.rfind("f: ", 0) == 0, message);
    require(message.find_first_of("\n\r") == std::string::npos, message);
    require(message.find("; ") != std::string::npos, message);
    require(message.size() < 2500, message);
    return std::nullopt;
  }
}

/// The same file under the digest of its data, so that the checks behind it are reached.
Safetensors with_digest(const Safetensors& file) {
  Metadata metadata = file.metadata();
  Sha256 sum;
  for (const Tensor& tensor : file.tensors()) sum.add(tensor.data, tensor.bytes);
  metadata["content"] = sum.digest();
  const std::string header = safetensors_header(file.tensors(), metadata);
  std::vector<std::uint8_t> bytes(header.begin(), header.end());
  for (const Tensor& tensor : file.tensors())
    bytes.insert(bytes.end(), tensor.data, tensor.data + tensor.bytes);
  return Safetensors::parse(std::move(bytes), "f");
}

/// A memory that takes a state goes on with it.
void go_on(MemoryRecords* records, MemoryState state) {
  check_memory_state(*records, state);
  const std::vector<std::uint16_t> row(
      static_cast<std::size_t>(records->head().parameters.head_dim), 0x3C00);
  for (int t = 0; t < 3; ++t) {
    MemoryEvent event;
    const bool full = state.tokens == records->head().longest;
    const MemoryStatus status = memory_ref(records, &state, {row.data(), row.data(), 1.0F}, &event);
    require(status == (full ? MemoryStatus::rejected_full : MemoryStatus::stored), "a token");
    check_memory_state(*records, state);
  }
}

/// A state file is written as it was read.
void check_state(const Safetensors& file) {
  const auto any = what([&] { return memory_file_from(file); });
  if (any) {
    require(any->states.size() == any->layers * any->heads && !any->states.empty(), "states");
    static const RewrittenFile again;
    write_memory_file(again.path, *any, true);
    const MemoryFile read = read_memory_file(again.path);
    require(static_cast<bool>(example::same(read, *any)), "what is written is read");
    MemoryRecords records(example::head_of(any->identity));
    if (any->identity.memory.slots() < 64) go_on(&records, any->states.front());
  }
  static const MemoryIdentity mine = [] {
    MemoryIdentity identity = example::identity();
    identity.memory.window = identity.memory.exact = identity.memory.summary = 1;
    identity.memory.sinks = 0;
    return identity;
  }();
  const auto small = what([&] {
    return memory_file_from(file, {mine, 1, 1, example::kHidden, 64});
  });
  require(!small || (any && example::same(*small, *any)), "who asks for less takes as much");
  MemoryIdentity larger = mine;
  larger.memory.exact = 3;
  const auto grown = what([&] {
    return memory_file_from(file, {larger, 1, 1, example::kHidden, 64});
  });
  require(!small || (grown && grown->states.front().slots() == 5), "larger banks");
  if (grown) {
    MemoryRecords records(example::head_of(larger));
    go_on(&records, grown->states.front());
  }
}

void check_trace(const Safetensors& file) {
  static MemoryRecords records(example::head_of(example::identity()));
  const auto trace = what([&] { return memory_trace_from(file, records); });
  if (!trace) return;
  const std::size_t tokens = trace->tokens();
  require(trace->keys.size() == 32 * tokens && trace->values.size() == 32 * tokens, "rows");
  require(trace->queries.size() == 32 * trace->query_tokens.size(), "queries");
  for (const auto* const all : {&trace->query_tokens, &trace->snapshots}) {
    require(std::is_sorted(all->begin(), all->end()), "in order");
    require(all->empty() || (all->front() >= 0 && all->back() < static_cast<int>(tokens)),
            "tokens of the trace");
  }
  if (trace->initial) go_on(&records, *trace->initial);
}

}  // namespace

/// Any bytes give a state file or a trace that a memory goes on with, or an InputError on one line.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::optional<Safetensors> file;
  try {
    file = Safetensors::parse(std::vector<std::uint8_t>(data, data + size), "f");
  } catch (const InputError&) {  // fuzz_safetensors looks at these
    return 0;
  }
  what([&] { return memory_file_from(*file); });
  check_state(with_digest(*file));
  check_trace(*file);
  return 0;
}
