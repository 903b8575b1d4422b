#include "axelram/files/errors.hpp"
#include "cuda_fault_engine.hpp"
#include "cuda_predictor.hpp"
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

void check_cuda(const std::vector<caches::Specification>&) {
  throw files::EnvironmentError(
      "--device cuda: this axelram was built without CUDA; use --device cpu, or build it where "
      "there "
      "is a CUDA toolkit");
}

CudaPredictor cuda_predictor(const checkpoints::Checkpoint&,
                             const std::vector<caches::Specification>& specifications,
                             const std::vector<perplexity::Window>&) {
  check_cuda(specifications);
  return {};
}

}  // namespace axelram::cli
