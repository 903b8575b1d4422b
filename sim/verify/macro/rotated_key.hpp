#pragma once

#include <cstdint>
#include <vector>

#include "axelram/files/config.hpp"

namespace axelram::sim {

/// Rotated elements y of a finite key, of each of its sub-vectors. roots: N of each, or null.
std::vector<std::vector<std::int32_t>> rotated_key(const files::Config& config,
                                                   const std::uint16_t* key,
                                                   std::vector<std::uint32_t>* roots);

}  // namespace axelram::sim
