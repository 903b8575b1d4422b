#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace axelram::files {

/// A word, a quoted text, one of { } ( ) : ; , or the end.
struct LibertyToken {
  enum class Kind { word, text, mark, end };
  Kind kind = Kind::end;
  std::string value;
  int line = 1;
  bool on_new_line = false;  ///< a line that no backslash continues ended in front of it

  bool is(char mark) const { return kind == Kind::mark && value[0] == mark; }
  bool is_value() const { return kind == Kind::word || kind == Kind::text; }
};

/// Splits a Liberty file into tokens. Comments are left out. A range in brackets, such as [31:0],
/// belongs to its word.
class LibertyTokens {
 public:
  LibertyTokens(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {
    advance();
  }

  const LibertyToken& next() const { return token_; }
  /// Returns the token and goes to the one behind it. Throws InputError with the line.
  LibertyToken take();

  [[noreturn]] void stop(int line, const std::string& what) const;

 private:
  char at(std::size_t ahead = 0) const {
    return place_ + ahead < text_.size() ? text_[place_ + ahead] : '\0';
  }
  bool done() const { return place_ >= text_.size(); }
  void advance();
  void skip_blanks();
  bool skip_continuation();
  void skip_comment();
  void read_text();
  void read_word();

  std::string_view text_;
  const std::string& origin_;
  std::size_t place_ = 0;
  int line_ = 1;
  LibertyToken token_;
};

}  // namespace axelram::files
