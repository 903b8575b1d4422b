#include "axelram/engines/engine.hpp"

#include "cuda.hpp"

namespace axelram::engines {
namespace {

constexpr const char* kName = "--engine cuda";

faults::EngineFactory faults_checked(const FaultsRequest& request) {
  files::require_one_part(request.config.parameters, kName);
  return cuda_faults(request);
}

}  // namespace

Engine cuda_engine() {
  return {EngineKind::cuda,
          [](const RunRequest& request) { return run_cuda(request.config, request.trace); },
          faults_checked, PerplexityJob{check_cuda_caches, cuda_model},
          [](const EncodeRequest& request) { return encode_cuda(request); }};
}

}  // namespace axelram::engines
