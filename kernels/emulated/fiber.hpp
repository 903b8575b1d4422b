#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace axelram::kernels::emulated {

/// A function with its own stack that can be suspended. makecontext starts it; from then
/// on jumps switch without a system call. Every switch is announced to the address sanitizer.
class Fiber {
 public:
  explicit Fiber(std::function<void()> body);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Called from outside: runs it until it suspends or ends. The body must not throw.
  void resume();
  /// Called from inside.
  void suspend();
  bool ended() const { return ended_; }
  /// Makes an ended or abandoned fiber begin again, on the same stack.
  void restart();

 private:
  static void enter(unsigned low, unsigned high);
  void run();

  std::function<void()> body_;
  std::unique_ptr<unsigned char[]> stack_;
  ucontext_t inside_context_;
  void *inside_[5], *outside_[5];  ///< of jumps
  bool started_ = false, ended_ = false;
  void* fake_stack_ = nullptr;
  const void* outside_stack_ = nullptr;
  std::size_t outside_stack_size_ = 0;
};

}  // namespace axelram::kernels::emulated
