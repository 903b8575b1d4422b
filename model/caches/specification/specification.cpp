#include "axelram/caches/specification.hpp"

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "axelram/caches/tuned.hpp"
#include "axelram/files/config.hpp"
#include "axelram/files/errors.hpp"
#include "specification/kind.hpp"

namespace axelram::caches {
namespace {

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string> cache_names() {
  std::vector<std::string> names;
  for (const CacheKind& kind : cache_kinds()) names.push_back(kind.name);
  return names;
}

/// The parser of one row specification; `where` begins each error message.
class Parser {
 public:
  explicit Parser(std::string where) : where_(std::move(where)) {}

  [[noreturn]] void fail(const std::string& what) const { throw files::InputError(where_ + what); }

  /// part: the rows that `text` is for; nothing: keys and values.
  RowSpecification parse(std::string_view text, std::optional<TierPart> part = {}) const {
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    std::optional<RowSpecification> parsed;
    for_each_kind([&](auto row) {
      if (row.kName != name) return;
      read(colon == std::string_view::npos ? std::nullopt : std::optional(text.substr(colon + 1)),
           part, &row);
      parsed = row;
    });
    if (name == kTuned)
      fail("a tuned cache is one of keys and values together; write tuned:DIR alone");
    if (!parsed)
      fail("there is no cache " + files::in_quotes(name) + "; " + known_names(name, cache_names()));
    return *parsed;
  }

 private:
  using Items = std::vector<std::pair<std::string, std::string>>;

  /// keys: `key=value,...`, or none.
  template <class Row>
  void read(const std::optional<std::string_view>& keys, std::optional<TierPart> part,
            Row* row) const {
    const std::string name(Row::kName);
    const std::vector<Parameter<Row>>& parameters = Row::kind().parameters;
    if (keys && parameters.empty()) fail(name + " takes no keys; write " + name);
    std::vector<std::string> known;
    for (const auto& parameter : parameters) known.push_back(parameter.text.key);
    if (keys) check_not_rejected<Row>(*keys);
    const Items items = keys ? items_of(*keys, name, known) : Items();
    for (const auto& parameter : parameters) {
      const std::string& key = parameter.text.key;
      const auto item = std::find_if(items.begin(), items.end(),
                                     [&](const auto& one) { return one.first == key; });
      if (item == items.end()) {
        if (!parameter.text.fallback.empty()) continue;
        fail(name + " requires " + key + "; write " + name + ":" + key + "=" +
             parameter.text.value);
      }
      if (const auto wrong = parameter.read(item->second, row))
        fail(key + " is " + files::in_quotes(item->second) + *wrong);
    }
    for (const auto& parameter : parameters) {
      const std::string value = parameter.write(*row);
      std::string what = parameter.missing ? parameter.missing(*row) : "";
      if (part && parameter.part && *parameter.part != *part) what = without_key(*part);
      if (!what.empty() && !value.empty())
        fail(parameter.text.key + " is " + files::in_quotes(value) + ", but " + what);
    }
  }

  /// What `part` lacks.
  static std::string without_key(TierPart part) {
    return std::string(part == TierPart::keys ? "keys" : "values") + " have none; leave it out";
  }

  template <class Row>
  void check_not_rejected(std::string_view keys) const {
    for (const std::string_view text : split_at(keys, ','))
      for (const auto& [key, reason] : Row::kind().rejected)
        if (text.substr(0, text.find('=')) == key)
          fail(std::string(Row::kName) + " has no key " + files::in_quotes(key) + ": " + reason);
  }

  Items items_of(std::string_view keys, const std::string& name,
                 const std::vector<std::string>& known) const {
    Items items;
    for (const std::string_view text : split_at(keys, ',')) {
      const std::size_t equals = text.find('=');
      const std::string key(text.substr(0, equals));
      if (std::find(known.begin(), known.end(), key) == known.end() &&
          equals == std::string_view::npos && !key.empty())
        fail(files::in_quotes(key) + " is no key=value; write such as " + name + ":" +
             known.front() + "=" + key);
      if (std::find(known.begin(), known.end(), key) == known.end())
        fail(name + " has no key " + files::in_quotes(key) + "; " + known_names(key, known));
      if (equals == std::string_view::npos || equals + 1 == text.size())
        fail(key + " has no value; write " + key + "=...");
      for (const auto& item : items)
        if (item.first == key) fail(key + " is given twice; give it once");
      items.emplace_back(key, std::string(text.substr(equals + 1)));
    }
    return items;
  }

