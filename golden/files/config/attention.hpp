#pragma once

#include <string>
#include <vector>

#include "table.hpp"

namespace axelram::files {

/// Rows of the sections `attention` and `store` (bit-contract.md#attention-parameters).
std::vector<ConfigKey> attention_keys();

/// Rejects a quantizer that does not attend, and sizes beyond the
/// widths of the contract. Throws InputError with the line.
void check_attention(const Document& document, const std::string& origin, const Config& config);

}  // namespace axelram::files
