#include "keys/meaning.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <vector>

#include "axelram/files/messages.hpp"

namespace axelram::checkpoints {
namespace {

using nlohmann::json;

constexpr std::string_view kRoot = "1/sqrt ", kAtLeast = ">=", kSliding = "sliding 5 of 6";
constexpr std::string_view kPerLayer = "empty for each of ", kRamp = "-1, 1 if yarn else 0";
constexpr char kScalingType[] = "rope.scaling.type";
constexpr std::size_t kSlidingPattern = 6;

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) all.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

bool is_positive(const json& value) { return value.is_number() && value.get<double>() > 0; }

/// A whole number if it is one.
json quotient(const json& a, const json& b) {
  const double exact = a.get<double>() / b.get<double>();
  if (exact == std::floor(exact) && exact < 0x1p53) return static_cast<std::uint64_t>(exact);
  return exact;
}

bool is_name(const std::string& word) { return word[0] >= 'a' && word[0] <= 'z'; }

/// The value of a key; A.B: of B in the object A.
json found(const std::string& name, const Lookup& look) {
  json value = look(name);
  const std::size_t dot = name.find('.');
  if (!value.is_null() || dot == std::string::npos) return value;
  const json outer = look(name.substr(0, dot));
  std::string path = name.substr(dot);
  std::replace(path.begin(), path.end(), '.', '/');
  const json::json_pointer inner(path);
  return outer.is_object() && outer.contains(inner) ? outer.at(inner) : json();
}

/// The value of a key in the first of two objects that is given and not empty.
std::optional<json> found_in(const std::string& name, const std::string& first,
                             const std::string& second, const Lookup& look) {
  json object = look(first);
  if (object.empty()) object = look(second);
  if (!object.is_object() || !object.contains(name) || object.at(name).is_null())
    return std::nullopt;
  return object.at(name);
}

/// A, A / B, A * 4, A or 4096, A or B, or A in B or C.
std::optional<json> computed(std::string_view formula, const Lookup& look) {
  const std::vector<std::string> parts = words(formula);
  if (parts.size() > 1 && parts[1] == "in")
    return found_in(parts[0], parts.at(2), parts.at(4), look);
  const json first = found(parts.at(0), look);
  if (parts.size() == 1) return first.is_null() ? std::nullopt : std::optional(first);
  const std::string &operation = parts.at(1), &other = parts.at(2);
  if (operation == "or") {
    if (!first.is_null()) return first;
    return is_name(other) ? computed(other, look) : json::parse(other);
  }
  if (operation == "*") {
    if (!first.is_number_unsigned() || first.get<std::uint64_t>() > std::uint64_t{1} << 31)
      return json();
    return first.get<std::uint64_t>() * json::parse(other).get<std::uint64_t>();
  }
  const json second = found(other, look);
  if (!is_positive(first) || !is_positive(second)) return json();
  return quotient(first, second);
}

bool is_sliding_pattern(const json& value) {
  if (!value.is_array()) return value == kSlidingPattern;
  for (std::size_t l = 0; l < value.size(); ++l)
    if (value[l] != json((l + 1) % kSlidingPattern != 0)) return false;
  return true;
}

/// Whether an object has nothing but empty objects, under numbers of layers.
bool is_empty_per_layer(const json& value, const json& layers) {
  if (!value.is_object()) return value.is_null();
  for (const auto& [layer, own] : value.items()) {
    std::uint64_t number = 0;
    std::from_chars(layer.data(), layer.data() + layer.size(), number);
    if (layer != std::to_string(number) || !(json(number) < layers) || own != json::object())
      return false;
  }
  return true;
}

/// The share of YaRN's ramp that llama.cpp takes where -1 is given.
int usual_ramp(const Lookup& look) { return look(kScalingType) == "yarn" ? 1 : 0; }

bool is_near(const json& value, double right) {
  return value.is_number() && std::abs(value.get<double>() - right) <= 1e-6 * right;
}

std::string code(const std::string& text) { return "`" + text + "`"; }

}  // namespace

bool is_one_of(std::string_view names, std::string_view name) {
  const std::vector<std::string> all = words(names);
  return std::find(all.begin(), all.end(), name) != all.end();
}

std::optional<json> value_of(Meaning meaning, const Lookup& look) {
  if (meaning == kRejected) return std::nullopt;
  if (meaning.starts_with('=')) return computed(meaning.substr(1), look);
  return json::parse(meaning);
}

bool holds(Held held, const json& value, const Lookup& look) {
  if (held.empty() || held == "*") return true;
  if (held == kSliding) return is_sliding_pattern(value);
  if (held == kRamp) return value == -1 || value == usual_ramp(look);
  if (held.starts_with(kPerLayer))
    return is_empty_per_layer(value, look(std::string(held.substr(kPerLayer.size()))));
  if (held.starts_with('[')) {
    const json all = json::parse(held);
    return std::find(all.begin(), all.end(), value) != all.end();
  }
  if (held.starts_with('=')) {
    const std::optional<json> right = computed(held.substr(1), look);
    return !right || !is_positive(*right) || value == *right;  // else the model is rejected anyway
  }
  if (value == 0) return true;
  const bool is_root = held.starts_with(kRoot);
  const json other = look(std::string(held.substr(is_root ? kRoot.size() : kAtLeast.size())));
  if (!is_positive(other)) return true;
  return is_root ? is_near(value, 1 / std::sqrt(other.get<double>()))
                 : value.is_number() && value.get<double>() >= other.get<double>();
}

std::string supported(Held held, const Lookup& look) {
  std::vector<std::string> names;
  if (held.starts_with('[')) {
    for (const json& one : json::parse(held))
      names.push_back(one.is_string() ? one.get<std::string>() : one.dump());
  } else if (held.starts_with('=')) {
    names.push_back(computed(held.substr(1), look).value_or(nullptr).dump());
  } else if (held == kRamp) {
    return "supported are -1 or " + std::to_string(usual_ramp(look)) + ", where " + kScalingType +
           " is " + look(kScalingType).get<std::string>();
  } else if (held.starts_with(kPerLayer)) {
    names = {"null", "{}", "an empty object for a layer"};
  } else if (held == kSliding) {
    names.push_back("6, an attention span in five layers of six");
  } else {
    names = {"0", held_cell(held)};
  }
  return (names.size() == 1 ? "supported is " : "supported are ") + files::any_of(names);
}

std::string meaning_cell(Meaning meaning) {
  if (meaning == kRejected || meaning == "null") return meaning == "null" ? "none" : "rejected";
  return code(std::string(meaning.starts_with('=') ? meaning.substr(1) : meaning));
}

std::string held_cell(Held held) {
  if (held.empty()) return "";
  if (held == "*") return "any";
  if (held == kSliding) return "6, or five layers of six";
  if (held == kRamp) return "`-1`, `1` with yarn, `0` without";
  if (held.starts_with(kPerLayer)) return "none, `{}`, or an empty object for a layer";
  if (held.starts_with('=')) return code(std::string(held.substr(1)));
  if (held.starts_with(kRoot)) return "1 / √" + code(std::string(held.substr(kRoot.size())));
  if (held.starts_with(kAtLeast))
    return code(std::string(held.substr(kAtLeast.size()))) + " or more";
  std::vector<std::string> names;
  for (const json& one : json::parse(held))
    names.push_back(one.is_null() ? "none" : code(one.dump()));
  return files::any_of(names);
}

}  // namespace axelram::checkpoints
