#include "json_line.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace bench {
namespace {

constexpr char kHex[] = "0123456789abcdef";

/// Reads a line from `i` on.
class Cursor {
 public:
  explicit Cursor(const std::string& line) : line_(line) {}

  bool take(char c) {
    spaces();
    if (i_ >= line_.size() || line_[i_] != c) return false;
    ++i_;
    return true;
  }
  bool at_end() {
    spaces();
    return i_ == line_.size();
  }
  std::optional<std::string> quoted() {
    if (!take('"')) return std::nullopt;
    std::string text;
    for (; i_ < line_.size() && line_[i_] != '"'; ++i_) {
      if (line_[i_] != '\\') {
        text += line_[i_];
        continue;
      }
      if (++i_ >= line_.size()) return std::nullopt;
      if (!escape(text)) return std::nullopt;
    }
    return take('"') ? std::optional(text) : std::nullopt;
  }
  /// A value that is no text: a number, true, false, null.
  std::string word() {
    spaces();
    const std::size_t begin = i_;
    while (i_ < line_.size() && line_[i_] != ',' && line_[i_] != '}' && line_[i_] != ' ') ++i_;
    return line_.substr(begin, i_ - begin);
  }
  bool next_is_text() {
    spaces();
    return i_ < line_.size() && line_[i_] == '"';
  }

 private:
  void spaces() {
    while (i_ < line_.size() && (line_[i_] == ' ' || line_[i_] == '\t' || line_[i_] == '\r')) ++i_;
  }
  /// \uXXXX below 0x80 only, as the writers escape nothing else.
  bool escape(std::string& text) {
    switch (line_[i_]) {
      case 'n':
        text += '\n';
        return true;
      case 't':
        text += '\t';
        return true;
      case 'u': {
        if (i_ + 4 >= line_.size()) return false;
        const long code = std::strtol(line_.substr(i_ + 1, 4).c_str(), nullptr, 16);
        i_ += 4;
        text += code < 0x80 ? static_cast<char>(code) : '?';
        return true;
      }
      default:
        text += line_[i_];
        return true;
    }
  }

  const std::string& line_;
  std::size_t i_ = 0;
};

bool is_number(const std::string& raw) {
  if (raw.empty()) return false;
  char* end = nullptr;
  const double value = std::strtod(raw.c_str(), &end);
  return end == raw.c_str() + raw.size() && std::isfinite(value);
}

}  // namespace

std::string json_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20) {
      quoted += "\\u00";
      quoted += kHex[byte >> 4];
      quoted += kHex[byte & 15];
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

JsonLine& JsonLine::add(const std::string& key, std::string raw) {
  for (auto& [name, value] : members_)
    if (name == key) {
      value = std::move(raw);
      return *this;
    }
  members_.emplace_back(key, std::move(raw));
  return *this;
}

JsonLine& JsonLine::text(const std::string& key, const std::string& value) {
  return add(key, json_text(value));
}
JsonLine& JsonLine::number(const std::string& key, double value) {
  if (!std::isfinite(value)) return null(key);
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.6g", value);
  return add(key, digits);
}
JsonLine& JsonLine::count(const std::string& key, unsigned long long value) {
  return add(key, std::to_string(value));
}
JsonLine& JsonLine::flag(const std::string& key, bool value) {
  return add(key, value ? "true" : "false");
}
JsonLine& JsonLine::null(const std::string& key) { return add(key, "null"); }

const std::string* JsonLine::find(const std::string& key) const {
  for (const auto& [name, value] : members_)
    if (name == key) return &value;
  return nullptr;
}

std::optional<std::string> JsonLine::text_of(const std::string& key) const {
  const std::string* const raw = find(key);
  return raw == nullptr ? std::nullopt : Cursor(*raw).quoted();
}
std::optional<double> JsonLine::number_of(const std::string& key) const {
  const std::string* const raw = find(key);
  if (raw == nullptr || !is_number(*raw)) return std::nullopt;
  return std::strtod(raw->c_str(), nullptr);
}
std::optional<bool> JsonLine::flag_of(const std::string& key) const {
  const std::string* const raw = find(key);
  if (raw == nullptr || (*raw != "true" && *raw != "false")) return std::nullopt;
  return *raw == "true";
}

std::string JsonLine::str() const {
  std::string line = "{";
  for (const auto& [key, value] : members_)
    line += (line.size() > 1 ? ", " : "") + json_text(key) + ": " + value;
  return line + "}";
}

std::optional<JsonLine> JsonLine::parse(const std::string& line) {
  Cursor cursor(line);
  JsonLine result;
  if (!cursor.take('{')) return std::nullopt;
  bool more = !cursor.take('}');
  while (more) {
    const auto key = cursor.quoted();
    if (!key || !cursor.take(':')) return std::nullopt;
    if (cursor.next_is_text()) {
      const auto value = cursor.quoted();
      if (!value) return std::nullopt;
      result.text(*key, *value);
    } else {
      const std::string raw = cursor.word();
      if (raw != "true" && raw != "false" && raw != "null" && !is_number(raw)) return std::nullopt;
      result.add(*key, raw);
    }
    more = cursor.take(',');
    if (!more && !cursor.take('}')) return std::nullopt;
  }
  return cursor.at_end() ? std::optional(result) : std::nullopt;
}

}  // namespace bench
