#pragma once

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

/// Runs a twin with a rounding and denormal mode of the caller, the value of MXCSR.
template <typename Twin>
void run_in_mode(unsigned mode, Twin twin) {
#ifdef __SSE2__
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(mode);
  twin();
  _mm_setcsr(saved);
#else
  static_cast<void>(mode);
  twin();
#endif
}
