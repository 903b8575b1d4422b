#pragma once

#include <memory>
#include <string>
#include <vector>

#include "axelram/caches/specification.hpp"
#include "axelram/checkpoints/checkpoint.hpp"
#include "axelram/perplexity/evaluate.hpp"

namespace axelram::cli {

/// Throws files::EnvironmentError where this program has no kernels or there is no device,
/// files::InputError for a cache that no kernel reads.
void check_cuda(const std::vector<caches::Specification>& specifications);

struct CudaPredictor {
  std::unique_ptr<perplexity::Predictor> predictor;
  std::string device_name;
};

/// The model and its caches on the device, the baseline first, with room for these windows. The
/// checkpoint must outlive it. Throws as check_cuda, and files::EnvironmentError for too little
/// memory and for what a device meets later.
CudaPredictor cuda_predictor(const checkpoints::Checkpoint& checkpoint,
                             const std::vector<caches::Specification>& specifications,
                             const std::vector<perplexity::Window>& windows);

}  // namespace axelram::cli
