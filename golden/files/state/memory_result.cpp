#include "axelram/files/memory_result.hpp"

#include "axelram/files/result.hpp"
#include "axelram/files/safetensors.hpp"
#include "results/metadata.hpp"
#include "slots.hpp"

namespace axelram::files {
namespace {

/// Metadata of a macro's ROM, as every result has it.
Metadata metadata_of_rom(const CodebookRom& rom, std::size_t d, int index_bits) {
  Result macro;
  macro.parameters.head_dim = static_cast<int>(d);
  macro.parameters.index_bits = index_bits;
  macro.score_scale = rom.score_scale;
  macro.kappa = rom.kappa;
  macro.centroids = rom.centroids;
  macro.boundaries = rom.boundaries;
  return metadata_of(macro);
}

}  // namespace

void write_memory_result(const std::string& path, const MemoryResult& r, bool force) {
  const std::size_t tokens = r.gate_codes.size();
  const auto slots = static_cast<std::size_t>(r.parameters.slots());
  std::vector<std::int32_t> events;
  for (const MemoryEvent& event : r.events)
    for (const std::int32_t word : event.words()) events.push_back(word);
  const SlotViews views({r.parameters, r.d, r.stored_bytes}, {r.snapshots.size()}, r.snapshots);
  std::vector<Tensor> tensors = {view("gate_codes", DataType::u8, {tokens}, r.gate_codes),
                                 view("events", DataType::i32, {tokens, 6}, events)};
  for (Tensor& tensor : views.tensors()) tensors.push_back(std::move(tensor));
  tensors.push_back(view("accumulators", DataType::i64, {r.queries(), slots}, r.accumulators));
  tensors.push_back(view("scores", DataType::f32, {r.queries(), slots}, r.scores));
  Metadata metadata = metadata_of_rom(r.rom, r.d, r.index_bits);
  const MemoryParameters& p = r.parameters;
  metadata["thresholds"] = std::to_string(p.novel) + "," + std::to_string(p.match);
  metadata["gate_thresholds"] = std::to_string(p.gate_exact) + "," + std::to_string(p.gate_summary);
  metadata["blend"] = std::to_string(p.blend);
  write_safetensors(path, tensors, metadata, force);
}

}  // namespace axelram::files
