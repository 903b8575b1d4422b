#pragma once

#include <cstddef>
#include <ostream>
#include <string>

#include "check.hpp"

namespace test {

/// Counts what differs and keeps the first of it, where so many values are compared that a check
/// for each takes too long, or where a planted fault must make them differ.
///
///   Tally wrong;
///   COMPARE(wrong, got[t], expected[t], t);   // got == expected, at t
///   CHECK(wrong == 0);                        // 3, first t = 17, got[t]: 5 != 7 == 0
class Tally {
 public:
  template <class A, class B, class Where>
  void compare(const A& a, const B& b, const Where& where) {
    if (equal(a, b)) return;
    if (count_++ == 0) first_ = ", first " + where() + ": " + difference(a, b);
  }

  std::size_t count() const { return count_; }
  bool operator==(std::size_t count) const { return count_ == count; }
  auto operator<=>(std::size_t count) const { return count_ <=> count; }
  friend std::ostream& operator<<(std::ostream& out, const Tally& tally) {
    return out << tally.count_ << tally.first_;
  }

 private:
  std::size_t count_ = 0;
  std::string first_;
};

}  // namespace test

#define COMPARE(tally, a, b, ...) \
  (tally).compare(a, b, [&] { return ::test::named(#__VA_ARGS__, __VA_ARGS__) + ", " #a; })
