#include "axelram/files/memory_result.hpp"

#include <algorithm>

#include "axelram/files/result.hpp"
#include "axelram/files/safetensors.hpp"
#include "result_tensors.hpp"

namespace axelram::files {
namespace {

/// A member of all snapshots, one after the other.
template <class T, class Member>
std::vector<T> joined(const std::vector<MemoryState>& states, const Member& member) {
  std::vector<T> all;
  for (const MemoryState& state : states)
    for (const auto& value : member(state)) all.push_back(static_cast<T>(value));
  return all;
}

/// Metadata of a macro's ROM, as every result has it.
Metadata metadata_of_rom(const CodebookRom& rom, std::size_t d, int index_bits) {
  Result macro;
  macro.head_dim = static_cast<int>(d);
  macro.index_bits = index_bits;
  macro.score_scale = rom.score_scale;
  macro.kappa = rom.kappa;
  macro.centroids = rom.centroids;
  macro.boundaries = rom.boundaries;
  return metadata_of(macro);
}

/// Masters in the order of summaries, zeros behind them.
std::vector<std::uint16_t> masters_of(const MemoryResult& result) {
  const std::size_t d = result.d, most = static_cast<std::size_t>(result.parameters.summary);
  std::vector<std::uint16_t> all(result.snapshots.size() * most * d);
  for (std::size_t p = 0; p < result.snapshots.size(); ++p) {
    const MemoryState& state = result.snapshots[p];
    std::size_t next = p * most;
    for (std::size_t s = 0; s < state.slots(); ++s)
      if (state.labels[s] == SlotLabel::summary)
        std::copy_n(&state.masters[s * d], d, &all[next++ * d]);
  }
  return all;
}

}  // namespace

void write_memory_result(const std::string& path, const MemoryResult& r, bool force) {
  const std::size_t tokens = r.gate_codes.size(), moments = r.snapshots.size();
  const auto slots = static_cast<std::size_t>(r.parameters.slots());
  std::vector<std::int32_t> events;
  for (const MemoryEvent& event : r.events)
    for (const std::int32_t word : event.words()) events.push_back(word);
  const auto& states = r.snapshots;
  const auto labels = joined<std::uint8_t>(
      states, [](const auto& s) -> auto& { return s.labels; });
  const auto gates = joined<std::uint8_t>(
      states, [](const auto& s) -> auto& { return s.gates; });
  const auto positions = joined<std::int32_t>(
      states, [](const auto& s) -> auto& { return s.positions; });
  const auto stamps = joined<std::int32_t>(
      states, [](const auto& s) -> auto& { return s.stamps; });
  const auto merged = joined<std::int32_t>(
      states, [](const auto& s) -> auto& { return s.merged; });
  const auto keys = joined<std::uint8_t>(
      states, [](const auto& s) -> auto& { return s.key_records; });
  const auto values = joined<std::uint8_t>(
      states, [](const auto& s) -> auto& { return s.value_records; });
  const std::vector<std::uint16_t> masters = masters_of(r);
  const Shape of_slots = {moments, slots}, of_records = {moments, slots, r.stored_bytes};
  const std::vector<Tensor> tensors = {
      view("gate_codes", DataType::u8, {tokens}, r.gate_codes),
      view("events", DataType::i32, {tokens, 6}, events),
      view("labels", DataType::u8, of_slots, labels),
      view("gates", DataType::u8, of_slots, gates),
      view("positions", DataType::i32, of_slots, positions),
      view("stamps", DataType::i32, of_slots, stamps),
      view("merged", DataType::i32, of_slots, merged),
      view("key_records", DataType::u8, of_records, keys),
      view("value_records", DataType::u8, of_records, values),
      view("masters", DataType::f16, {moments, static_cast<std::size_t>(r.parameters.summary), r.d},
           masters),
      view("accumulators", DataType::i64, {r.queries(), slots}, r.accumulators),
      view("scores", DataType::f32, {r.queries(), slots}, r.scores)};
  Metadata metadata = metadata_of_rom(r.rom, r.d, r.index_bits);
  const MemoryParameters& p = r.parameters;
  metadata["thresholds"] = std::to_string(p.novel) + "," + std::to_string(p.match);
  metadata["gate_thresholds"] = std::to_string(p.gate_exact) + "," + std::to_string(p.gate_summary);
  metadata["blend"] = std::to_string(p.blend);
  write_safetensors(path, tensors, metadata, force);
}

}  // namespace axelram::files
