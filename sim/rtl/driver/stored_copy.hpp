#pragma once

#include "axelram/files/config.hpp"
#include "axelram/files/result.hpp"
#include "axelram/sim/rtl_model.hpp"

namespace axelram::sim {

/// Appends the copy in a place of the RTL's memory to a result, as that of the next token.
void append_stored_copy(const files::Config& config, RtlModel& model, unsigned place,
                        files::Result* result);

}  // namespace axelram::sim
