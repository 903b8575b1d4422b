#pragma once

#include <cstddef>

#include "axelram/engines/jobs.hpp"

/// The jobs of the engine cuda. Each throws files::EnvironmentError if there is no device or it has
/// too little memory.
namespace axelram::engines {

/// The records of keys; rows on their way to the device and back take about `scratch_bytes`.
std::vector<std::uint8_t> encode_cuda(const EncodeRequest& request,
                                      std::size_t scratch_bytes = std::size_t{256} << 20);

/// Runs a trace through the CUDA kernels. All records and copies lie on the device; rows on their
/// way there and back share about `scratch_bytes`.
RunOutcome run_cuda(const files::Config& config, const files::Trace& trace,
                    std::size_t scratch_bytes = std::size_t{256} << 20);

/// Engines that write, decode, repair and score with the CUDA kernels.
faults::EngineFactory cuda_faults(const FaultsRequest& request);

/// Throws files::InputError for a cache that no kernel reads, and for one in a part of the model.
void check_cuda_caches(const std::vector<caches::Specification>& specifications);

/// The model and its caches on the device, with memory for these windows.
PerplexityModel cuda_model(const PerplexityRequest& request);

}  // namespace axelram::engines
