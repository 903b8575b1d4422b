#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "axelram/faults/trial.hpp"

namespace axelram::faults {

/// Runs one trial on one of a distributor's workers, 0 .. workers - 1.
using TrialTask = std::function<TrialResult(std::uint64_t trial, std::size_t worker)>;

/// Spreads trials over what the machine has. Trials carry their own seeds and results come back in
/// the order of the trials, so every distributor gives the same campaign.
class Distributor {
 public:
  virtual ~Distributor() = default;
  virtual std::size_t workers() const = 0;
  /// Results of trials first .. first + count - 1. An exception of a task passes through.
  virtual std::vector<TrialResult> run(std::uint64_t first, std::uint64_t count,
                                       const TrialTask& task) = 0;
};

class ThreadDistributor : public Distributor {
 public:
  explicit ThreadDistributor(std::size_t threads) : threads_(threads) {}
  std::size_t workers() const override { return threads_; }
  std::vector<TrialResult> run(std::uint64_t first, std::uint64_t count,
                               const TrialTask& task) override;
  /// That `count` trials keep busy.
  std::size_t threads(std::uint64_t count) const {
    return static_cast<std::size_t>(std::min<std::uint64_t>(threads_, count));
  }

 private:
  std::size_t threads_;
};

}  // namespace axelram::faults
