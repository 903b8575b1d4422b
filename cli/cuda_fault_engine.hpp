#pragma once

#include "axelram/faults/engine.hpp"
#include "axelram/files/config.hpp"
#include "axelram/files/trace.hpp"

namespace axelram::cli {

/// Engines that write, decode, repair and score by the CUDA kernels: what the golden engine gives,
/// bit for bit. `config` and `trace` must outlive them. Throws files::EnvironmentError where this
/// program has no kernels, there is no device, or it has too little memory.
faults::EngineFactory cuda_engines(const files::Config& config, const files::Trace& trace);

}  // namespace axelram::cli
