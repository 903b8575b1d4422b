#include <utility>

#include "axelram/fast_memory.hpp"
#include "axelram/memory_state.hpp"
#include "axelram/token_memory.hpp"

namespace axelram {
namespace {

class GoldenMemory : public TokenMemory {
 public:
  explicit GoldenMemory(const MemoryHead& head) : records_(head), state_(empty_memory(records_)) {}
  MemoryStatus write(const MemoryToken& token, MemoryEvent* event) override {
    return memory_ref(&records_, &state_, token, event);
  }
  const MemoryState& state() const override { return state_; }
  void load(MemoryState state) override {
    check_memory_state(records_, state);
    state_ = std::move(state);
  }

 private:
  MemoryRecords records_;
  MemoryState state_;
};

class FastMemory : public TokenMemory {
 public:
  explicit FastMemory(const MemoryHead& head) : memory_(head) {}
  MemoryStatus write(const MemoryToken& token, MemoryEvent* event) override {
    return memory_.write(token, event);
  }
  const MemoryState& state() const override { return memory_.state(); }
  void load(MemoryState state) override { memory_.load(std::move(state)); }

 private:
  BoundedMemory memory_;
};

}  // namespace

std::unique_ptr<TokenMemory> golden_token_memory(const MemoryHead& head) {
  return std::make_unique<GoldenMemory>(head);
}

std::unique_ptr<TokenMemory> fast_token_memory(const MemoryHead& head) {
  return std::make_unique<FastMemory>(head);
}

}  // namespace axelram
