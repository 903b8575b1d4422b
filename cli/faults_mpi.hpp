#pragma once

#include <memory>

#include "axelram/faults/distributor.hpp"

namespace axelram::cli {

/// The processes a campaign runs on: those mpirun started, where this axelram was built with MPI;
/// otherwise this one alone.
class Processes {
 public:
  Processes();
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  /// Rank 0 prints and writes.
  bool first() const { return rank_ == 0; }
  int count() const { return count_; }
  /// Every process runs its share of the trials on `threads` threads and gets all results.
  std::unique_ptr<faults::Distributor> distributor(std::size_t threads) const;

 private:
  int rank_ = 0, count_ = 1;
};

}  // namespace axelram::cli
