#pragma once

#include "axelram/files/config.hpp"
#include "axelram/files/trace.hpp"
#include "lines/section.hpp"

namespace axelram::report {

void add_gaussian_accuracy(const files::Config& config, Lines* lines);
void add_trace_accuracy(const files::Config& config, const files::Trace& trace, Lines* lines);

}  // namespace axelram::report
