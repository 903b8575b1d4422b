#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "axelram/names.hpp"
#include "documents/values.hpp"
#include "table.hpp"

// `MEMBER(parameters.head_dim)`: access to one member of a Config, const or not.
#define MEMBER(path) \
  [](auto& config) -> auto& { return config.path; }

namespace axelram::files {

/// Reads none, or a name that make_code accepts.
std::string code_of(const DocumentValue& value, const std::string& origin);
/// Names for ecc.code.
std::vector<std::string> code_choices();
/// "4096", "2^24" or "2^20 - 1".
std::string power_text(std::uint64_t value);

// Limits that depend on earlier keys.

inline int dimension(const Config& config) { return config.parameters.head_dim; }
/// Entries of the lookup table; with a split, of the smaller one. Without a table, those that one
/// would have.
inline int table_entries(const Config& config) {
  const Parameters& p = config.parameters;
  const Parameters part = p.split() ? p.part(1) : p;
  const int levels = table_levels(config, part);
  return part.head_dim * (levels == 0 ? part.levels() : levels);
}

/// Lowest and highest value; the highest is a number or a function of earlier keys.
struct Limits {
  Limits(int low_, int high_)
      : low(low_),
        high([high_](const Config&) { return high_; }),
        text(std::to_string(low_) + ".." + power_text(static_cast<std::uint64_t>(high_))) {}
  Limits(int low_, int (*high_)(const Config&)) : low(low_), high(high_) {}

  int low;
  std::function<int(const Config&)> high;
  std::string text;
};

/// A rule beyond the limits: what would be right, or "" if `value` obeys the rule.
struct Rule {
  std::string text;  ///< range for documents
  std::function<std::string(int value, const Config& config)> broken;
};

inline bool is_power_of_two(int value) { return (value & (value - 1)) == 0; }

/// Powers of two up to head_dim.
Rule lanes_rule();

/// `key` with what it needs. `needed`: a test of a Config; `missing`: the end of the message.
template <class Needed>
ConfigKey with_need(ConfigKey key, const char* text, Needed needed, const char* missing) {
  key.need = {text,
              [=](const Config& config) -> std::string { return needed(config) ? "" : missing; }};
  return key;
}

/// The same, and canonical text has the key only where it has an effect.
template <class Needed>
ConfigKey only_with(ConfigKey key, const char* text, Needed needed, const char* missing) {
  key = with_need(std::move(key), text, needed, missing);
  key.left_out = [=](const Config& config) { return !needed(config); };
  return key;
}

// Rows of the table. `member` returns a reference to the member of a Config, const or not.

template <class Member>
ConfigKey integer(const char* section, const char* name, Member member, Limits limits,
                  const char* help, const Rule& rule = {}) {
  const auto read = [=](const DocumentValue& value, const std::string& origin, Config& config) {
    const int number = integer_of(value, origin, member(config), limits.low, limits.high(config));
    const std::string what = rule.broken ? rule.broken(number, config) : "";
    if (!what.empty()) reject(value, origin, what);
    member(config) = number;
  };
  const auto show = [=](const Config& config) { return std::to_string(member(config)); };
  return {section, name, help, "integer", rule.broken ? rule.text : limits.text,
          read,    show, "",   nullptr};
}

/// An enum with EnumNames.
template <class Member>
ConfigKey choice(const char* section, const char* name, Member member, const char* help) {
  using Enum = std::decay_t<decltype(member(std::declval<Config&>()))>;
  const auto read = [=](const DocumentValue& value, const std::string& origin, Config& config) {
    const std::optional<Enum> found = value_named<Enum>(value.text);
    if (!found) reject_choice(value, origin, names_of<Enum>());
    member(config) = *found;
  };
  const auto show = [=](const Config& config) { return axelram::name_of(member(config)); };
  return {section, name, help, "name", joined(names_of<Enum>()), read, show, "", nullptr};
}

template <class Member>
ConfigKey code_name(const char* section, const char* name, Member member, const char* help) {
  const auto read = [=](const DocumentValue& value, const std::string& origin, Config& config) {
    member(config) = code_of(value, origin);
  };
  const auto show = [=](const Config& config) { return member(config); };
  return {section, name, help, "name", joined(code_choices()), read, show, "", nullptr};
}

/// The name of a file, absent by default.
template <class Member>
ConfigKey file(const char* section, const char* name, Member member, const char* help) {
  const auto read = [=](const DocumentValue& value, const std::string& origin, Config& config) {
    member(config) = file_of(value, origin);
  };
  const auto show = [=](const Config& config) -> std::optional<std::string> {
    if (member(config).empty()) return std::nullopt;
    return quoted(member(config));
  };
  return {section, name, help, "file", "", read, show, "", nullptr};
}

}  // namespace axelram::files
