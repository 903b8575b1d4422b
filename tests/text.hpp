#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "axelram/names.hpp"

/// Values as text, for the messages of tests. A type without a text does not compile.
namespace test {

/// Names of the fields of a struct; see FIELDS.
template <class T>
struct Fields;

// clang-format off
template <class T> concept Text = std::convertible_to<const T&, std::string_view>;
template <class T> concept Range =
    std::ranges::input_range<const T> && !Text<T> &&
    !std::same_as<T, std::ranges::range_value_t<T>>;  // a path consists of paths
template <class T> concept Struct = requires { Fields<T>::names; };
template <class T> concept Tuple =
    requires { std::tuple_size<T>::value; } && !Range<T>;
template <class T> concept Optional = requires(const T& x) { x.has_value(); *x; };
template <class T> concept Says =
    requires(const T& x) { { x.text() } -> std::convertible_to<std::string>; };
template <class T> concept NamedEnum = requires { axelram::EnumNames<T>::rows; };
template <class T> concept Streamed = requires(std::ostream& out, const T& x) { out << x; };
// clang-format on

/// All fields of a struct in their order, at global scope: FIELDS(axelram::Word, data, check);
/// A list of another length does not compile.
#define FIELDS(Type, ...)                                   \
  template <>                                               \
  struct test::Fields<Type> {                               \
    static constexpr std::string_view names = #__VA_ARGS__; \
    static auto of(const Type& value) {                     \
      const auto& [__VA_ARGS__] = value;                    \
      return std::tie(__VA_ARGS__);                         \
    }                                                       \
  }

/// "b" of "a, b(c, d), e": an element of a list of expressions as the preprocessor writes it.
inline std::string_view name_at(std::string_view list, std::size_t index) {
  std::size_t begin = 0;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    if (c == '"' && (i == 0 || list[i - 1] != '\\')) quoted = !quoted;
    if (quoted) continue;
    depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    if (c != ',' || depth != 0) continue;
    if (index-- == 0) return list.substr(begin, i - begin);
    begin = list.find_first_not_of(' ', i + 1);
  }
  return list.substr(begin);
}

/// Of a raw FP16; for text alone, so that it shares nothing with what is tested.
inline float value_of_half(std::uint16_t raw) {
  const int exponent = raw >> 10 & 31, fraction = raw & 1023;
  const float magnitude = exponent == 31 ? (fraction == 0 ? HUGE_VALF : std::nanf(""))
                          : exponent == 0
                              ? std::ldexp(static_cast<float>(fraction), -24)
                              : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  return (raw & 0x8000) != 0 ? -magnitude : magnitude;
}

template <class T>
std::string digits(T value, int base = 10) {
  std::array<char, 40> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, base).ptr;
  return {buffer.data(), end};
}

