#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "text.hpp"

/// Where two values differ. Nothing is written if they are equal.
namespace test {

template <class A, class B>
std::string difference(const A& a, const B& b);

template <class A, class B>
bool equal(const A& a, const B& b) {
  if constexpr (requires { bool(a == b); }) {
    return bool(a == b);
  } else if constexpr (Range<A> && Range<B>) {
    return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return equal(x, y); });
  } else {
    static_assert(Struct<A> || Tuple<A>, "these values cannot be compared");
    return difference(a, b).empty();
  }
}

template <class A, class B>
std::string leaf_difference(const A& a, const B& b) {
  return written_inside(a) + " != " + written_inside(b);
}

/// Part of a text around a place, in quotes; other bytes than letters and signs in hexadecimal.
inline std::string excerpt(std::string_view text, std::size_t at) {
  constexpr std::size_t kBefore = 20, kLength = 60;
  const std::size_t begin = at - std::min(at, kBefore);
  std::string part = begin == 0 ? "\"" : "...\"";
  for (const char c : text.substr(std::min(begin, text.size()), kLength))
    if (c == '\n')
      part += "\\n";
    else if (c >= ' ' && c <= '~')
      part += c;
    else
      part += "\\x" + digits(static_cast<unsigned char>(c) + 0, 16);
  return part + (text.size() > begin + kLength ? "\"..." : "\"");
}

inline std::string text_difference(std::string_view a, std::string_view b) {
  const auto at = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  const auto line = 1 + std::ranges::count(a.substr(0, at), '\n');
  return "first [" + digits(at) + "] in line " + digits(line) + ", lengths " + digits(a.size()) +
         " and " + digits(b.size()) + ": " + excerpt(a, at) + " != " + excerpt(b, at);
}

template <class A, class B>
std::string range_difference(const A& a, const B& b) {
  using ElementA = std::ranges::range_value_t<A>;
  using ElementB = std::ranges::range_value_t<B>;
  const auto size_a = std::ranges::distance(a), size_b = std::ranges::distance(b);
  std::size_t index = 0, count = 0;
  std::string first;
  auto i = std::ranges::begin(a);
  auto j = std::ranges::begin(b);
  for (; i != std::ranges::end(a) && j != std::ranges::end(b); ++i, ++j, ++index) {
    const ElementA& x = *i;
    const ElementB& y = *j;
    if (equal(x, y)) continue;
    if (count++ == 0) first = "[" + digits(index) + "]: " + difference(x, y);
  }
  std::string text;
  if (size_a != size_b) {
    text = "lengths " + digits(size_a) + " != " + digits(size_b) + "; ";
    if (count == 0)
      return text + "[" + digits(index) + "]: " +
             (size_a < size_b ? "none != " + written_inside(static_cast<const ElementB&>(*j))
                              : written_inside(static_cast<const ElementA&>(*i)) + " != none");
  }
  if (count != 0) text += digits(count) + " of " + digits(index) + " differ, first " + first;
  return text;
}

/// All elements that differ, with their names.
template <class A, class B>
std::string tuple_difference(const A& a, const B& b, std::string_view names) {
  std::string text;
  const auto add = [&](std::size_t index, const auto& x, const auto& y) {
    if (equal(x, y)) return;
    text += text.empty() ? "." : "; .";
    text += names.empty() ? digits(index) : std::string(name_at(names, index));
    text += ": " + difference(x, y);
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (add(I, std::get<I>(a), std::get<I>(b)), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<A>>());
  return text;
}

/// Of values that are not equal.
template <class A, class B>
std::string difference(const A& a, const B& b) {
  if constexpr (Text<A> && Text<B>) {
    const std::string_view x = a, y = b;
    return std::max(x.size(), y.size()) > 60 ? text_difference(x, y) : leaf_difference(x, y);
  } else if constexpr (Optional<A> && Optional<B>) {
    return a.has_value() && b.has_value() ? difference(*a, *b) : leaf_difference(a, b);
  } else if constexpr (Range<A> && Range<B>) {
    return range_difference(a, b);
  } else if constexpr (Struct<A> && std::same_as<A, B>) {
    return tuple_difference(Fields<A>::of(a), Fields<B>::of(b), Fields<A>::names);
  } else if constexpr (Tuple<A> && Tuple<B>) {
    return tuple_difference(a, b, "");
  } else {
    return leaf_difference(a, b);
  }
}

/// What CHECK_SAME checks: true if two values are equal.
class Same {
 public:
  Same() = default;
  template <class A, class B>
  Same(const A& a, const B& b) : same_(equal(a, b)) {
    if (same_) return;
    difference_ = difference(a, b);
    if constexpr (Range<A> && Range<B>) {  // few enough to be read
      if (std::max(std::ranges::distance(a), std::ranges::distance(b)) > kElements) return;
      const std::string all = "; " + written(a) + " != " + written(b);
      if (all.size() <= 160) difference_ += all;
    }
  }

  explicit operator bool() const { return same_; }

  friend std::ostream& operator<<(std::ostream& out, const Same& same) {
    return out << (same.same_ ? "the same" : same.difference_);
  }

 private:
  bool same_ = true;
  std::string difference_;
};

/// A real that equals another one if it has the same bits: -0 differs from 0, and a NaN equals
/// itself.
template <std::floating_point T>
struct Bitwise {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

  explicit Bitwise(T real) : value(real), bits(std::bit_cast<Bits>(real)) {}
  bool operator==(const Bitwise& other) const { return bits == other.bits; }
  friend std::ostream& operator<<(std::ostream& out, const Bitwise& real) {
    return out << written(real.value) << " (0x" << digits(real.bits, 16) << ")";
  }

  T value;
  Bits bits;
};

/// Whether reals have the same bits.
template <class A, class B>
Same same_bits(const A& a, const B& b) {
  const std::span x(a), y(b);
  if (x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size_bytes()) == 0))
    return {};
  using Real = Bitwise<typename A::value_type>;
  return {std::vector<Real>(x.begin(), x.end()), std::vector<Real>(y.begin(), y.end())};
}

}  // namespace test
