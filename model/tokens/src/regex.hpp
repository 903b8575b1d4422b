#pragma once

#include <unicode/regex.h>
#include <unicode/unistr.h>

#include <memory>
#include <string>

#include "field.hpp"

namespace axelram::tokens {

/// Hugging Face's tokenizers run their patterns on Oniguruma (Ruby syntax, Unicode); this is the
/// same pattern for ICU, whose \s and \w hold other characters. Throws files::InputError, naming
/// `field`, for what the two read differently and no rewriting helps.
std::string icu_pattern(const std::string& pattern, const Field& field);

/// Compiles what `field` holds: as the text itself where `literal`.
std::shared_ptr<const icu::RegexPattern> compile(const std::string& pattern, bool literal,
                                                 const Field& field);

}  // namespace axelram::tokens
