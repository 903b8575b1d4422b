#pragma once

#include <string>

#include "same.hpp"
#include "text.hpp"

/// doctest with values as text.hpp writes them. Tests include this header, never doctest.h.
///
///   CHECK_SAME(a, b)     in place of CHECK(a == b) for ranges and structs, for which the latter
///                        does not compile: says where they differ. Texts may be compared so too.
///   CASE(level, d, b)    in each loop around checks: every check that fails in its scope says
///                        "level = avx2, d = 64, b = 3". Evaluated only then.
///   CHECK_AT(i, a == b)  in place of both, where a check stands alone in its loop; so REQUIRE_AT.
namespace doctest {
class String;
}

namespace test {
template <class T>
doctest::String checked_text(const T& value);
}

#define DOCTEST_STRINGIFY(...) ::test::checked_text(__VA_ARGS__)
#include <doctest/doctest.h>

namespace test {

/// Of an operand of a check.
template <class T>
doctest::String checked_text(const T& value) {
  static_assert(!Range<T> && !Struct<T>, "CHECK_SAME(a, b) says where ranges and structs differ");
  if constexpr (std::same_as<T, doctest::Approx> || std::same_as<T, doctest::Contains>) {
    return doctest::toString(value);
  } else if constexpr (std::same_as<T, doctest::String>) {
    return value;
  } else {
    const std::string text = written(value);
    return {text.data(), static_cast<doctest::String::size_type>(text.size())};
  }
}

}  // namespace test

#define CHECK_SAME(...) CHECK(::test::Same(__VA_ARGS__))
#define REQUIRE_SAME(...) REQUIRE(::test::Same(__VA_ARGS__))
#define CHECK_DIFFERENT(...) CHECK_FALSE(::test::Same(__VA_ARGS__))
#define REQUIRE_DIFFERENT(...) REQUIRE_FALSE(::test::Same(__VA_ARGS__))
#define CASE(...) INFO(::test::named(#__VA_ARGS__, __VA_ARGS__))
#define CHECK_AT(index, ...) \
  do {                       \
    CASE(index);             \
    CHECK(__VA_ARGS__);      \
  } while (false)
#define REQUIRE_AT(index, ...) \
  do {                         \
    CASE(index);               \
    REQUIRE(__VA_ARGS__);      \
  } while (false)
