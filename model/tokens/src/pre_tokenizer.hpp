#pragma once

#include <unicode/regex.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "field.hpp"

namespace axelram::tokens {

/// The `pre_tokenizer` of a tokenizer.json: splits a text into the pieces that BPE encodes.
class PreTokenizer {
 public:
  /// Ends with ByteLevel if `byte_level`; otherwise has no ByteLevel and may be null.
  /// Throws files::InputError for fields that are invalid or not supported.
  PreTokenizer(const Field& field, bool byte_level);

  /// Calls `use` with each piece in order. `text` is UTF-8 and not empty; `first`: it begins where
  /// the whole text begins, not behind an added token.
  void cut(std::string_view text, bool first,
           const std::function<void(std::string_view)>& use) const;

  /// A piece of the vocabulary with spaces as they were.
  std::string with_spaces(const std::string& piece) const;

 private:
  /// Treatment of the matches of a pattern: Hugging Face's SplitDelimiterBehavior.
  enum class Behavior { isolated, removed, merged_with_previous, merged_with_next, contiguous };

  /// Where a space comes before a text that does not begin with one.
  enum class Prefix { never, first, always };

  struct Split {
    std::shared_ptr<const icu::RegexPattern> pattern;
    Behavior behavior = Behavior::isolated;
    bool invert = false;  ///< swaps matches and the text between them
  };

  /// UTF-16 units begin .. end - 1.
  struct Range {
    std::int32_t begin, end;
    bool match;
  };

  void read_stage(const Field& field, bool first, bool last);
  void read_split(const Field& field);
  void read_metaspace(const Field& field);
  static Behavior behavior_of(const Field& field);
  static std::vector<Range> merged(const std::vector<Range>& ranges, Behavior behavior);
  static void apply(const Split& split, icu::RegexMatcher& matcher, const char16_t* text,
                    Range piece, std::vector<Range>& result);

  const bool byte_level_;

  // These come before all splits.
  std::string space_ = " ";  ///< what is written for a space
  Prefix prefix_ = Prefix::never;

  std::vector<Split> splits_;
};

}  // namespace axelram::tokens
