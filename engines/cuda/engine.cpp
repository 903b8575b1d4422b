#include "axelram/engines/engine.hpp"

#include "cuda.hpp"

namespace axelram::engines {
namespace {

constexpr const char* kName = "--engine cuda";

RunOutcome run_checked(const RunRequest& request) {
  files::require_one_part(request.config.parameters, kName);
  return run_cuda(request.config, request.trace);
}

faults::EngineFactory faults_checked(const FaultsRequest& request) {
  files::require_one_part(request.config.parameters, kName);
  return cuda_faults(request);
}

}  // namespace

Engine cuda_engine() {
  return {EngineKind::cuda, run_checked, faults_checked,
          PerplexityJob{check_cuda_caches, cuda_model},
          [](const EncodeRequest& request) { return encode_cuda(request); }};
}

}  // namespace axelram::engines
