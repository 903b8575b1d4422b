#include "axelram/transformer/workers.hpp"

namespace axelram::transformer {

Workers::Workers(std::size_t count) {
  try {
    for (std::size_t worker = 1; worker < count; ++worker)
      threads_.emplace_back([this, worker] { serve(worker); });
  } catch (const std::exception&) {  // no more threads or memory: those that did start work
  }
}

Workers::~Workers() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  start_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::work(std::size_t worker, std::unique_lock<std::mutex>* lock) {
  ++busy_;
  while (next_ < pieces_) {
    const std::size_t index = next_++;
    const auto& task = *task_;
    lock->unlock();
    std::exception_ptr failure;
    try {
      task(worker, index);
    } catch (...) {
      failure = std::current_exception();
    }
    lock->lock();
    if (!failure) continue;
    if (!failure_) failure_ = failure;
    next_ = pieces_;
  }
  --busy_;
}

void Workers::serve(std::size_t worker) {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    start_.wait(lock, [this] { return ending_ || next_ < pieces_; });
    if (ending_) return;
    work(worker, &lock);
    if (busy_ == 0) done_.notify_one();
  }
}

void Workers::run(std::size_t pieces, const std::function<void(std::size_t, std::size_t)>& task) {
  std::unique_lock<std::mutex> lock(mutex_);
  task_ = &task;
  pieces_ = pieces;
  next_ = 0;
  failure_ = nullptr;
  if (pieces > 1) start_.notify_all();
  work(0, &lock);
  done_.wait(lock, [this] { return busy_ == 0; });
  task_ = nullptr;
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace axelram::transformer
