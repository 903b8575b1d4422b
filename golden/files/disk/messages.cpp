#include "axelram/files/messages.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace axelram::files {
namespace {

/// Levenshtein distance, letter case ignored.
std::size_t distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i]) == lower(b[j]) ? 0U : 1U);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t i) {
  const auto byte = [&text](std::size_t k) {
    return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U;
  };
  const unsigned lead = byte(i);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  unsigned code = lead & (0x7fU >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i + k) & 0x3f);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return overlong || surrogate || code > 0x10ffff ? 0 : length;
}

std::size_t first_invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    if (length == 0) return i;
    i += length;
  }
  return text.size();
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.substr(0, kMark.size()) == kMark ? text.substr(kMark.size()) : text;
}

std::string printable(std::string_view text, std::size_t longest) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string line;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = utf8_length(text, i);
    if (byte < 0x20 || byte == 0x7f || length == 0) {
      line += "\\x";
      line += kHex[byte >> 4];
      line += kHex[byte & 15];
      ++i;
    } else {
      line += text.substr(i, length);
      i += length;
    }
  }
  if (line.size() <= longest) return line;
  // A cut never falls inside a UTF-8 character.
  const auto continues = [&line](std::size_t i) {
    return (static_cast<unsigned char>(line[i]) & 0xc0) == 0x80;
  };
  std::size_t head = longest / 2;
  while (head > 0 && continues(head)) --head;
  std::size_t tail = line.size() - longest / 2;
  while (tail < line.size() && continues(tail)) ++tail;
  return line.substr(0, head) + "..." + line.substr(tail);
}

std::string in_quotes(std::string_view text) { return "'" + printable(text) + "'"; }

std::string any_of(const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i != 0) list += i + 1 == names.size() ? " or " : ", ";
    list += names[i];
  }
  return list;
}

std::vector<std::string> nearest_names(std::string_view text, const std::vector<std::string>& names,
                                       std::size_t most) {
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& name : names) {
    const std::size_t d = distance(text, name);
    if (d < text.size() / 3 + 2 && d < name.size()) near.emplace_back(d, name);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (near.size() > most) near.resize(most);
  std::vector<std::string> found;
  for (auto& [d, name] : near) found.push_back(std::move(name));
  return found;
}

std::string nearest(std::string_view text, const std::vector<std::string>& names) {
  const std::vector<std::string> found = nearest_names(text, names, 1);
  return found.empty() ? "" : found.front();
}

std::string did_you_mean(std::string_view text, const std::vector<std::string>& names) {
  const std::string meant = nearest(text, names);
  return meant.empty() ? "" : "did you mean " + in_quotes(meant) + "?";
}

}  // namespace axelram::files
