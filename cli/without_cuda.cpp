#include "axelram/files/errors.hpp"
#include "cuda_fault_engine.hpp"
#include "cuda_run.hpp"

namespace axelram::cli {

CudaRun run_cuda(const files::Config&, const files::Trace&, std::size_t) {
  throw files::EnvironmentError(
      "--engine cuda: this axelram was built without CUDA; use --engine golden or --engine rtl, or "
      "build it where there is a CUDA toolkit");
}

faults::EngineFactory cuda_engines(const files::Config&, const files::Trace&) {
  throw files::EnvironmentError(
      "--engine cuda: this axelram was built without CUDA; use --engine golden or --engine rtl, or "
      "build it where there is a CUDA toolkit");
}

}  // namespace axelram::cli
