#include "axelram/files/lef.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"

namespace axelram::files {
namespace {

/// A word of a LEF file; `first`: it begins a line or follows a semicolon.
struct LefWord {
  std::string_view text;  ///< empty at the end of the file
  int line = 1;
  bool first = false;
};

class LefWords {
 public:
  explicit LefWords(std::string_view text) : text_(text) {}

  LefWord take() {
    bool first = place_ == 0 || after_semicolon_;
    while (place_ < text_.size()) {
      const char c = text_[place_];
      if (c == '\n') {
        ++line_;
        first = true;
      } else if (c == '#') {
        place_ = std::min(text_.find('\n', place_), text_.size());
        continue;
      } else if (c != ' ' && c != '\t' && c != '\r' && c != '\f' && c != '\v') {
        break;
      }
      ++place_;
    }
    const std::size_t begin = place_;
    const int line = line_;
    if (begin < text_.size() && text_[begin] == '"') {
      const std::size_t close = text_.find('"', begin + 1);
      place_ = close == std::string_view::npos ? text_.size() : close + 1;
      for (std::size_t i = begin; i < place_; ++i)
        if (text_[i] == '\n') ++line_;
    } else {
      place_ = std::min(text_.find_first_of(" \t\r\n\f\v\"", begin), text_.size());
    }
    const std::string_view word = text_.substr(begin, place_ - begin);
    after_semicolon_ = word.size() == 1 && word[0] == ';';
    return {word, line, first};
  }

 private:
  std::string_view text_;
  std::size_t place_ = 0;
  int line_ = 1;
  bool after_semicolon_ = false;
};

double lef_length(const LefWord& word, const std::string& origin) {
  double number = 0;
  const char* const end = word.text.data() + word.text.size();
  const auto [stop, error] = std::from_chars(word.text.data(), end, number);
  if (word.text.empty() || error != std::errc() || stop != end || !std::isfinite(number) ||
      number < 0)
    fail_at(origin, word.line,
            "SIZE has " + in_quotes(word.text) + "; write SIZE WIDTH BY HEIGHT ; in micrometres");
  return number;
}

}  // namespace

std::vector<LefMacro> parse_lef(std::string_view text, const std::string& origin) {
  std::vector<LefMacro> macros;
  std::set<std::string_view> names;
  LefWords words(without_byte_order_mark(text));
  bool in_macro = false, sized = false;
  for (LefWord word = words.take(), next; !word.text.empty(); word = next) {
    next = words.take();
    if (!word.first) continue;
    if (word.text == "PROPERTYDEFINITIONS" && !in_macro) {
      while (!next.text.empty() && !(next.first && next.text == "END")) next = words.take();
    } else if (word.text == "MACRO" && !in_macro) {
      const LefWord name = next;
      const bool known = !names.insert(name.text).second;
      if (name.text.empty() || known)
        fail_at(origin, word.line,
                "MACRO " + in_quotes(name.text) +
                    (known ? " repeats; keep one" : "; a macro needs a name"));
      macros.push_back({std::string(name.text), 0, 0, word.line});
      in_macro = true;
      sized = false;
    } else if (word.text == "SIZE" && in_macro) {  // a SITE has one, too
      if (sized)
        fail_at(origin, word.line,
                "a second SIZE of MACRO " + in_quotes(macros.back().name) + "; keep one");
      macros.back().width = lef_length(next, origin);
      if (const LefWord by = words.take(); by.text != "BY")
        fail_at(origin, by.line,
                in_quotes(by.text) + " in a SIZE; write SIZE WIDTH BY HEIGHT ; in micrometres");
      macros.back().height = lef_length(words.take(), origin);
      sized = true;
    } else if (word.text == "END" && in_macro) {
      if (next.text == macros.back().name) in_macro = false;
    }
  }
  if (in_macro)
    fail_at(origin, macros.back().line,
            "MACRO " + in_quotes(macros.back().name) + " does not end; add END and its name");
  if (macros.empty()) fail_at(origin, 1, "no MACRO; a LEF file of an SRAM has MACRO NAME ... END");
  return macros;
}

}  // namespace axelram::files
