#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "field.hpp"

namespace axelram::tokens {

/// The `normalizer` of a tokenizer.json: normal form C, and SentencePiece's way to write spaces.
class Normalizer {
 public:
  /// Throws files::InputError for fields that are invalid or not supported.
  explicit Normalizer(const Field& field);

  bool changes() const { return !steps_.empty(); }

  /// Throws files::InputError for a text that is too long. `text` is UTF-8 and not empty.
  std::string operator()(std::string_view text) const;

  /// A piece with spaces as they were.
  std::string with_spaces(std::string piece) const;

 private:
  enum class Kind { nfc, prepend, replace_spaces };

  struct Step {
    Kind kind;
    std::string text;  ///< that is prepended, or stands for a space
  };

  void read(const Field& field);

  std::vector<Step> steps_;
};

}  // namespace axelram::tokens
