#include "axelram/commands/state.hpp"

#include <algorithm>

#include "axelram/commands/pretrained.hpp"
#include "axelram/files/atomic_file.hpp"
#include "json.hpp"
#include "memory_sequence.hpp"
#include "outputs.hpp"

namespace axelram::commands {
namespace {

StateHead head_of(const MemoryState& state) {
  StateHead head;
  std::size_t used = 0;
  for (std::size_t slot = 0; slot < state.slots(); ++slot) {
    std::size_t* const counter[] = {&head.free, &head.window, &head.sinks, &head.exact,
                                    &head.summaries};
    ++*counter[static_cast<std::size_t>(state.labels[slot])];
    if (state.labels[slot] == SlotLabel::free) continue;
    ++used;
    head.gate += state.gates[slot];
    head.oldest = head.oldest < 0 ? state.positions[slot]
                                  : std::min<std::int64_t>(head.oldest, state.positions[slot]);
    if (state.labels[slot] == SlotLabel::summary)
      head.merged += static_cast<std::uint64_t>(state.merged[slot]);
  }
  if (used != 0) head.gate /= static_cast<double>(used);
  return head;
}

}  // namespace

StateResult state_of(const StateOptions& options) {
  Outputs outputs(options.force, {options.state});
  const bool compare = !options.model.model.empty();
  if (compare)
    for (const std::string& file : input_files(options.model)) outputs.protect(file);
  outputs.add(options.json);
  if (compare)
    read_state(options.state, options.cache,
               checkpoints::read_checkpoint(find_model(options.model.model)));
  // What the file holds: the memory that reads it may have larger banks.
  const files::MemoryFile file = files::read_memory_file(options.state);
  StateResult result{options.state,      file.identity, file.layers, file.heads,
                     file.hidden.size(), file.tokens,   {}};
  for (std::size_t place = 0; place < file.states.size(); ++place) {
    StateHead head = head_of(file.states[place]);
    head.layer = place / file.heads;
    head.head = place % file.heads;
    result.memories.push_back(head);
  }
  if (!options.json.empty()) files::write_file(options.json, to_json(result), options.force);
  return result;
}

std::string to_json(const StateResult& r) {
  Json memories = Json::array();
  for (const StateHead& head : r.memories)
    memories.push_back({{"layer", head.layer},
                        {"head", head.head},
                        {"free", head.free},
                        {"window", head.window},
                        {"sink", head.sinks},
                        {"exact", head.exact},
                        {"summary", head.summaries},
                        {"oldest", head.oldest < 0 ? Json() : Json(head.oldest)},
                        {"merged", head.merged},
                        {"gate", head.gate}});
  const MemoryParameters& m = r.identity.memory;
  return text_of({{"state", r.path},
                  {"tokens", r.tokens},
                  {"layers", r.layers},
                  {"heads", r.heads},
                  {"hidden", r.hidden},
                  {"head_dim", r.identity.parameters.head_dim},
                  {"index_bits", r.identity.parameters.index_bits},
                  {"code", r.identity.code},
                  {"window", m.window},
                  {"exact", m.exact},
                  {"summary", m.summary},
                  {"sinks", m.sinks},
                  {"store", name_of(m.store)},
                  {"evict", name_of(m.evict)},
                  {"model", r.identity.model},
                  {"signs", r.identity.signs},
                  {"memories", memories}});
}

}  // namespace axelram::commands