/// The shortest text that no other value of the type has, but for NaNs.
inline std::string written_real(std::floating_point auto value) {
  std::array<char, 64> buffer;
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

__extension__ using Wide = __int128;

inline std::string written_wide(Wide value) {
  std::string text;
  const bool negative = value < 0;
  for (; value != 0; value /= 10)
    text.insert(text.begin(), static_cast<char>('0' + (negative ? -(value % 10) : value % 10)));
  return text.empty() ? "0" : (negative ? "-" : "") + text;
}

template <class T>
std::string written(const T& value);

/// A text stands in quotes inside of what contains it.
template <class T>
std::string written_inside(const T& value) {
  if constexpr (Text<T>) return '"' + written(value) + '"';
  return written(value);
}

/// The first elements of a range.
constexpr std::ptrdiff_t kElements = 16;

template <Range T>
std::string written_range(const T& range) {
  std::string text = "[";
  std::ptrdiff_t index = 0;
  for (const auto& element : range) {
    if (index == kElements)
      return text + ", ... " + digits(std::ranges::distance(range)) + " elements]";
    text += (index++ == 0 ? "" : ", ") +
            written_inside(static_cast<const std::ranges::range_value_t<T>&>(element));
  }
  return text + "]";
}

template <Tuple T>
std::string written_tuple(const T& tuple) {
  std::string text;
  std::apply(
      [&](const auto&... element) {
        ((text += (text.empty() ? "" : ", ") + written_inside(element)), ...);
      },
      tuple);
  return "{" + text + "}";
}

/// The fields of a struct that are not those of T{}, with their names.
template <Struct T>
std::string written_struct(const T& value) {
  const T standard{};
  const auto fields = Fields<T>::of(value), standards = Fields<T>::of(standard);
  std::string text;
  const auto add = [&](std::size_t index, const auto& field, const auto& first) {
    const std::string now = written_inside(field);
    if (now == written_inside(first)) return;
    text.append(text.empty() ? "" : ", ").append(name_at(Fields<T>::names, index));
    text.append(" ").append(now);
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (add(I, std::get<I>(fields), std::get<I>(standards)), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(fields)>>());
  return "{" + text + "}";
}

template <class T>
std::string written(const T& value) {
  if constexpr (std::same_as<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (NamedEnum<T>) {
    for (const auto& row : axelram::EnumNames<T>::rows)
      if (row.value == value) return std::string(row.name);
    return written(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_enum_v<T>) {
    return written(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::same_as<T, std::uint16_t>) {  // mostly a raw FP16
    return digits(value) + " (0x" + digits(value, 16) + ", FP16 " +
           written_real(value_of_half(value)) + ")";
  } else if constexpr (std::same_as<T, char>) {
    return value >= ' ' && value <= '~' ? std::string{'\'', value, '\''} : digits(value + 0);
  } else if constexpr (std::integral<T> && sizeof(T) <= 8) {
    return digits(value + T{});  // promoted: a byte is a number
  } else if constexpr (std::same_as<T, Wide>) {
    return written_wide(value);
  } else if constexpr (std::floating_point<T>) {
    return written_real(value);
  } else if constexpr (std::same_as<T, std::nullptr_t>) {
    return "nullptr";
  } else if constexpr (std::same_as<T, std::nullopt_t>) {
    return "none";
  } else if constexpr (std::is_pointer_v<T>) {
    if (value == nullptr) return "nullptr";
    if constexpr (Text<T>)
      return value;
    else
      return "0x" + digits(reinterpret_cast<std::uintptr_t>(value), 16);
  } else if constexpr (Text<T>) {
    return std::string(std::string_view(value));
  } else if constexpr (Struct<T>) {
    return written_struct(value);
  } else if constexpr (Says<T>) {
    return value.text();
  } else if constexpr (Optional<T>) {
    return value.has_value() ? written(*value) : "none";
  } else if constexpr (Range<T>) {
    return written_range(value);
  } else if constexpr (Tuple<T>) {
    return written_tuple(value);
  } else if constexpr (requires { std::variant_size<T>::value; }) {
    return std::visit([](const auto& x) { return written_inside(x); }, value);
  } else if constexpr (std::same_as<T, std::monostate>) {
    return "none";
  } else if constexpr (requires { value.is_lock_free(); }) {
    return written(value.load());
  } else if constexpr (Streamed<T>) {
    std::ostringstream stream;
    stream << value;
    return stream.str();
  } else if constexpr (std::input_or_output_iterator<T>) {
    return "an iterator";
  } else if constexpr (std::constructible_from<bool, const T&>) {
    return bool(value) ? "true" : "false";
  } else {
    static_assert(Struct<T>,
                  "no text for this type: list its fields with FIELDS of tests/text.hpp");
    return {};
  }
}

/// "d = 64, b = 3" of the expressions "d, b" and their values. An expression that is a text says
/// what it is itself.
template <class... T>
std::string named(std::string_view names, const T&... values) {
  std::string text;
  std::size_t index = 0;
  const auto add = [&](const auto& value) {
    const std::string_view name = name_at(names, index);
    text += index++ == 0 ? "" : ", ";
    if (!name.starts_with('"')) text.append(name).append(" = ");
    text += written(value);
  };
  (add(values), ...);
  return text;
}

}  // namespace test
