#include "axelram/faults/processes.hpp"

#ifdef AXELRAM_MPI
#include <mpi.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#endif

namespace axelram::faults {

#ifdef AXELRAM_MPI
namespace {

/// True if a launcher started this process. Initialising MPI otherwise would cost time and
/// messages.
bool launched() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

class MpiDistributor : public Distributor {
 public:
  MpiDistributor(int rank, int count, std::size_t threads)
      : rank_(static_cast<std::uint64_t>(rank)),
        count_(static_cast<std::uint64_t>(count)),
        threads_(threads) {}

  std::size_t workers() const override { return threads_.workers(); }

  std::vector<TrialResult> run(std::uint64_t first, std::uint64_t count,
                               const TrialTask& task) override {
    const std::uint64_t begin = count * rank_ / count_, end = count * (rank_ + 1) / count_;
    std::vector<TrialResult> own;
    try {
      own = threads_.run(first + begin, end - begin, task);
    } catch (const std::exception& error) {  // the other ranks wait for this share
      std::cerr << "axelram: rank " << rank_ << ": " << error.what() << "\n";
      MPI_Abort(MPI_COMM_WORLD, 3);
    }
    return gather(own, count);
  }

 private:
  std::vector<TrialResult> gather(const std::vector<TrialResult>& own, std::uint64_t count) const {
    constexpr std::size_t size = sizeof(TrialResult);
    std::vector<int> sizes, places;
    for (std::uint64_t rank = 0; rank < count_; ++rank) {
      const std::uint64_t begin = count * rank / count_, end = count * (rank + 1) / count_;
      sizes.push_back(static_cast<int>((end - begin) * size));
      places.push_back(static_cast<int>(begin * size));
    }
    std::vector<TrialResult> all(count);
    MPI_Allgatherv(own.data(), static_cast<int>(own.size() * size), MPI_BYTE, all.data(),
                   sizes.data(), places.data(), MPI_BYTE, MPI_COMM_WORLD);
    return all;
  }

  std::uint64_t rank_, count_;
  ThreadDistributor threads_;
};

}  // namespace

Processes::Processes() {
  if (!launched()) return;
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &count_);
}

Processes::~Processes() {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized != 0) MPI_Finalize();
}

void Processes::together(const std::function<void()>& work) const {
  if (count_ == 1) return work();
  std::exception_ptr failure;
  try {
    work();
  } catch (...) {
    failure = std::current_exception();
  }
  const int own = failure ? rank_ : count_;
  int lowest = count_;
  MPI_Allreduce(&own, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (lowest == rank_) std::rethrow_exception(failure);
  if (lowest != count_) throw OtherProcessFailed("rank " + std::to_string(lowest) + " failed");
}

std::unique_ptr<Distributor> Processes::distributor(std::size_t threads) const {
  if (count_ == 1) return std::make_unique<ThreadDistributor>(threads);
  return std::make_unique<MpiDistributor>(rank_, count_, threads);
}
#else
Processes::Processes() = default;
Processes::~Processes() = default;

void Processes::together(const std::function<void()>& work) const { work(); }

std::unique_ptr<Distributor> Processes::distributor(std::size_t threads) const {
  return std::make_unique<ThreadDistributor>(threads);
}
#endif

}  // namespace axelram::faults
