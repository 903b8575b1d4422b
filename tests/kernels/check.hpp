#pragma once

// doctest, or where it is not installed (a machine with a GPU and little else) as much of it as
// these tests use.
#if __has_include(<doctest/doctest.h>)

#include <doctest/doctest.h>

namespace test {
inline int run_cases(int argc, char** argv) { return doctest::Context(argc, argv).run(); }
}  // namespace test

#else

#include "small_doctest.hpp"  // IWYU pragma: export

#endif
