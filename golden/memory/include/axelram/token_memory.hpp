#pragma once

#include <memory>

#include "axelram/memory.hpp"

namespace axelram {

/// A memory of constant size, by its definition or by its fast twin.
class TokenMemory {
 public:
  virtual ~TokenMemory() = default;
  /// As memory_ref.
  virtual MemoryStatus write(const MemoryToken& token, MemoryEvent* event) = 0;
  virtual const MemoryState& state() const = 0;
  /// As BoundedMemory::load.
  virtual void load(MemoryState state) = 0;
};

/// memory_ref. Both throw as MemoryRecords does.
std::unique_ptr<TokenMemory> golden_token_memory(const MemoryHead& head);
/// BoundedMemory.
std::unique_ptr<TokenMemory> fast_token_memory(const MemoryHead& head);

}  // namespace axelram
