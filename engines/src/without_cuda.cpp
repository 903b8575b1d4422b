#include "rows.hpp"

namespace axelram::engines {

/// The row of a program without kernels. One that has them links engines/cuda, whose row the linker
/// finds first.
Engine cuda_engine() {
  const Unavailable why{
      "this axelram was built without CUDA; use another engine, or build it with a CUDA toolkit",
      true};
  return {EngineKind::cuda, why, why, why};
}

}  // namespace axelram::engines
