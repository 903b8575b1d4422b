#include "axelram/commands/run_memory.hpp"

#include <array>
#include <chrono>
#include <memory>

#include "axelram/codebook.hpp"
#include "axelram/fast.hpp"
#include "axelram/fast_memory.hpp"
#include "axelram/files/atomic_file.hpp"
#include "axelram/files/memory_trace.hpp"
#include "axelram/gate.hpp"
#include "axelram/token_memory.hpp"
#include "json.hpp"
#include "made_for.hpp"
#include "outputs.hpp"

namespace axelram::commands {
namespace {

std::unique_ptr<TokenMemory> memory_of(EngineKind engine, const MemoryHead& head) {
  if (engine == EngineKind::golden) return golden_token_memory(head);
  if (engine == EngineKind::fast) return fast_token_memory(head);
  throw files::InputError("--engine " + name_of(engine) +
                          " has no bounded memory; use golden or fast");
}

MemoryHead head_of(const files::Config& config) {
  MemoryHead head;
  head.parameters = config.parameters;
  head.memory = config.bounded_memory.parameters;
  head.rom = std::make_shared<const CodebookRom>(codebook_rom(config.parameters));
  head.signs = config.head_rotation.signs;
  head.center = config.center;
  head.balance = config.head_rotation.balance;
  head.protection = files::protection(config.ecc);
  return head;
}

/// Scores of queries with the keys of all slots (bit-contract.md#memory-attend).
class Scores {
 public:
  Scores(const MemoryHead& head, const UnitTable& units)
      : records_(head, units),
        datapath_(head.parameters, head.rom, head.key_rotation(), head.center, units),
        slots_(static_cast<std::size_t>(head.memory.slots())) {}

  void add(const MemoryState& state, const std::uint16_t* query, files::MemoryResult* result) {
    datapath_.round(query, &query_);
    result->accumulators.resize(result->accumulators.size() + slots_);
    result->scores.resize(result->scores.size() + slots_);
    std::int64_t* const accumulators =
        result->accumulators.data() + result->accumulators.size() - slots_;
    float* const scores = result->scores.data() + result->scores.size() - slots_;
    for (const std::uint32_t slot : visible_slots(state))
      datapath_.score(query_, records_.read(&state.key_records[slot * records_.stored_bytes()]), 1,
                      &scores[slot], &accumulators[slot]);
  }

 private:
  MemoryRecords records_;
  Datapath datapath_;
  QueryResult query_;
  std::size_t slots_;
};

files::MemoryResult result_of(TokenMemory* memory, const MemoryHead& head, const UnitTable& units,
                              const files::MemoryTrace& trace, std::size_t stored_bytes) {
  const auto d = static_cast<std::size_t>(head.parameters.head_dim);
  files::MemoryResult result;
  result.d = d;
  result.index_bits = head.parameters.index_bits;
  result.stored_bytes = stored_bytes;
  result.parameters = head.memory;
  result.rom = *head.rom;
  if (trace.initial) memory->load(*trace.initial);
  Scores scores(head, units);
  std::size_t query = 0, snapshot = 0;
  for (std::size_t t = 0; t < trace.tokens(); ++t) {
    MemoryEvent event;
    memory->write({&trace.keys[t * d], &trace.values[t * d], trace.gates[t]}, &event);
    result.gate_codes.push_back(static_cast<std::uint8_t>(gate_code(trace.gates[t])));
    result.events.push_back(event);
    const auto now = static_cast<std::int32_t>(t);
    for (; query < trace.query_tokens.size() && trace.query_tokens[query] == now; ++query)
      scores.add(memory->state(), &trace.queries[query * d], &result);
    if (snapshot < trace.snapshots.size() && trace.snapshots[snapshot] == now) {
      result.snapshots.push_back(memory->state());
      ++snapshot;
    }
  }
  return result;
}

Json counts_json(const std::vector<MemoryEvent>& events) {
  constexpr const char* kEvicted[] = {"nothing",   "gated_out", "hit",  "between", "admitted",
                                      "displaced", "kept",      "sink", "no_bank"};
  constexpr const char* kLeaver[] = {"none", "dropped", "spawned", "merged"};
  std::array<std::size_t, 9> evicted{};
  std::array<std::size_t, 4> leaver{};
  for (const MemoryEvent& event : events) {
    ++evicted[static_cast<std::size_t>(event.evicted)];
    ++leaver[static_cast<std::size_t>(event.leaver)];
  }
  Json of_evicted, of_leaver;
  for (std::size_t i = 0; i < evicted.size(); ++i) of_evicted[kEvicted[i]] = evicted[i];
  for (std::size_t i = 0; i < leaver.size(); ++i) of_leaver[kLeaver[i]] = leaver[i];
  return {{"evicted", of_evicted}, {"leaver", of_leaver}};
}

}  // namespace

RunMemoryResult run_memory(const ConfigFile& file, const RunOptions& options,
                           const Show<RunMemoryResult>& show) {
  if (!options.feedback.empty())
    throw files::InputError("--encoder is not for a bounded memory; leave it out");
  check_center(file);
  const MemoryHead head = head_of(file.config);
  const std::unique_ptr<TokenMemory> memory = memory_of(options.engine, head);
  const MemoryRecords records(head);
  const files::MemoryTrace trace = files::read_memory_trace(options.trace, records);
  Outputs outputs(options.force, {options.trace});
  outputs.protect(file);
  for (const std::string& path : {options.output, options.json}) outputs.add(path);

  RunMemoryResult result{file.config.name, options.trace, options.engine, {}, 0};
  const auto start = std::chrono::steady_clock::now();
  const UnitTable& units = options.engine == EngineKind::golden ? reference_units() : fast_units();
  result.result = result_of(memory.get(), head, units, trace, records.stored_bytes());
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  show_figures(show, result);
  files::write_memory_result(options.output, result.result, options.force);
  if (!options.json.empty()) files::write_file(options.json, to_json(result), options.force);
  return result;
}

std::string to_json(const RunMemoryResult& r) {
  return text_of({{"engine", name_of(r.engine)},
                  {"configuration", r.configuration},
                  {"trace", r.trace},
                  {"tokens", r.result.gate_codes.size()},
                  {"queries", r.result.queries()},
                  {"slots", r.result.parameters.slots()},
                  {"events", counts_json(r.result.events)},
                  {"seconds", r.seconds}});
}

}  // namespace axelram::commands
