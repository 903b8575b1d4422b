#pragma once

#include "axelram/files/config.hpp"
#include "axelram/report/operators.hpp"
#include "lines/section.hpp"

namespace axelram::report {

/// Gates and flip-flops of the units that quantizer, scale and exact tokens decide on, if the RTL
/// is elaborated; takes up to minutes.
void add_gates(const files::Config& config, const Elaboration* elaboration, Lines* lines);

}  // namespace axelram::report
