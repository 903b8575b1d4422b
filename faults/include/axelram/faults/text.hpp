#pragma once

#include <optional>
#include <string>
#include <vector>

#include "axelram/faults/fault_model.hpp"

namespace axelram::faults {

/// Numbers and lists as options and dumped cases contain them. Parsers return no value for a text
/// that is malformed.
std::vector<std::string> split(const std::string& text, char separator);
/// A finite number without surrounding spaces.
std::optional<double> parse_number(const std::string& text);
/// The shortest text that parse_number() reads as the same number.
std::string number_text(double value);

/// "1:0.7,2:0.3": widths 1..32, each at most once, with weights above 0 and up to 1e9.
std::optional<std::vector<Width>> parse_widths(const std::string& text);
std::string widths_text(const std::vector<Width>& widths);

}  // namespace axelram::faults
