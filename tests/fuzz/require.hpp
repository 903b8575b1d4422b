#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

/// Aborts if a property does not hold, as a fuzzer expects from its target.
inline void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what.c_str());
  std::abort();
}
