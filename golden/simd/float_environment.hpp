#pragma once

#ifdef AXELRAM_X86
#include <xmmintrin.h>
#endif

namespace axelram {

/// For its lifetime: round to nearest even, no flushing of denormals, no traps. Callers may run
/// with other modes (numeric libraries flush denormals); results do not depend on them. Only x86
/// sets the environment; other CPUs are assumed to have the default.
class DefaultFloatEnvironment {
 public:
#ifdef AXELRAM_X86
  DefaultFloatEnvironment() : saved_(_mm_getcsr()) {
    if ((saved_ & ~kStickyFlags) != kDefault) _mm_setcsr(kDefault);
  }
  ~DefaultFloatEnvironment() {
    if ((saved_ & ~kStickyFlags) != kDefault) _mm_setcsr(saved_);
  }
#else
  DefaultFloatEnvironment() {}
  ~DefaultFloatEnvironment() {}
#endif
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

#ifdef AXELRAM_X86
 private:
  static constexpr unsigned kStickyFlags = 0x3F;
  static constexpr unsigned kDefault = 0x1F80;  // all exceptions masked
  unsigned saved_;
#endif
};

}  // namespace axelram