  std::string where_;
};

/// Complains of tiers that keys, or values, cannot have.
void check_tiers(const Parser& parser, const Specification& specification, NamedFiles files) {
  const auto check = [&](const RowSpecification& row, TierPart part) {
    try {
      if (const auto tiers = tiers_of(row)) check_tier_settings(*tiers, part, files);
    } catch (const std::invalid_argument& error) {
      parser.fail(error.what());
    }
  };
  check(specification.keys, TierPart::keys);
  check(specification.values, TierPart::values);
}

std::string row_text(const RowSpecification& specification) {
  return std::visit(
      [](const auto& row) {
        std::string text(row.kName);
        char separator = ':';
        for (const auto& parameter : row.kind().parameters) {
          const std::string value = parameter.write(row);
          if (value.empty()) continue;
          text += separator + parameter.text.key + '=' + value;
          separator = ',';
        }
        return text;
      },
      specification);
}

}  // namespace

Specification parse_specification(const std::string& text, NamedFiles files) {
  const std::string_view all = text;
  if (all.substr(0, all.find(':')) == kTuned) return tuned_specification(text, files);
  const Parser parser("cache specification " + files::in_quotes(text) + ": ");
  if (!all.starts_with("keys=") && !all.starts_with("values=") &&
      all.find(';') == std::string_view::npos) {
    const RowSpecification both = parser.parse(text);
    check_tiers(parser, {both, both}, files);
    return {both, both};
  }
  const std::vector<std::string_view> parts = split_at(text, ';');
  if (parts.size() != 2 || !parts[0].starts_with("keys=") || !parts[1].starts_with("values="))
    parser.fail("if keys and values differ, write keys=SPEC;values=SPEC");
  Specification parsed = {parser.parse(parts[0].substr(5), TierPart::keys),
                          parser.parse(parts[1].substr(7), TierPart::values)};
  check_tiers(parser, parsed, files);
  if (std::holds_alternative<Memory>(parsed.keys) || std::holds_alternative<Memory>(parsed.values))
    parser.fail("a memory keeps keys and values together; write memory:... alone");
  return parsed;
}

const Memory* memory_of(const Specification& specification) {
  return std::get_if<Memory>(&specification.keys);
}

std::optional<TierSettings> tiers_of(const RowSpecification& specification) {
  return std::visit(
      [](const auto& row) -> std::optional<TierSettings> {
        if constexpr (requires { row.tiers(); }) return row.tiers();
        return std::nullopt;
      },
      specification);
}

std::string to_string(const Specification& specification) {
  if (specification.tuned) return std::string(kTuned) + ":" + specification.tuned->folder;
  const std::string keys = row_text(specification.keys), values = row_text(specification.values);
  return keys == values ? keys : "keys=" + keys + ";values=" + values;
}

bool reseed(Specification* specification, std::uint64_t seed) {
  const auto reseed_rows = [seed](auto& row) { return row.kind().reseed(&row, seed); };
  const bool keys = std::visit(reseed_rows, specification->keys);
  const bool values = std::visit(reseed_rows, specification->values);
  return keys || values;
}

std::vector<std::string> configurations(const Specification& specification) {
  std::vector<std::string> named;
  const auto add = [&](const auto& row) {
    for (const auto& parameter : row.kind().parameters)
      if (parameter.text.value == kConfiguration)
        if (const std::string name = parameter.write(row); !name.empty()) named.push_back(name);
  };
  std::visit(add, specification.keys);
  std::visit(add, specification.values);
  return named;
}

std::vector<std::string> other_files(const Specification& specification) {
  constexpr std::string_view kFile = "FILE";  // alone, or behind a word such as feedback:
  std::vector<std::string> files;
  const auto add = [&](const auto& row) {
    for (const auto& parameter : row.kind().parameters) {
      const std::string value = parameter.write(row);
      if (!value.empty() && parameter.text.value.ends_with(kFile))
        files.push_back(value.substr(parameter.text.value.size() - kFile.size()));
    }
  };
  std::visit(add, specification.keys);
  std::visit(add, specification.values);
  return files;
}

void check_whole(const Specification& specification, const std::string& engine) {
  const auto check = [&](const auto& row) {
    if constexpr (requires { row.part; })
      if (!(row.part == Part()))
        throw files::InputError("cache " + files::in_quotes(row_text(row)) + ": " + engine +
                                " has no layer, head, exact_tokens, exact_newest and "
                                "exact_channels; use --engine fast");
  };
  std::visit(check, specification.keys);
  std::visit(check, specification.values);
}

void check_steps(const Specification& specification, const std::string& option) {
  const auto check = [&](const auto& row) {
    if constexpr (requires { row.part; })
      if (row.part.exact_channels != 0)
        throw files::InputError("cache " + files::in_quotes(row_text(row)) +
                                ": exact_channels are chosen by all keys of a window, of which " +
                                option + " writes some at a time; leave one of both out");
  };
  std::visit(check, specification.keys);
  std::visit(check, specification.values);
}

void check_uncentered(const Specification& specification, const std::string& engine) {
  const auto check = [&](const auto& row) {
    if constexpr (requires { row.centers; })
      if (!row.centers.empty())
        throw files::InputError("cache " + files::in_quotes(row_text(row)) + ": " + engine +
                                " has no centers; use --engine fast");
  };
  std::visit(check, specification.keys);
}

std::string nothing_random(const Specification& specification) {
  return "cache " + files::in_quotes(to_string(specification)) +
         " has nothing random to seed: remove seed= so that the signs vary, or set ber=";
}

}  // namespace axelram::caches
