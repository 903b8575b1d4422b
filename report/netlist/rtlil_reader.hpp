#pragma once

#include <functional>
#include <istream>

#include "netlist/rtlil.hpp"

namespace axelram::report::rtlil {

/// Calls `module` for each module of a text in RTLIL, which holds no more than one of them at a
/// time. Throws files::EnvironmentError if a line is not that of a netlist without processes.
void read(std::istream& text, const std::function<void(const Module&)>& module);

}  // namespace axelram::report::rtlil
