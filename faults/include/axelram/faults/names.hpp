#pragma once

#include <optional>
#include <string>
#include <vector>

#include "axelram/faults/fault_model.hpp"
#include "axelram/interpolate.hpp"

namespace axelram::faults {

/// Texts of the command line and of dumped cases; none: the text is no such thing.
std::optional<double> parse_number(const std::string& text);
std::optional<ErasurePolicy> parse_policy(const std::string& text);
/// "1:0.7,2:0.3": widths 1..32, each once, with weights above 0 and up to 1e9.
std::optional<std::vector<Width>> parse_widths(const std::string& text);
std::optional<ModelKind> parse_kind(const std::string& text);

std::string widths_text(const std::vector<Width>& widths);
const char* policy_name(ErasurePolicy policy);
/// Enough digits to give the same number back.
std::string number_text(double value);

std::vector<std::string> split(const std::string& text, char separator);

}  // namespace axelram::faults
