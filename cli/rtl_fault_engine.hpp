#pragma once

#include <functional>
#include <string>

#include "axelram/faults/engine.hpp"
#include "axelram/files/config.hpp"
#include "axelram/files/trace.hpp"

namespace axelram::cli {

/// Engines that send the trace's keys through the Verilated macro of `config` with another code,
/// faults through its injection port. A model is built once a code; `progress` hears of it. Throws
/// files::InputError for code "none", which has no injection port.
faults::EngineFactory rtl_engines(const files::Config& config, const files::Trace& trace,
                                  std::function<void(const std::string&)> progress);

}  // namespace axelram::cli
