#pragma once

#include <unicode/regex.h>
#include <unicode/unistr.h>

#include <memory>
#include <string>

#include "field.hpp"

namespace axelram::tokens {

/// Hugging Face's tokenizers run their patterns on Oniguruma (Ruby syntax, Unicode); this is the
/// same pattern for ICU, whose \s and \w hold other characters. Throws files::InputError, naming
/// `field`, for syntax that ICU reads differently and that cannot be rewritten.
std::string icu_pattern(const std::string& pattern, const Field& field);

/// Compiles the pattern in `field`; if `literal`, a pattern that matches the text itself.
std::shared_ptr<const icu::RegexPattern> compile(const std::string& pattern, bool literal,
                                                 const Field& field);

}  // namespace axelram::tokens
