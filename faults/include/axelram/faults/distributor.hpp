#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "axelram/faults/trial.hpp"

namespace axelram::faults {

/// Runs one trial on worker 0 .. workers - 1 of a distributor.
using TrialTask = std::function<TrialResult(std::uint64_t trial, std::size_t worker)>;

/// Distributes trials over threads or processes. The faults of a trial depend only on its number,
/// and results are in the order of the trials, so every distributor gives the same campaign.
class Distributor {
 public:
  virtual ~Distributor() = default;
  virtual std::size_t workers() const = 0;
  /// Results of trials first .. first + count - 1. Rethrows an exception of a task.
  virtual std::vector<TrialResult> run(std::uint64_t first, std::uint64_t count,
                                       const TrialTask& task) = 0;
};

class ThreadDistributor : public Distributor {
 public:
  explicit ThreadDistributor(std::size_t threads) : threads_(threads) {}
  std::size_t workers() const override { return threads_; }
  std::vector<TrialResult> run(std::uint64_t first, std::uint64_t count,
                               const TrialTask& task) override;
  /// Threads that run for `count` trials.
  std::size_t threads(std::uint64_t count) const {
    return static_cast<std::size_t>(std::min<std::uint64_t>(threads_, count));
  }

 private:
  std::size_t threads_;
};

}  // namespace axelram::faults
