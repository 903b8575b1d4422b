#include "axelram/transformer/session.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "axelram/files/errors.hpp"
#include "pass.hpp"

namespace axelram::transformer {
namespace {

CacheEvents events_of(const Stores& stores) {
  CacheEvents sum;
  for (std::size_t place = 0; place < stores.size(); ++place)
    if (stores[place]) sum += transformer::events_of(stores[place], place);
  return sum;
}

}  // namespace

struct Session::State {
  /// A sequence so far.
  struct Growing {
    std::size_t tokens = 0;
    Stores stores;
  };

  State(const Transformer& model_, const KvCache& cache_)
      : model(model_), cache(cache_), tables(model_.architecture()) {}

  const Transformer& model;
  const KvCache& cache;
  RotaryTables tables;
  std::map<std::uint32_t, Growing> sequences;
  CacheEvents ended;  ///< counters of sequences that are gone
};

Session::Session(const Transformer& model, const KvCache& cache)
    : state_(std::make_unique<State>(model, cache)) {}
Session::~Session() = default;

std::vector<float> Session::step(std::span<const Sequence> more, const Observer& observer) {
  const checkpoints::Architecture& a = state_->model.architecture();
  std::set<std::uint32_t> numbers;
  for (const Sequence& sequence : more) {
    check(sequence, a, tokens(sequence.number));
    if (!numbers.insert(sequence.number).second)
      throw files::InputError("sequence " + std::to_string(sequence.number) +
                              " is given twice in one step; give all its ids together");
  }
  std::vector<Pass::Part> parts;
  for (const Sequence& sequence : more) {
    State::Growing& growing = state_->sequences[sequence.number];
    growing.stores.resize(a.layers * a.kv_heads);
    state_->tables.extend(growing.tokens + sequence.ids.size());
    parts.push_back({sequence, growing.tokens, &growing.stores});
  }
  try {
    Pass pass(state_->model.checkpoint(), state_->model.workers(), parts, state_->cache,
              state_->tables, observer);
    std::vector<float> hidden = pass.run();
    for (const Sequence& sequence : more)
      state_->sequences[sequence.number].tokens += sequence.ids.size();
    return hidden;
  } catch (...) {
    for (const std::uint32_t number : numbers) end(number);
    throw;
  }
}

std::vector<MemoryState> Session::states(std::uint32_t number) const {
  const checkpoints::Architecture& a = state_->model.architecture();
  const auto found = state_->sequences.find(number);
  std::vector<MemoryState> states;
  for (std::size_t layer = 0; layer < a.layers; ++layer)
    for (std::size_t head = 0; head < a.kv_heads; ++head) {
      if (found != state_->sequences.end()) {
        states.push_back(found->second.stores[layer * a.kv_heads + head].memory->state());
        continue;
      }
      const auto memory = state_->cache.memory(static_cast<int>(layer), static_cast<int>(head));
      states.push_back(memory->state());
    }
  return states;
}

void Session::load(std::uint32_t number, std::vector<MemoryState> states) {
  const checkpoints::Architecture& a = state_->model.architecture();
  State::Growing growing;
  growing.stores.resize(a.layers * a.kv_heads);
  growing.tokens = states.empty() ? 0 : static_cast<std::size_t>(states.front().tokens);
  for (std::size_t place = 0; place < growing.stores.size(); ++place) {
    auto& memory = growing.stores[place].memory;
    memory = state_->cache.memory(static_cast<int>(place / a.kv_heads),
                                  static_cast<int>(place % a.kv_heads));
    memory->begin(number);
    memory->load(std::move(states.at(place)));
  }
  end(number);
  if (growing.tokens != 0) state_->sequences.emplace(number, std::move(growing));
}

std::size_t Session::tokens(std::uint32_t number) const {
  const auto found = state_->sequences.find(number);
  return found == state_->sequences.end() ? 0 : found->second.tokens;
}

void Session::end(std::uint32_t number) {
  const auto found = state_->sequences.find(number);
  if (found == state_->sequences.end()) return;
  state_->ended += events_of(found->second.stores);
  state_->sequences.erase(found);
}

CacheEvents Session::events() const {
  CacheEvents sum = state_->ended;
  for (const auto& [number, growing] : state_->sequences) sum += events_of(growing.stores);
  return sum;
}

}  // namespace axelram::transformer
