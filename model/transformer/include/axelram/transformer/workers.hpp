#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace axelram::transformer {

/// Thread pool: one task at a time, its pieces shared by all threads.
class Workers {
 public:
  /// count >= 1: number of threads that work, including the caller's; fewer if the system gives no
  /// more.
  explicit Workers(std::size_t count);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  std::size_t count() const { return threads_.size() + 1; }

  /// Calls task(worker, index) once for every index below `pieces`, worker below count(), and
  /// returns when all are done. The first exception is rethrown here; no further piece begins.
  void run(std::size_t pieces, const std::function<void(std::size_t, std::size_t)>& task);

 private:
  void serve(std::size_t worker);
  void work(std::size_t worker, std::unique_lock<std::mutex>* lock);

  std::mutex mutex_;
  std::condition_variable start_, done_;
  const std::function<void(std::size_t, std::size_t)>* task_ = nullptr;
  std::size_t pieces_ = 0, next_ = 0, busy_ = 0;
  bool ending_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace axelram::transformer
