#pragma once

#include <cstdint>
#include <string>

#include "axelram/files/memory_file.hpp"
#include "golden/fields.hpp"
#include "golden/memory_example.hpp"
#include "same.hpp"

/// State files of small memories with tokens of the example of bit-contract.md#example-memory.

namespace memory_file_example {

using axelram::files::MemoryFile;
using axelram::files::MemoryIdentity;

constexpr std::size_t kLayers = 2, kHeads = 2, kHidden = 5;
constexpr std::int64_t kLongest = 4096;

inline MemoryIdentity identity(axelram::MemoryStore store = axelram::MemoryStore::records,
                               const std::string& code = "none") {
  MemoryIdentity all;
  all.model = std::string(60, 'a') + "0189";
  all.signs = std::string(63, '5') + "f";
  all.memory = memory_example::head().memory;
  all.memory.store = store;
  all.parameters = memory_example::head().parameters;
  all.code = code;
  return all;
}

inline axelram::MemoryHead head_of(const MemoryIdentity& identity) {
  axelram::MemoryHead head = memory_example::head();
  head.memory = identity.memory;
  head.parameters = identity.parameters;
  head.rom = std::make_shared<const axelram::CodebookRom>(axelram::codebook_rom(head.parameters));
  head.signs.assign(static_cast<std::size_t>(head.parameters.head_dim), 1);
  head.protection.code = identity.code;
  head.protection.erasure = identity.erasure;
  return head;
}

/// Memories after this many tokens, each of other ones.
inline MemoryFile file_of(const MemoryIdentity& identity, int tokens, std::size_t layers = kLayers,
                          std::size_t heads = kHeads) {
  MemoryFile file;
  file.identity = identity;
  file.layers = layers, file.heads = heads;
  file.tokens = tokens;
  const auto& example = memory_example::tokens();
  for (std::size_t i = 0; i < layers * heads; ++i) {
    axelram::MemoryRecords records(head_of(identity));
    axelram::MemoryState state = axelram::empty_memory(records);
    for (std::size_t t = 0; t < static_cast<std::size_t>(tokens); ++t) {
      const auto& token = example[(t + i) % example.size()];
      const memory_example::Row value = memory_example::row(token.row);
      const memory_example::Row key = memory_example::row("ABCMNZ"[t % 5]);
      axelram::MemoryEvent event;
      axelram::memory_ref(&records, &state,
                          {key.data(), value.data(), memory_example::logit(token.gate)}, &event);
    }
    file.states.push_back(state);
  }
  for (std::size_t i = 0; i < kHidden; ++i)
    file.hidden.push_back(tokens == 0 ? 0.0F : 0.5F - static_cast<float>(i));
  return file;
}

inline test::Same same(const MemoryFile& a, const MemoryFile& b) {
  const auto parts = [](const MemoryFile& file) {
    return std::tie(file.layers, file.heads, file.tokens, file.states, file.hidden);
  };
  return {parts(a), parts(b)};
}

}  // namespace memory_file_example
