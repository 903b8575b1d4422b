#include "emulated/fiber.hpp"

#include <cstdint>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace axelram::kernels::emulated {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t kStackBytes = 512 << 10;
#else
constexpr std::size_t kStackBytes = 128 << 10;
// NOLINTNEXTLINE(bugprone-reserved-identifier): the sanitizer's name, for builds without it
void __sanitizer_start_switch_fiber(void**, const void*, std::size_t) {}
// NOLINTNEXTLINE(bugprone-reserved-identifier)
void __sanitizer_finish_switch_fiber(void*, const void**, std::size_t*) {}
#endif

/// The C library's longjmp would have the address sanitizer look through a stack it does not know.
[[noreturn, gnu::noinline]] void jump(void** to) { __builtin_longjmp(to, 1); }

}  // namespace

Fiber::Fiber(std::function<void()> body)
    : body_(std::move(body)), stack_(new unsigned char[kStackBytes]) {}

void Fiber::restart() { started_ = ended_ = false; }

void Fiber::enter(unsigned low, unsigned high) {
  reinterpret_cast<Fiber*>(std::uintptr_t{high} << 32 | low)->run();
}

void Fiber::run() {
  __sanitizer_finish_switch_fiber(nullptr, &outside_stack_, &outside_stack_size_);
  body_();
  ended_ = true;
  suspend();
}

void Fiber::resume() {
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, stack_.get(), kStackBytes);
  if (!started_) {
    started_ = true;
    getcontext(&inside_context_);
    inside_context_.uc_stack.ss_sp = stack_.get();
    inside_context_.uc_stack.ss_size = kStackBytes;
    inside_context_.uc_link = nullptr;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&inside_context_, reinterpret_cast<void (*)()>(&Fiber::enter), 2,
                static_cast<unsigned>(self), static_cast<unsigned>(self >> 32));
    if (__builtin_setjmp(outside_) == 0) setcontext(&inside_context_);
  } else if (__builtin_setjmp(outside_) == 0) {
    jump(inside_);
  }
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
}

void Fiber::suspend() {
  __sanitizer_start_switch_fiber(ended_ ? nullptr : &fake_stack_, outside_stack_,
                                 outside_stack_size_);
  if (__builtin_setjmp(inside_) == 0) jump(outside_);
  __sanitizer_finish_switch_fiber(fake_stack_, &outside_stack_, &outside_stack_size_);
}

}  // namespace axelram::kernels::emulated
