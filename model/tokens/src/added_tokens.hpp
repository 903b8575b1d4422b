#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace axelram::tokens {

struct AddedToken {
  std::string content;
  std::int32_t id = 0;
  bool single_word = false;  ///< only with no word character beside it
  bool lstrip = false;       ///< takes the white space before it along
  bool rstrip = false;       ///< and behind it
  bool normalized = false;   ///< looked for in the normalized text
};

/// Finds added tokens in a text before anything else cuts it. At the first place where any stands,
/// the longest counts.
class AddedTokens {
 public:
  void add(AddedToken token);

  /// Hands on, in order, what lies between tokens (never empty) and tokens' ids. `text` is UTF-8.
  void split(std::string_view text, const std::function<void(std::string_view)>& between,
             const std::function<void(std::int32_t)>& found) const;

 private:
  const AddedToken* at(std::string_view rest) const;

  std::array<std::vector<AddedToken>, 256> by_first_;  ///< byte of the content; longest first
};

}  // namespace axelram::tokens
