#include "axelram/faults/distributor.hpp"

#include "axelram/faults/parallel.hpp"

namespace axelram::faults {

std::vector<TrialResult> ThreadDistributor::run(std::uint64_t first, std::uint64_t count,
                                                const TrialTask& task) {
  std::vector<TrialResult> results(count);
  in_parallel(threads(count), count,
              [&](std::uint64_t i, std::size_t worker) { results[i] = task(first + i, worker); });
  return results;
}

}  // namespace axelram::faults
