#pragma once

#include <functional>
#include <memory>
#include <stdexcept>

#include "axelram/faults/distributor.hpp"

namespace axelram::faults {

/// What `together` throws where another process failed, which reports it.
class OtherProcessFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

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
  int rank() const { return rank_; }

  /// Runs `work` in each process, and returns when it is done in all. If it threw in some, the one
  /// of the lowest rank rethrows, and all others throw OtherProcessFailed. Every process calls it.
  void together(const std::function<void()>& work) const;

  /// Each process runs its share of the trials on `threads` threads and receives all results.
  std::unique_ptr<Distributor> distributor(std::size_t threads) const;

 private:
  int rank_ = 0, count_ = 1;
};

}  // namespace axelram::faults
