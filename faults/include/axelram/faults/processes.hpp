#pragma once

#include <memory>

#include "axelram/faults/distributor.hpp"

namespace axelram::faults {

/// The processes of a campaign: those that mpirun started if this library was built with MPI
/// (AXELRAM_WITH_MPI), otherwise this one alone. MPI lives from the constructor to the destructor,
/// so a program makes one object, once.
class Processes {
 public:
  Processes();
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  /// True for the process that prints and writes (rank 0).
  bool first() const { return rank_ == 0; }
  int count() const { return count_; }
  /// Each process runs its share of the trials on `threads` threads and receives all results.
  std::unique_ptr<Distributor> distributor(std::size_t threads) const;

 private:
  int rank_ = 0, count_ = 1;
};

}  // namespace axelram::faults
