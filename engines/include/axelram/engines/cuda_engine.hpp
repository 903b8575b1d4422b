#pragma once

#include "axelram/engines/engine.hpp"

namespace axelram::engines {

/// The row of the engine cuda, for provide(). Defined in axelram_engines_cuda, which is linked with
/// a backend: axelram::kernels, or axelram::kernels_emulated in tests.
Engine cuda_engine();

}  // namespace axelram::engines
