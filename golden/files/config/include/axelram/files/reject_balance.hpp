#pragma once

#include <string>

#include "axelram/files/config.hpp"

namespace axelram::files {

/// Throws InputError if the configuration has exponents (bit-contract.md#exponents), which `what`
/// ("the hardware") does not apply.
void reject_balance(const Config& config, const std::string& what);

}  // namespace axelram::files
