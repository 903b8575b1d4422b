#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace axelram {

/// One value of an enum: its name in configurations, options, JSON and documents, and one line of
/// help.
template <class T>
struct EnumRow {
  T value;
  std::string_view name;
  std::string_view help;
};

/// Specialised beside each enum that users name: `static constexpr EnumRow<T> rows[]`. Parsers,
/// printers, help and `axelram list` read it; a value without a row cannot be named by a user.
template <class T>
struct EnumNames;

template <class T>
std::string name_of(T value) {
  for (const EnumRow<T>& row : EnumNames<T>::rows)
    if (row.value == value) return std::string(row.name);
  throw std::logic_error("a value of an enum has no row in EnumNames");
}

template <class T>
std::optional<T> value_named(std::string_view name) {
  for (const EnumRow<T>& row : EnumNames<T>::rows)
    if (row.name == name) return row.value;
  return std::nullopt;
}

template <class T>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (const EnumRow<T>& row : EnumNames<T>::rows) names.emplace_back(row.name);
  return names;
}

}  // namespace axelram
