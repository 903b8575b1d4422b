#include "axelram/files/liberty.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"
#include "tokens.hpp"

namespace axelram::files {
namespace {

/// A statement of a group is an attribute or a group.
class LibertyParser {
 public:
  LibertyParser(std::string_view text, const std::string& origin) : tokens_(text, origin) {}

  LibertyGroup library() {
    const LibertyToken& first = tokens_.next();
    if (first.kind != LibertyToken::Kind::word || first.value != "library")
      tokens_.stop(first.line, "no library; a Liberty file begins with library(NAME) {");
    LibertyGroup root;
    statement(&root, 0);
    if (root.groups.empty())
      tokens_.stop(first.line, "a library without a body; write library(NAME) { ... }");
    skip_semicolons();
    if (tokens_.next().kind != LibertyToken::Kind::end)
      tokens_.stop(tokens_.next().line, in_quotes(tokens_.next().value) +
                                            " behind the library; a Liberty file has one library");
    return std::move(root.groups.front());
  }

 private:
  void skip_semicolons() {
    while (tokens_.next().is(';')) tokens_.take();
  }

  void count(int line) {
    if (++items_ > kMaxLibertyItems)
      tokens_.stop(line, "more than " + std::to_string(kMaxLibertyItems) +
                             " attributes, groups and arguments; keep the cells that are used");
  }

  void statement(LibertyGroup* group, int depth) {
    const LibertyToken name = tokens_.take();
    count(name.line);
    if (!name.is_value())
      tokens_.stop(name.line, in_quotes(name.value) +
                                  " where an attribute or a group begins; write NAME : VALUE; or "
                                  "NAME(...) { ... }");
    if (tokens_.next().is(':'))
      group->attributes.push_back(simple(name));
    else if (tokens_.next().is('('))
      with_arguments(name, group, depth);
    else
      tokens_.stop(name.line, in_quotes(name.value) + " without a value; write NAME : VALUE;");
  }

  LibertyAttribute simple(const LibertyToken& name) {
    tokens_.take();
    std::string value;
    bool found = false;
    while (!tokens_.next().is(';') && !tokens_.next().is('}') &&
           tokens_.next().kind != LibertyToken::Kind::end &&
           !(found && tokens_.next().on_new_line)) {
      const LibertyToken part = tokens_.take();
      if (part.is('{'))
        tokens_.stop(part.line,
                     "'{' in the value of " + in_quotes(name.value) + "; end the value with ';'");
      if (found) value += ' ';
      value += part.value;
      found = true;
    }
    if (!found)
      tokens_.stop(name.line, in_quotes(name.value) + " has no value; give it one or leave it out");
    if (tokens_.next().is(';')) tokens_.take();
    return {name.value, {value}, name.line};
  }

  void with_arguments(const LibertyToken& name, LibertyGroup* group, int depth) {
    if (name.value == "include_file")
      tokens_.stop(name.line, "include_file is not followed; put its text in place of the line");
    std::vector<std::string> arguments = this->arguments(name);
    if (!tokens_.next().is('{')) {
      group->attributes.push_back({name.value, std::move(arguments), name.line});
      return;
    }
    if (depth >= kMaxLibertyDepth)
      tokens_.stop(name.line, "groups are nested deeper than " + std::to_string(kMaxLibertyDepth) +
                                  "; a library has about six levels");
    tokens_.take();
    LibertyGroup inner;
    inner.kind = name.value;
    inner.arguments = std::move(arguments);
    inner.line = name.line;
    for (skip_semicolons(); !tokens_.next().is('}'); skip_semicolons()) {
      if (tokens_.next().kind == LibertyToken::Kind::end)
        tokens_.stop(name.line, in_quotes(name.value) + " is not closed; add its '}'");
      statement(&inner, depth + 1);
    }
    tokens_.take();
    group->groups.push_back(std::move(inner));
  }

  std::vector<std::string> arguments(const LibertyToken& name) {
    tokens_.take();
    std::vector<std::string> list;
    bool join = false;  // behind a colon, as in pin(a:b)
    while (!tokens_.next().is(')')) {
      const LibertyToken part = tokens_.take();
      if (part.kind == LibertyToken::Kind::end || part.is('{') || part.is('}') || part.is('(') ||
          part.is(';'))
        tokens_.stop(name.line,
                     "the '(' behind " + in_quotes(name.value) + " is not closed; add its ')'");
      if (part.is(',')) continue;
      count(part.line);
      if ((part.is(':') || join) && !list.empty())
        list.back() += part.value;
      else
        list.push_back(part.value);
      join = part.is(':');
    }
    tokens_.take();
    return list;
  }

  LibertyTokens tokens_;
  std::size_t items_ = 0;
};

/// A finite decimal number. `attribute` has it.
double number_of_text(std::string_view text, const LibertyAttribute& attribute,
                      const std::string& origin) {
  const char* begin = text.data();
  const char* const end = begin + text.size();
  if (begin != end && *begin == '+') ++begin;
  double number = 0;
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (begin == end || error != std::errc() || stop != end || !std::isfinite(number))
    fail_at(origin, attribute.line,
            printable(attribute.name) + " has " + in_quotes(text) + "; it must be a number");
  return number;
}

}  // namespace

const LibertyAttribute* LibertyGroup::find(std::string_view name) const {
  const auto found =
      std::find_if(attributes.begin(), attributes.end(),
                   [name](const LibertyAttribute& attribute) { return attribute.name == name; });
  return found == attributes.end() ? nullptr : &*found;
}

std::string LibertyGroup::text(std::string_view name) const {
  const LibertyAttribute* const attribute = find(name);
  return attribute == nullptr || attribute->values.empty() ? "" : attribute->values.front();
}

const LibertyGroup* LibertyGroup::group(std::string_view of_kind, std::string_view argument) const {
  for (const LibertyGroup& inner : groups)
    if (inner.kind == of_kind &&
        (argument.empty() || std::find(inner.arguments.begin(), inner.arguments.end(), argument) !=
                                 inner.arguments.end()))
      return &inner;
  return nullptr;
}

LibertyGroup parse_liberty(std::string_view text, const std::string& origin) {
  return LibertyParser(without_byte_order_mark(text), origin).library();
}

double liberty_number(const LibertyAttribute& attribute, const std::string& origin) {
  const bool empty = attribute.values.empty();
  return number_of_text(empty ? "" : attribute.values.front(), attribute, origin);
}

std::vector<double> liberty_numbers(const LibertyAttribute& attribute, const std::string& origin) {
  std::vector<double> numbers;
  for (const std::string& value : attribute.values) {
    std::size_t at = 0;
    while ((at = value.find_first_not_of(", \t\r\n", at)) != std::string::npos) {
      const std::size_t end = std::min(value.find_first_of(", \t\r\n", at), value.size());
      numbers.push_back(
          number_of_text(std::string_view(value).substr(at, end - at), attribute, origin));
      at = end;
    }
  }
  return numbers;
}

}  // namespace axelram::files
