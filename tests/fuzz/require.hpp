#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

/// Ends the process where a property does not hold, as a fuzzer expects of its target.
inline void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what.c_str());
  std::abort();
}
