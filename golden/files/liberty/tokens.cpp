#include "tokens.hpp"

#include <utility>

#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"

namespace axelram::files {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

bool is_liberty_mark(char c) {
  return c == '{' || c == '}' || c == '(' || c == ')' || c == ':' || c == ';' || c == ',';
}

}  // namespace

LibertyToken LibertyTokens::take() {
  LibertyToken token = std::move(token_);
  advance();
  return token;
}

void LibertyTokens::stop(int line, const std::string& what) const { fail_at(origin_, line, what); }

void LibertyTokens::advance() {
  token_ = {};
  skip_blanks();
  token_.line = line_;
  if (done()) return;
  const char c = at();
  if (c == '"') {
    read_text();
  } else if (is_liberty_mark(c)) {
    token_.kind = LibertyToken::Kind::mark;
    token_.value = c;
    ++place_;
  } else {
    read_word();
  }
}

/// True behind a backslash at the end of a line.
bool LibertyTokens::skip_continuation() {
  std::size_t ahead = 1;
  while (at(ahead) == ' ' || at(ahead) == '\t' || at(ahead) == '\r') ++ahead;
  if (at(ahead) != '\n') return false;
  place_ += ahead + 1;
  ++line_;
  return true;
}

void LibertyTokens::skip_comment() {
  if (at(1) == '/') {
    while (!done() && at() != '\n') ++place_;
    return;
  }
  const int begin = line_;
  for (place_ += 2; !done(); ++place_) {
    if (at() == '*' && at(1) == '/') {
      place_ += 2;
      return;
    }
    if (at() == '\n') ++line_;
  }
  stop(begin, "a comment that does not end; close it with */");
}

void LibertyTokens::skip_blanks() {
  while (!done()) {
    const char c = at();
    if (c == '\n') {
      ++line_;
      token_.on_new_line = true;
      ++place_;
    } else if (is_blank(c)) {
      ++place_;
    } else if (c == '/' && (at(1) == '/' || at(1) == '*')) {
      skip_comment();
    } else if (c != '\\' || !skip_continuation()) {
      return;
    }
  }
}

void LibertyTokens::read_text() {
  token_.kind = LibertyToken::Kind::text;
  for (++place_; !done(); ++place_) {
    const char c = at();
    if (c == '"') {
      ++place_;
      return;
    }
    if (c == '\\' && skip_continuation()) {
      --place_;  // the loop goes on behind it
      continue;
    }
    if (c == '\n')
      stop(token_.line, "a text without its closing '\"' on this line; a backslash continues it");
    if (c == '\\' && at(1) == '"') ++place_;
    token_.value += at();
  }
  stop(token_.line, "a text without its closing '\"'; close it");
}

void LibertyTokens::read_word() {
  token_.kind = LibertyToken::Kind::word;
  bool in_brackets = false;
  for (; !done(); ++place_) {
    const char c = at();
    if (is_blank(c) || c == '"' || c == '\\') break;
    if (!in_brackets && is_liberty_mark(c)) break;
    if (c == '/' && at(1) == '*') break;
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      stop(line_, "control character " + in_quotes({&c, 1}) + "; a Liberty file is plain text");
    if (c == '[') in_brackets = true;
    if (c == ']') in_brackets = false;
    token_.value += c;
  }
  if (token_.value.empty()) stop(line_, "a backslash within a line; it can only end one");
}

}  // namespace axelram::files
