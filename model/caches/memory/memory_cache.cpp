#include <algorithm>
#include <stdexcept>
#include <utility>

#include "axelram/caches/memory_setup.hpp"
#include "axelram/files/errors.hpp"
#include "memory/slot_memory.hpp"
#include "specification/kind.hpp"

namespace axelram::caches {
namespace {

class MemoryCache : public transformer::KvCache {
 public:
  MemoryCache(MemorySetup setup, const UnitTable& units)
      : setup_(std::move(setup)), code_(code_of(setup_, units)), units_(&units) {}

  bool bounded() const override { return true; }
  std::unique_ptr<transformer::HeadMemory> memory(int layer, int head) const override {
    return slot_memory(setup_, code_, *units_, {layer, head, false});
  }
  std::unique_ptr<transformer::KeyCache> keys(int, int) const override { reject(); }
  std::unique_ptr<transformer::ValueCache> values(int, int) const override { reject(); }
  std::unique_ptr<transformer::HeadAttention> attention(int, int) const override { reject(); }

 private:
  static std::shared_ptr<const RowCode> code_of(const MemorySetup& setup, const UnitTable& units) {
    const auto bits = static_cast<std::size_t>(setup.records().parameters(true).record_bits());
    return std::make_shared<RowCode>(setup.records().code(), bits, units);
  }
  [[noreturn]] static void reject() {
    throw files::InputError(
        "the cache memory does not keep all keys, which this needs; use another cache");
  }

  MemorySetup setup_;
  std::shared_ptr<const RowCode> code_;
  const UnitTable* units_;
};

SharedCache make_memory_cache(const Memory& row, const Shape& shape, const UnitTable& units) {
  return std::make_shared<MemoryCache>(MemorySetup(row, shape), units);
}

bool reseed_memory(Memory* row, std::uint64_t seed) {
  const bool signs =
      !row->seed && (row->config.empty() || files::find_config(row->config).rotation.source ==
                                                files::Rotation::Source::seed);
  if (signs) row->seed = seed;
  const bool faults = reseed_faults(&row->faults, seed);
  return signs || faults;
}

/// A whole number; `fallback` as MemoryOptions has it.
template <class Member>
Parameter<Memory> slots_key(const std::string& key, int fallback, const std::string& help, int low,
                            Member member) {
  constexpr int kMost = 1 << 16;
  return number_key<Memory, int>({key, "N", std::to_string(fallback), help}, member, low, kMost,
                                 "a whole number from " + std::to_string(low) + " to 65536");
}

template <class Member>
Parameter<Memory> share_key(const std::string& key, const std::string& fallback,
                            const std::string& help, double most, Member member) {
  return number_key<Memory, double>({key, "X", fallback, help}, member, 0.0, most,
                                    "a number from 0 to " + text_of(most));
}

/// A choice that may be left to the checkpoint.
template <class T, class Member>
Parameter<Memory> open_choice(const std::string& key, T fallback, const std::string& help,
                              Member member) {
  std::string choices;
  for (const std::string& name : names_of<T>()) choices += (choices.empty() ? "" : "|") + name;
  return {{key, choices, name_of(fallback), help},
          [member](const std::string& value, Memory* row) -> std::optional<std::string> {
            const std::optional<T> named = value_named<T>(value);
            if (!named) return "; " + known_names(value, names_of<T>());
            member(*row) = *named;
            return std::nullopt;
          },
          writer<Memory>(member)};
}

std::vector<Parameter<Memory>> memory_keys() {
  const MemoryOptions o;
  const auto of = [](auto member) {
    return [member](auto& row) -> auto& { return row.*member; };
  };
  std::vector<Parameter<Memory>> keys = {
      slots_key("window", o.window, "slots of the newest tokens", 1, of(&Memory::window)),
      slots_key("exact", o.exact, "slots of landmarks", 0, of(&Memory::exact)),
      slots_key("summary", o.summary, "slots of summaries", 0, of(&Memory::summary)),
      slots_key("sinks", o.sinks, "landmarks for the first tokens, which stay", 0,
                of(&Memory::sinks)),
      open_choice("evict", o.evict, "landmark that makes room for another", of(&Memory::evict)),
      share_key("novel", "0.7", "cosine from which a token is not novel; 2: all are", 2.0,
                of(&Memory::novel)),
      share_key("match", "the larger of 0.9 and novel", "cosine from which two tokens are the same",
                2.0, of(&Memory::match)),
      share_key("gate_exact", "0.1", "gate of landmarks", 1.0, of(&Memory::gate_exact)),
      share_key("gate_summary", "0.05", "gate of summaries", 1.0, of(&Memory::gate_summary)),
      share_key("blend", "0.047", "share of a newcomer in a summary; a checkpoint may decide it",
                1.0, of(&Memory::blend)),
      open_choice("summary_key", o.summary_key, "key of a summary", of(&Memory::summary_key)),
      open_choice("store", o.store, "what a slot holds", of(&Memory::store)),
      text_key<Memory>({"config", kConfiguration, "3 bits, all else by default",
                        "configuration of the records: a file, or a name that 'axelram list "
                        "configurations' shows"},
                       of(&Memory::config),
                       [](const std::string&) { return std::optional<std::string>(); }),
      seed_key<Memory>({"seed", "N", "the configuration's", "seed of the signs"},
                       of(&Memory::seed)),
      balance_key<Memory>(of(&Memory::balance))};
  for (Parameter<Memory>& one : fault_parameters<Memory>()) keys.push_back(std::move(one));
  return keys;
}

}  // namespace

std::unique_ptr<transformer::KvCache> make_cache(MemorySetup setup, const UnitTable& units) {
  return std::make_unique<MemoryCache>(std::move(setup), units);
}

const Kind<Memory>& Memory::kind() {
  static const Kind<Memory> kind{
      "a memory of constant size: window, landmarks and summaries; keys that are not given are the "
      "checkpoint's; one without a memory of its own wants sinks=4",
      memory_keys(), make_memory_cache, reseed_memory};
  return kind;
}

}  // namespace axelram::caches
