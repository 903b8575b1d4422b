#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace axelram {

/// The lowest of a set of numbers, 64 to a word.
class FreeSlots {
 public:
  explicit FreeSlots(std::size_t slots) : words_((slots + 63) / 64) {}
  void set(std::size_t slot) { words_[slot / 64] |= std::uint64_t{1} << slot % 64; }
  void reset(std::size_t slot) { words_[slot / 64] &= ~(std::uint64_t{1} << slot % 64); }
  int lowest() const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      if (words_[i] != 0) return static_cast<int>(64 * i) + std::countr_zero(words_[i]);
    throw std::logic_error("a memory has a slot too few");
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// Slots in the order in which they came, at most `capacity` of them.
class SlotQueue {
 public:
  explicit SlotQueue(std::size_t capacity) : slots_(capacity) {}
  std::size_t size() const { return count_; }
  int front() const { return slots_[first_]; }
  void push(int slot) { slots_[(first_ + count_++) % slots_.size()] = slot; }
  void pop() {
    first_ = (first_ + 1) % slots_.size();
    --count_;
  }

 private:
  std::vector<int> slots_;
  std::size_t first_ = 0, count_ = 0;
};

}  // namespace axelram
