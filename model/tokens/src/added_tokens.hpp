#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace axelram::tokens {

struct AddedToken {
  std::string content;
  std::int32_t id = 0;
  bool single_word = false;  ///< only with no word character beside it
  bool lstrip = false;       ///< includes the white space before it
  bool rstrip = false;       ///< includes the white space after it
  bool normalized = false;   ///< searched in the normalized text
};

/// Finds added tokens in a text before it is split otherwise. At the first position that matches,
/// the longest token is taken.
class AddedTokens {
 public:
  void add(AddedToken token);

  /// Calls back, in order, with the text between tokens (never empty) and the ids of tokens. `text`
  /// is UTF-8.
  void split(std::string_view text, const std::function<void(std::string_view)>& between,
             const std::function<void(std::int32_t)>& found) const;

 private:
  const AddedToken* at(std::string_view rest) const;

  std::vector<AddedToken> tokens_;
  /// A tree of the contents: node · 256 + byte to the next node. The root is 0.
  std::unordered_map<std::uint64_t, std::uint32_t> next_;
  std::vector<std::int32_t> ends_ = {-1};  ///< by node: the token that ends there, or -1
  std::array<bool, 256> begins_{};         ///< whether a token begins with a byte
};

}  // namespace axelram::tokens
