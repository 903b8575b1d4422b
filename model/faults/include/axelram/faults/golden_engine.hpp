#pragma once

#include "axelram/faults/engine.hpp"
#include "axelram/files/config.hpp"
#include "axelram/files/trace.hpp"

namespace axelram::faults {

/// The golden macro as a fault engine. `config` and `trace` must outlive the engines.
EngineFactory golden_engines(const files::Config& config, const files::Trace& trace);

}  // namespace axelram::faults
