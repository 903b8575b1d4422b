#include "bounded_memory.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "axelram/files/memory_needs.hpp"
#include "key_types.hpp"

namespace axelram::files {
namespace {

constexpr const char* kMemory = "memory";
constexpr int kMostSlots = 1 << 16;

ConfigKey needing(const MemoryNeed& need, ConfigKey key) {
  return with_need(
      std::move(key), need.needed,
      [met = need.met](const Config& config) { return met(config.bounded_memory.options); },
      need.missing);
}

/// A decimal number from 0 to `high`.
double fraction_of(const DocumentValue& value, const std::string& origin, int high) {
  double number = 0;
  const char* const last = value.text.data() + value.text.size();
  const auto [end, error] = std::from_chars(value.text.data(), last, number);
  if (!value.plain || error != std::errc() || end != last || !(number >= 0 && number <= high))
    reject(value, origin, "it must be a decimal number in 0.." + std::to_string(high));
  return number;
}

template <class Member>
ConfigKey fraction(const char* name, Member member, int high, const char* help) {
  const auto read = [=](const DocumentValue& value, const std::string& origin, Config& config) {
    member(config) = fraction_of(value, origin, high);
  };
  const auto show = [=](const Config& config) -> std::optional<std::string> {
    return shortest(member(config));
  };
  return {kMemory, name, help, "number", "0.." + std::to_string(high), read, show, "", nullptr};
}

ConfigKey match() {
  const auto read = [](const DocumentValue& value, const std::string& origin, Config& config) {
    config.bounded_memory.options.match = fraction_of(value, origin, 2);
  };
  const auto show = [](const Config& config) -> std::optional<std::string> {
    const std::optional<double>& match = config.bounded_memory.options.match;
    return match ? std::optional(shortest(*match)) : std::nullopt;
  };
  ConfigKey key{kMemory, "match", "least cosine of a hit",       "number", "novel..2",
                read,    show,    "the larger of 0.9 and novel", nullptr};
  key.absent = [](const Config& config) -> std::optional<std::string> {
    MemoryOptions options = config.bounded_memory.options;
    options.match.reset();
    return shortest(match_of(options));
  };
  return key;
}

}  // namespace

std::vector<ConfigKey> bounded_memory_keys() {
  std::vector<ConfigKey> keys = {
      integer(kMemory, "window", MEMBER(bounded_memory.options.window), {1, kMostSlots},
              "slots of the newest tokens; a key of a bounded memory, as all that follow"),
      integer(kMemory, "exact", MEMBER(bounded_memory.options.exact), {0, kMostSlots},
              "slots of the exact bank"),
      integer(kMemory, "summary", MEMBER(bounded_memory.options.summary), {0, kMostSlots},
              "slots of the summary bank"),
      integer(kMemory, "sinks", MEMBER(bounded_memory.options.sinks), {0, kMostSlots},
              "first tokens that are never displaced, at most exact"),
      needing(kAnyBank, fraction("novel", MEMBER(bounded_memory.options.novel), 2,
                                 "least cosine of a token that is not novel; 2: all are")),
      needing(kExactBank, match()),
      needing(kExactBank, fraction("gate_exact", MEMBER(bounded_memory.options.gate_exact), 1,
                                   "least gate of the exact bank")),
      needing(kSummaryBank, fraction("gate_summary", MEMBER(bounded_memory.options.gate_summary), 1,
                                     "least gate of the summary bank")),
      needing(kSummaryBank, fraction("blend", MEMBER(bounded_memory.options.blend), 1,
                                     "share of a token in a summary")),
      needing(kExactBank, choice(kMemory, "evict", MEMBER(bounded_memory.options.evict),
                                 "which exact slot is displaced")),
      needing(kSummaryBank, choice(kMemory, "summary_key",
                                   MEMBER(bounded_memory.options.summary_key), "key of a summary")),
      choice(kMemory, "store", MEMBER(bounded_memory.options.store),
             "what attention reads; a macro has records"),
  };
  for (ConfigKey& key : keys)
    key.left_out = [](const Config& config) { return !config.bounded_memory.given; };
  return keys;
}

bool has_bounded_memory(const Document& document) {
  const std::vector<ConfigKey> keys = bounded_memory_keys();
  return std::any_of(keys.begin(), keys.end(), [&](const ConfigKey& key) {
    return document.find(key.section, key.name) != nullptr;
  });
}

void finish_bounded_memory(const Document& document, const std::string& origin, Config* config) {
  BoundedMemorySection& memory = config->bounded_memory;
  if (!memory.given) return;
  const int line = document.find(kMemory)->line;
  if (config->attention.given)
    fail_at(origin, line, "memory: a macro with attention serves no bounded memory");
  if (memory.options.store != MemoryStore::records)
    fail_at(origin, document.find(kMemory, "store")->line,
            "store is " + axelram::name_of(memory.options.store) + "; a macro has records");
  try {
    memory.parameters = memory_parameters(memory.options, config->parameters, config->ecc.erasure);
  } catch (const std::invalid_argument& error) {
    fail_at(origin, line, std::string("memory: ") + error.what());
  }
  const DocumentValue* const given = document.find("macro", "max_keys");
  if (given != nullptr && config->max_keys != memory.parameters.slots())
    reject(*given, origin,
           "the memory has " + std::to_string(memory.parameters.slots()) +
               " slots; leave the key out");
  config->max_keys = memory.parameters.slots();
}

}  // namespace axelram::files
