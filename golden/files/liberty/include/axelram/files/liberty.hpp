#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "axelram/files/errors.hpp"

namespace axelram::files {

/// Longest Liberty file, most attributes, groups and arguments of it, and deepest nesting of
/// groups.
constexpr std::size_t kMaxLibertyBytes = std::size_t{1} << 27;
constexpr std::size_t kMaxLibertyItems = std::size_t{1} << 21;
constexpr int kMaxLibertyDepth = 32;

/// `name : value;` or `name(value, value);`, without quotation marks.
struct LibertyAttribute {
  std::string name;
  std::vector<std::string> values;  ///< one of the first form; none of `name();`
  int line = 0;                     ///< from 1
};

/// `kind(argument, argument) { ... }`.
struct LibertyGroup {
  std::string kind;
  std::vector<std::string> arguments;
  int line = 0;
  std::vector<LibertyAttribute> attributes;  ///< in the order of the file
  std::vector<LibertyGroup> groups;

  /// The first of this name, or null.
  const LibertyAttribute* find(std::string_view name) const;
  /// Its first value, or "".
  std::string text(std::string_view name) const;
  /// The first group of this kind, or null. `argument`: that it has among its arguments; empty:
  /// any.
  const LibertyGroup* group(std::string_view of_kind, std::string_view argument = {}) const;
};

/// The library group of a Liberty file (references.md#liberty): groups, simple and complex
/// attributes, comments, quoted texts, lines continued by a backslash. The values of attributes are
/// not interpreted. `origin` is the name of the file in messages. Throws InputError
/// ("ORIGIN:LINE: ...") for any other text, for more items than kMaxLibertyItems, for groups
/// deeper than kMaxLibertyDepth, and for include_file, which is not followed.
LibertyGroup parse_liberty(std::string_view text, const std::string& origin);

/// The first value as a decimal number. Throws InputError with the line if it is none.
double liberty_number(const LibertyAttribute& attribute, const std::string& origin);

/// The numbers of all values: "1, 2", "3 4" are four.
std::vector<double> liberty_numbers(const LibertyAttribute& attribute, const std::string& origin);

}  // namespace axelram::files
