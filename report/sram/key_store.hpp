#pragma once

#include <cstdint>

#include "axelram/files/config.hpp"
#include "lines/section.hpp"

namespace axelram::report {

/// Area, energy and time of the SRAM, from the source that section `sram` names.
void add_key_store(const files::Config& config, Lines* lines);
/// Returns how many reads of the SRAM a query on `keys` keys takes.
std::uint64_t reads_of_query(const files::Config& config, std::uint64_t keys);

}  // namespace axelram::report
