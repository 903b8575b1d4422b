#pragma once

#include <cstddef>
#include <string>

#include "axelram/files/config.hpp"
#include "axelram/files/result.hpp"
#include "axelram/files/trace.hpp"

namespace axelram::cli {

struct CudaRun {
  files::Result result;  ///< the same bytes as sim::run_golden
  std::string device;    ///< its name
};

/// Runs a trace (checked by read_trace) through the CUDA kernels. All records lie on the device;
/// rows on their way there and back share about `scratch_bytes`. Throws files::EnvironmentError
/// where this program has no kernels, there is no device, or it has too little memory.
CudaRun run_cuda(const files::Config& config, const files::Trace& trace,
                 std::size_t scratch_bytes = std::size_t{256} << 20);

}  // namespace axelram::cli
