#include "keys/meaning.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "axelram/files/messages.hpp"

namespace axelram::checkpoints {
namespace {

using nlohmann::json;

constexpr std::string_view kRoot = "1/sqrt ", kAtLeast = ">=", kSliding = "sliding 5 of 6";
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

/// A, A / B, A * 4 or A or 4096.
std::optional<json> computed(std::string_view formula, const Lookup& look) {
  const std::vector<std::string> parts = words(formula);
  const json first = look(parts.at(0));
  if (parts.size() == 1) return first.is_null() ? std::nullopt : std::optional(first);
  const std::string& operation = parts.at(1);
  if (operation == "or") return first.is_null() ? json::parse(parts.at(2)) : first;
  if (operation == "*") {
    if (!first.is_number_unsigned() || first.get<std::uint64_t>() > std::uint64_t{1} << 31)
      return std::nullopt;
    return first.get<std::uint64_t>() * json::parse(parts.at(2)).get<std::uint64_t>();
  }
  const json second = look(parts.at(2));
  if (!is_positive(first) || !is_positive(second)) return std::nullopt;
  return quotient(first, second);
}

bool is_sliding_pattern(const json& value) {
  if (!value.is_array()) return value == kSlidingPattern;
  for (std::size_t l = 0; l < value.size(); ++l)
    if (value[l] != json((l + 1) % kSlidingPattern != 0)) return false;
  return true;
}

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
