#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "axelram/run/script.hpp"

namespace axelram::sim {

/// For each row of the trace that a script has appended, the row itself if a group would read its
/// token from a copy behind the last step (bit-contract.md#exact). `refused`: of each step, 1 if it
/// was rejected.
std::vector<std::optional<std::size_t>> copied_rows(const files::Config& config,
                                                    const run::AttentionScript& script,
                                                    const std::vector<std::uint8_t>& refused);

}  // namespace axelram::sim
