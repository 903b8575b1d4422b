#include "axelram/faults/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace axelram::faults {

void in_parallel(std::size_t threads, std::uint64_t count,
                 const std::function<void(std::uint64_t i, std::size_t worker)>& task) {
  std::atomic<std::uint64_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&](std::size_t worker) {
    try {
      for (std::uint64_t i = next++; i < count; i = next++) task(i, worker);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      failure = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> started;
  try {
    for (std::size_t worker = 1; worker < std::min<std::uint64_t>(threads, count); ++worker)
      started.emplace_back(work, worker);
  } catch (const std::system_error&) {  // the threads that did start run all tasks
  }
  work(0);
  for (std::thread& thread : started) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace axelram::faults
