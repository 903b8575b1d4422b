#include <algorithm>
#include <cctype>

#include "axelram/files/cell_library.hpp"

namespace axelram::files {
namespace {

constexpr int kDeepest = 64;  // parentheses and inverters within each other
constexpr std::size_t kMostInputs = 6;

/// A recursive descent over the text with given values of the inputs. By falling precedence: ' and
/// !, ^, AND, OR (Liberty's order).
class Evaluation {
 public:
  Evaluation(const std::string& text, const std::vector<std::string>& inputs, unsigned values)
      : text_(text), inputs_(inputs), values_(values) {}

  std::optional<bool> value() {
    const bool result = sum(0);
    return good_ && peek() == '\0' ? std::optional(result) : std::nullopt;
  }

 private:
  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  static bool names(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '[' || c == ']';
  }
  bool fail() {
    good_ = false;
    at_ = text_.size();
    return false;
  }

  bool sum(int depth) {
    bool result = product(depth);
    while (take('|') || take('+')) result |= product(depth);
    return result;
  }
  bool product(int depth) {
    bool result = difference(depth);
    for (;;) {
      const char c = peek();
      const bool sign = take('&') || take('*');
      if (!sign && c != '!' && c != '(' && !names(c)) return result;
      result &= difference(depth);
    }
  }
  bool difference(int depth) {
    bool result = factor(depth);
    while (take('^')) result ^= factor(depth);
    return result;
  }
  bool factor(int depth) {
    if (depth > kDeepest) return fail();
    bool result = false;
    if (take('!')) {
      result = !factor(depth + 1);
    } else if (take('(')) {
      result = sum(depth + 1);
      if (!take(')')) return fail();
    } else {
      result = operand();
    }
    while (take('\'')) result = !result;
    return result;
  }
  bool operand() {
    std::string name;
    if (!names(peek())) return fail();
    while (at_ < text_.size() && names(text_[at_])) name += text_[at_++];
    const auto found = std::find(inputs_.begin(), inputs_.end(), name);
    if (found != inputs_.end())
      return values_ >> (inputs_.size() - 1 - static_cast<std::size_t>(found - inputs_.begin())) &
             1U;
    return name == "1" || (name != "0" && fail());
  }

  const std::string& text_;
  const std::vector<std::string>& inputs_;
  const unsigned values_;
  std::size_t at_ = 0;
  bool good_ = true;
};

}  // namespace

std::optional<std::vector<bool>> truth_table(const std::string& function,
                                             const std::vector<std::string>& inputs) {
  if (inputs.size() > kMostInputs) return {};
  std::vector<bool> table;
  for (unsigned values = 0; values < 1U << inputs.size(); ++values) {
    const std::optional<bool> value = Evaluation(function, inputs, values).value();
    if (!value) return {};
    table.push_back(*value);
  }
  return table;
}

}  // namespace axelram::files
