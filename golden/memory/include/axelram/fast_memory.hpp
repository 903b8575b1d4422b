#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "axelram/fast_rows.hpp"
#include "axelram/fast_similarity.hpp"
#include "axelram/memory.hpp"
#include "axelram/simd.hpp"

namespace axelram {

/// The fast twin of gate_code_ref: the same result, whatever the caller's rounding and denormal
/// modes.
int gate_code(float z);

/// The fast twin of memory_ref: equal after every token. It keeps banks of records and their N, the
/// window as a queue, and a map of free slots beside the state.
class BoundedMemory {
 public:
  /// keys: as of empty_memory. level: of the comparisons; rows are written at simd_level(). Throws
  /// as MemoryRecords does.
  explicit BoundedMemory(const MemoryHead& head, bool keys = true, SimdLevel level = simd_level());
  ~BoundedMemory();
  BoundedMemory(BoundedMemory&&) noexcept;
  BoundedMemory& operator=(BoundedMemory&&) noexcept;

  /// As memory_ref.
  MemoryStatus write(const MemoryToken& token, MemoryEvent* event);

  const MemoryState& state() const;
  /// Goes on from a state. Throws as check_memory_state, and stays as it was, if it is not one of
  /// this memory.
  void load(MemoryState state);

 private:
  class Slots;
  std::unique_ptr<Slots> slots_;
};

}  // namespace axelram
