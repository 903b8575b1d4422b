#pragma once

#include "axelram/files/config.hpp"
#include "axelram/files/result.hpp"
#include "axelram/sim/rtl_model.hpp"

namespace axelram::sim {

/// States that a token has a copy, and appends it from its place in the RTL's memory. Tokens come
/// in ascending order.
void append_stored_copy(const files::Config& config, RtlModel& model, unsigned place,
                        std::size_t token, files::Result* result);

}  // namespace axelram::sim
