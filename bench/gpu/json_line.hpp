#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// One flat JSON object on a line, keys in order: texts, numbers, true, false, null. What programs
/// of scripts/gpu_check tell each other; the standard library has no JSON.
class JsonLine {
 public:
  JsonLine& text(const std::string& key, const std::string& value);
  /// Six significant digits; what is no finite number becomes null.
  JsonLine& number(const std::string& key, double value);
  JsonLine& count(const std::string& key, unsigned long long value);
  JsonLine& flag(const std::string& key, bool value);
  JsonLine& null(const std::string& key);

  bool has(const std::string& key) const { return find(key) != nullptr; }
  /// Nothing where the key is not there or another type.
  std::optional<std::string> text_of(const std::string& key) const;
  std::optional<double> number_of(const std::string& key) const;
  std::optional<bool> flag_of(const std::string& key) const;

  std::string str() const;
  /// Nothing where `line` is not such an object.
  static std::optional<JsonLine> parse(const std::string& line);

 private:
  const std::string* find(const std::string& key) const;
  JsonLine& add(const std::string& key, std::string raw);

  std::vector<std::pair<std::string, std::string>> members_;  ///< values as JSON
};

/// In quotation marks.
std::string json_text(const std::string& text);

}  // namespace bench
