#include "axelram/faults/distributor.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace axelram::faults {

std::vector<TrialResult> ThreadDistributor::run(std::uint64_t first, std::uint64_t count,
                                                const TrialTask& task) {
  std::vector<TrialResult> results(count);
  std::atomic<std::uint64_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&](std::size_t worker) {
    try {
      for (std::uint64_t i = next++; i < count; i = next++) results[i] = task(first + i, worker);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      failure = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> started;
  try {
    for (std::size_t worker = 1; worker < threads(count); ++worker)
      started.emplace_back(work, worker);
  } catch (const std::system_error&) {  // the threads that did start run all trials
  }
  work(0);
  for (std::thread& thread : started) thread.join();
  if (failure) std::rethrow_exception(failure);
  return results;
}

}  // namespace axelram::faults
