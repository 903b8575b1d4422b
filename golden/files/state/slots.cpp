#include "slots.hpp"

#include <algorithm>
#include <cstring>

#include "tensors/shaped_tensor.hpp"

namespace axelram::files {
namespace {

/// Calls f(name, type, shape, vector) for the tensors of one memory in the order of a file. M is
/// MemoryState or const MemoryState.
template <class M, class F>
void for_each_tensor_of_slots(const SlotLayout& layout, M& m, F&& f) {
  const auto slots = static_cast<std::uint64_t>(layout.memory.slots());
  const std::uint64_t r = layout.stored_bytes, d = layout.d;
  const bool records = layout.memory.store == MemoryStore::records;
  f("labels", DataType::u8, Shape{slots}, m.labels);
  f("gates", DataType::u8, Shape{slots}, m.gates);
  f("positions", DataType::i32, Shape{slots}, m.positions);
  f("stamps", DataType::i32, Shape{slots}, m.stamps);
  f("merged", DataType::i32, Shape{slots}, m.merged);
  if (records) f("key_records", DataType::u8, Shape{slots, r}, m.key_records);
  f("value_records", DataType::u8, Shape{slots, r}, m.value_records);
  if (records) {
    f("masters", DataType::f16, Shape{static_cast<std::uint64_t>(layout.memory.summary), d},
      m.masters);
  } else {
    f("keys", DataType::f16, Shape{slots, d}, m.keys);
    f("values", DataType::f16, Shape{slots, d}, m.values);
  }
}

std::size_t product(const Shape& shape) {
  std::size_t all = 1;
  for (const std::uint64_t extent : shape) all *= extent;
  return all;
}

/// The state with the masters of its summaries alone, as many as the bank has slots.
MemoryState packed(const SlotLayout& layout, MemoryState state) {
  std::vector<std::uint16_t> masters(static_cast<std::size_t>(layout.memory.summary) * layout.d);
  auto next = masters.begin();
  for (std::size_t slot = 0; slot < state.slots() && next != masters.end(); ++slot)
    if (state.labels[slot] == SlotLabel::summary && !state.masters.empty())
      next = std::copy_n(&state.masters[slot * layout.d], layout.d, next);
  state.masters = std::move(masters);
  return state;
}

/// The opposite of packed(). A summary beyond the bank has a master of zeros.
ReadSlots unpacked(const SlotLayout& layout, MemoryState state) {
  if (layout.memory.store != MemoryStore::records) return {std::move(state), true};
  std::vector<std::uint16_t> masters(state.slots() * layout.d);
  auto next = state.masters.begin();
  for (std::size_t slot = 0; slot < state.slots() && next != state.masters.end(); ++slot) {
    if (state.labels[slot] != SlotLabel::summary) continue;
    const auto end = next + static_cast<std::ptrdiff_t>(layout.d);
    std::copy(next, end, masters.begin() + static_cast<std::ptrdiff_t>(slot * layout.d));
    next = end;
  }
  const bool zero = std::all_of(next, state.masters.end(), [](std::uint16_t x) { return x == 0; });
  state.masters = std::move(masters);
  return {std::move(state), zero};
}

}  // namespace

std::vector<SlotTensor> slot_tensors(const SlotLayout& layout, const Shape& axes) {
  std::vector<SlotTensor> all;
  const MemoryState none;
  for_each_tensor_of_slots(layout, none,
                           [&](const char* name, DataType type, const Shape& of_one, const auto&) {
                             Shape shape = axes;
                             shape.insert(shape.end(), of_one.begin(), of_one.end());
                             all.push_back({name, type, std::move(shape)});
                           });
  return all;
}

SlotViews::SlotViews(const SlotLayout& layout, const Shape& axes,
                     const std::vector<MemoryState>& states)
    : shapes_(slot_tensors(layout, axes)), bytes_(shapes_.size()) {
  for (const MemoryState& state : states) {
    const MemoryState one = packed(layout, state);
    auto bytes = bytes_.begin();
    for_each_tensor_of_slots(
        layout, one, [&](const char*, DataType, const Shape&, const auto& values) {
          const auto* const first = reinterpret_cast<const std::uint8_t*>(values.data());
          bytes->insert(bytes->end(), first, first + values.size() * sizeof values[0]);
          ++bytes;
        });
  }
}

std::vector<Tensor> SlotViews::tensors() const {
  std::vector<Tensor> all;
  for (std::size_t i = 0; i < shapes_.size(); ++i)
    all.push_back(view(shapes_[i].name, shapes_[i].type, shapes_[i].shape, bytes_[i]));
  return all;
}

std::vector<ReadSlots> slots_in(const Safetensors& file, const std::string& prefix,
                                const SlotLayout& layout, const Shape& axes) {
  std::vector<const Tensor*> tensors;
  for (const SlotTensor& tensor : slot_tensors(layout, axes))
    tensors.push_back(&shaped_tensor(file, prefix + tensor.name, tensor.type, tensor.shape));
  std::vector<ReadSlots> all;
  for (std::size_t number = 0; number < product(axes); ++number) {
    MemoryState state;
    auto tensor = tensors.begin();
    for_each_tensor_of_slots(
        layout, state, [&](const char*, DataType, const Shape& of_one, auto& values) {
          values.resize(product(of_one));
          const std::size_t bytes = values.size() * sizeof values[0];
          if (bytes != 0) std::memcpy(values.data(), (*tensor)->data + number * bytes, bytes);
          ++tensor;
        });
    all.push_back(unpacked(layout, std::move(state)));
  }
  return all;
}

}  // namespace axelram::files
