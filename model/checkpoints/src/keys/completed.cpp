#include <utility>

#include "keys/config_keys.hpp"

namespace axelram::checkpoints {
namespace {

using nlohmann::json;

[[noreturn]] void fail_null(const JsonObject& object, const ConfigKey& row, const Lookup& look) {
  const std::optional<json> otherwise = value_of(row.absent, look);
  object.fail(std::string(row.key),
              otherwise && !otherwise->is_null()
                  ? "leave it out, which means " + otherwise->dump() + ", or give a value"
                  : "the model needs a value");
}

}  // namespace

JsonObject completed(JsonObject object, std::span<const ConfigKey> rows, std::string_view of,
                     const Lookup& look_outside) {
  const Lookup look = [&](const std::string& key) -> json {
    if (object.has(key)) return object.json().at(key);
    return look_outside ? look_outside(key) : json();
  };
  for (const ConfigKey& row : rows) {
    if (!is_one_of(row.of, of)) continue;
    const std::string key(row.key);
    const bool given = object.json().contains(key);
    if (object.has(key)) {
      if (!holds(row.held, object.json().at(key), look))
        object.fail(key, supported(row.held, look));
      continue;
    }
    const std::optional<json> value = value_of(given ? row.null : row.absent, look);
    if (given && !value) fail_null(object, row, look);
    if (value && !value->is_null()) object.assume(key, *value);
  }
  return object;
}

}  // namespace axelram::checkpoints
