#include "axelram/engines/engine.hpp"

#include "cuda.hpp"

namespace axelram::engines {

Engine cuda_engine() {
  return {EngineKind::cuda,
          [](const RunRequest& request) { return run_cuda(request.config, request.trace); },
          cuda_faults, PerplexityJob{check_cuda_caches, cuda_model},
          [](const EncodeRequest& request) { return encode_cuda(request); }};
}

}  // namespace axelram::engines
