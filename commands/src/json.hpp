#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "axelram/sim/cycles.hpp"

namespace axelram::commands {

using Json = nlohmann::ordered_json;

/// The text of every JSON file. Bytes that are not UTF-8 (file names) are replaced.
inline std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

inline Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

inline Json cycles_json(const sim::Cycles& cycles) {
  Json all = {{"write", cycles.write},
              {"rotate", cycles.rotate},
              {"build", cycles.build},
              {"read", cycles.read}};
  if (cycles.tail > 0) all["tail"] = cycles.tail;
  all["total"] = cycles.total;
  return all;
}
inline Json cycles_json(const std::optional<sim::Cycles>& cycles) {
  return cycles ? cycles_json(*cycles) : Json();
}

}  // namespace axelram::commands
