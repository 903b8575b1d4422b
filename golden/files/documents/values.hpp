#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sections.hpp"

namespace axelram::files {

// Readers of one value. They throw InputError: "ORIGIN:LINE: KEY is VALUE; what would be right".

[[noreturn]] void reject(const DocumentValue& value, const std::string& origin,
                         const std::string& what);
/// A whole number: decimal digits, a minus sign before them, no leading zeros. `example` is the
/// number that a message shows.
int integer_of(const DocumentValue& value, const std::string& origin, int example, int low,
               int high);
/// A decimal number, such as 0.125 or 1e-3: the nearest double, which is finite and above 0.
double positive_of(const DocumentValue& value, const std::string& origin, double example);
std::uint64_t unsigned_of(const DocumentValue& value, const std::string& origin,
                          std::uint64_t example);
/// Throws if the value is not `true`.
void check_flag(const DocumentValue& value, const std::string& origin);
/// A non-empty text.
std::string file_of(const DocumentValue& value, const std::string& origin);
[[noreturn]] void reject_choice(const DocumentValue& value, const std::string& origin,
                                const std::vector<std::string>& names);

// Texts.

/// A YAML text in quotation marks, which may hold any character.
std::string quoted(const std::string& text);
/// "a, b".
std::string joined(const std::vector<std::string>& names);

/// The shortest decimal that parses to the same double.
std::string shortest(double value);

}  // namespace axelram::files
