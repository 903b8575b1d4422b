#include "regex.hpp"

#include <string_view>

namespace axelram::tokens {
namespace {

/// Oniguruma's \w: its table for Latin-1 adds the superscripts and fractions.
constexpr char kWord[] = R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u00B2\u00B3\u00B9\u00BC-\u00BE)";

/// Rewrites escapes; keeps track of sets, as some signs mean something only inside or outside.
class Dialect {
 public:
  Dialect(const std::string& pattern, const Field& field) : pattern_(pattern), field_(field) {}

  std::string rewrite() {
    while (i_ < pattern_.size()) {
      const char c = pattern_[i_];
      if (c == '\\') {
        escape();
        continue;
      }
      if (c == '[') {
        // A ']' that comes first is a literal in one engine and an end in the other.
        const std::size_t first = i_ + (next(1) == '^' ? 2 : 1);
        if (first < pattern_.size() && pattern_[first] == ']') unclear("a set that begins with ]");
        ++depth_;
      } else if (c == ']') {
        if (depth_ == 0) unclear("] outside a set");
        --depth_;
      } else if (depth_ > 0 && c == '-' && next(1) == '-') {
        unclear("-- in a set");
      } else if (depth_ == 0 && c == '}' && next(1) == '+') {
        unclear("}+ after a repetition");  // possessive for ICU, repeated for Ruby
      } else if (depth_ == 0 && c == '(' && next(1) == '?') {
        group();
      }
      result_ += c;
      ++i_;
    }
    return result_;
  }

 private:
  char next(std::size_t distance) const {
    return i_ + distance < pattern_.size() ? pattern_[i_ + distance] : '\0';
  }

  [[noreturn]] void unclear(const std::string& what) const {
    field_.fail(what + " at character " + std::to_string(i_) +
                ": not supported, as regular expression engines differ on it");
  }

  void escape() {
    const char c = next(1);
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (c == 's')
      result_ += "\\p{White_Space}";
    else if (c == 'S')
      result_ += "\\P{White_Space}";
    else if (c == 'w')
      result_ += "[" + std::string(kWord) + "]";
    else if (c == 'W')
      result_ += "[^" + std::string(kWord) + "]";
    else if (!letter || std::string_view("dDpPrntfux").find(c) != std::string_view::npos)
      result_ += pattern_.substr(i_, size_of_escape(c));
    else
      unclear(std::string("\\") + c);
    i_ += size_of_escape(c);
  }

  /// With its name or number in braces, whose } ends no repetition.
  std::size_t size_of_escape(char c) const {
    const bool braces = (c == 'p' || c == 'P' || c == 'x') && next(2) == '{';
    const std::size_t end = braces ? pattern_.find('}', i_) : std::string::npos;
    return end == std::string::npos ? 2 : end + 1 - i_;
  }

  /// Ruby's (?m) is ICU's (?s), and its (?x) is of no use here: of the options only i is supported.
  void group() const {
    const char kind = next(2);
    const bool options = (kind >= 'a' && kind <= 'z') || kind == '-';
    if (options && !(kind == 'i' && next(3) == ':')) unclear("this group");
  }

  const std::string& pattern_;
  const Field& field_;
  std::string result_;
  std::size_t i_ = 0;
  int depth_ = 0;
};

}  // namespace

std::string icu_pattern(const std::string& pattern, const Field& field) {
  return Dialect(pattern, field).rewrite();
}

std::shared_ptr<const icu::RegexPattern> compile(const std::string& pattern, bool literal,
                                                 const Field& field) {
  // For Ruby ^ and $ belong to every line, and only a line feed ends one.
  const std::uint32_t flags = literal ? UREGEX_LITERAL : UREGEX_MULTILINE | UREGEX_UNIX_LINES;
  const std::string text = literal ? pattern : icu_pattern(pattern, field);
  if (text.empty()) field.reject("a pattern that is not empty was expected");
  UErrorCode status = U_ZERO_ERROR;
  UParseError place = {};
  std::shared_ptr<const icu::RegexPattern> result(
      icu::RegexPattern::compile(icu::UnicodeString::fromUTF8(text), flags, place, status));
  if (U_FAILURE(status))
    field.fail(std::string("ICU has no use for this regular expression (") + u_errorName(status) +
               "); check it, or use another tokenizer");
  return result;
}

}  // namespace axelram::tokens
