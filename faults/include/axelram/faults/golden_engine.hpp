#pragma once

#include "axelram/faults/engine.hpp"
#include "axelram/files/config.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/unit_table.hpp"

namespace axelram::faults {

/// A golden macro of these units as a fault engine. `config` and `trace` must outlive the engines.
EngineFactory golden_engines(const files::Config& config, const files::Trace& trace,
                             const UnitTable& units = reference_units());

}  // namespace axelram::faults
