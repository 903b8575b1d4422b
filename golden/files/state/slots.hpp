#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "axelram/files/safetensors.hpp"
#include "axelram/memory.hpp"

namespace axelram::files {

// Slots of memories as tensors, in traces, results and state files (bit-contract.md#memory-trace,
// bit-contract.md#memory-file).

/// Shapes of the slots of one memory.
struct SlotLayout {
  MemoryParameters memory{};
  std::size_t d = 0, stored_bytes = 0;  ///< of a row and of a record
};

/// Name, type and shape of a tensor of slots.
struct SlotTensor {
  std::string name;
  DataType type;
  Shape shape;  ///< `axes` first
};

/// The tensors of slots in the order of a file, behind the axes that number the memories.
std::vector<SlotTensor> slot_tensors(const SlotLayout& layout, const Shape& axes);

/// Slots of memories as the tensors of a file. Masters are those of summaries, in the order of
/// slots, zeros behind them.
class SlotViews {
 public:
  /// axes: their product is the number of states.
  SlotViews(const SlotLayout& layout, const Shape& axes, const std::vector<MemoryState>& states);
  /// Valid as long as this object.
  std::vector<Tensor> tensors() const;

 private:
  std::vector<SlotTensor> shapes_;
  std::vector<std::vector<std::uint8_t>> bytes_;  ///< of each tensor
};

/// Slots of one memory as read, before any number in them is checked.
struct ReadSlots {
  MemoryState state;             ///< its tokens are 0
  bool rest_of_masters_is_zero;  ///< of those behind the summaries
};

/// The slots of all memories, from the tensors whose names begin with `prefix`. Throws InputError
/// if one is missing or has another type or shape.
std::vector<ReadSlots> slots_in(const Safetensors& file, const std::string& prefix,
                                const SlotLayout& layout, const Shape& axes);

}  // namespace axelram::files
