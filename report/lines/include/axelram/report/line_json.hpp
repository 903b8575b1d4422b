#pragma once

#include <nlohmann/json.hpp>

#include "axelram/report/line.hpp"

namespace axelram::report {

/// The value of a figure, or null if it is not available. Whoever includes this header links
/// nlohmann_json.
inline nlohmann::ordered_json value_json(const Line& line) {
  if (const auto* whole = std::get_if<std::uint64_t>(&line.value)) return *whole;
  if (const auto* real = std::get_if<double>(&line.value)) return *real;
  return {};
}

}  // namespace axelram::report
