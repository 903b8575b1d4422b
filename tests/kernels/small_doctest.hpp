#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// The part of doctest's interface that the kernels' tests use: same macros, same exit codes, same
/// filters (--test-case=, --test-case-exclude=, comma-separated, with * and ?).
namespace test {

struct Case {
  const char* name;
  void (*body)();
};
struct Abandoned {};  ///< a REQUIRE failed

struct Cases {
  std::vector<Case> all;
  std::vector<const std::function<std::string()>*> notes;  ///< of CAPTURE and INFO, outermost first
  std::size_t assertions = 0, failed = 0;
};
inline Cases& cases() {
  static Cases all;
  return all;
}
struct Register {
  Register(const char* name, void (*body)()) { cases().all.push_back({name, body}); }
};

template <class T>
std::string shown(const T& value) {
  if constexpr (std::is_enum_v<T>)
    return std::to_string(static_cast<long long>(value));
  else if constexpr (std::is_same_v<T, char> || std::is_same_v<T, signed char> ||
                     std::is_same_v<T, unsigned char>)
    return std::to_string(+value);
  else if constexpr (requires(std::ostringstream & s) { s << value; }) {
    std::ostringstream text;
    text.precision(17);
    text << std::boolalpha << value;
    return text.str();
  } else {
    return "{?}";
  }
}

// doctest compares signed with unsigned numbers without a word.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wfloat-equal"

/// What INFO and CAPTURE say while their scope lasts.
class Note {
 public:
  explicit Note(std::function<std::string()> text) : text_(std::move(text)) {
    cases().notes.push_back(&text_);
  }
  ~Note() { cases().notes.pop_back(); }
  Note(const Note&) = delete;
  Note& operator=(const Note&) = delete;

 private:
  std::function<std::string()> text_;
};

inline bool report(bool holds, const char* file, int line, std::string_view what, bool required) {
  ++cases().assertions;
  if (holds) return true;
  ++cases().failed;
  std::cout << file << ":" << line << ": " << what << "\n";
  for (const auto* note : cases().notes) std::cout << "  " << (*note)() << "\n";
  if (required) throw Abandoned{};
  return false;
}

/// The left side of a comparison, so that a failure shows both.
template <class L>
struct Left {
  const L& left;
  const char *file, *text;
  int line;
  bool required, wanted;

  template <class R>
  bool judge(bool outcome, const char* op, const R& right) const {
    if (outcome == wanted) return report(true, file, line, "", required);
    return report(false, file, line,
                  std::string(text) + ": " + shown(left) + " " + op + " " + shown(right), required);
  }
  bool judge() const {
    return report(static_cast<bool>(left) == wanted, file, line, text, required);
  }

#define TEST_COMPARE(op)                                        \
  template <class R>                                            \
  bool operator op(const R& right) const {                      \
    return judge(static_cast<bool>(left op right), #op, right); \
  }
  TEST_COMPARE(==)
  TEST_COMPARE(!=)
  TEST_COMPARE(<)
  TEST_COMPARE(<=)
  TEST_COMPARE(>)
  TEST_COMPARE(>=)
#undef TEST_COMPARE
};
template <class L>
bool finish(const Left<L>& left) {
  return left.judge();
}
inline bool finish(bool judged) { return judged; }
#pragma GCC diagnostic pop

struct Decompose {
  const char *file, *text;
  int line;
  bool required, wanted;
  template <class L>
  Left<L> operator<<(const L& left) const {
    return {left, file, text, line, required, wanted};
  }
};

/// * any text, ? any character; letter case ignored.
inline bool matches(std::string_view pattern, std::string_view name) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*')
    return matches(pattern.substr(1), name) || (!name.empty() && matches(pattern, name.substr(1)));
  return !name.empty() && (pattern[0] == '?' || lower(pattern[0]) == lower(name[0])) &&
         matches(pattern.substr(1), name.substr(1));
}
inline bool matches_one(std::string_view patterns, std::string_view name) {
  while (!patterns.empty()) {
    const std::size_t end = std::min(patterns.find(','), patterns.size());
    if (matches(patterns.substr(0, end), name)) return true;
    patterns.remove_prefix(std::min(end + 1, patterns.size()));
  }
  return false;
}

inline bool run_case(const Case& c) {
  const std::size_t before = cases().failed;
  try {
    c.body();
  } catch (const Abandoned&) {
  } catch (const std::exception& error) {
    report(false, "an exception left the test case", 0, error.what(), false);
  }
  const bool passed = cases().failed == before;
  if (!passed) std::cout << "FAILED: " << c.name << "\n\n";
  return passed;
}

/// doctest's exit codes: 0 where every case passed.
inline int run_cases(int argc, char** argv) {
  std::string only, without;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    if (name == "--test-case" || name == "-tc")
      only = value;
    else if (name == "--test-case-exclude" || name == "-tce")
      without = value;
    else {
      std::cerr << "unknown argument " << argument
                << "; --test-case= and --test-case-exclude= are known\n";
      return 2;
    }
  }
  std::size_t run = 0, passed = 0;
  for (const Case& c : cases().all) {
    if ((!only.empty() && !matches_one(only, c.name)) || matches_one(without, c.name)) continue;
    ++run;
    passed += run_case(c) ? 1U : 0U;
  }
  std::cout << "test cases: " << run << " | " << passed << " passed | " << run - passed
            << " failed\nassertions: " << cases().assertions << " | " << cases().failed
            << " failed\n";
  return run == passed ? 0 : 1;
}

/// What a call threw, or nothing.
template <class Error, class Call>
bool throws(const Call& call, std::string* what) {
  try {
    try {
      call();
    } catch (const Error& error) {
      if constexpr (std::is_base_of_v<std::exception, Error>) *what = error.what();
      return true;
    }
  } catch (const std::exception& error) {
    *what = std::string("another exception: ") + error.what();
  }
  return false;
}

}  // namespace test

namespace doctest {

/// A number that equals others up to a relative epsilon.
class Approx {
 public:
  explicit Approx(double value) : value_(value) {}
  Approx& epsilon(double relative) {
    epsilon_ = relative;
    return *this;
  }
  friend bool operator==(double a, const Approx& b) {
    return std::fabs(a - b.value_) < b.epsilon_ * (1 + std::max(std::fabs(a), std::fabs(b.value_)));
  }
  friend std::ostream& operator<<(std::ostream& out, const Approx& a) { return out << a.value_; }

 private:
  double value_, epsilon_ = static_cast<double>(std::numeric_limits<float>::epsilon()) * 100;
};

/// A text that holds another.
class Contains {
 public:
  explicit Contains(std::string part) : part_(std::move(part)) {}
  friend bool operator==(const std::string& text, const Contains& c) {
    return text.find(c.part_) != std::string::npos;
  }
  friend std::ostream& operator<<(std::ostream& out, const Contains& c) {
    return out << "*" << c.part_ << "*";
  }

 private:
  std::string part_;
};

}  // namespace doctest

#define TEST_JOIN2(a, b) a##b
#define TEST_JOIN(a, b) TEST_JOIN2(a, b)
#define TEST_CASE_NAMED(function, name)                                           \
  static void function();                                                         \
  static const ::test::Register TEST_JOIN(function, _registered)(name, function); \
  static void function()
#define TEST_CASE(name) TEST_CASE_NAMED(TEST_JOIN(test_case_, __LINE__), name)

#define TEST_ASSERT(required, wanted, ...)                                             \
  ::test::finish(::test::Decompose{__FILE__, #__VA_ARGS__, __LINE__, required, wanted} \
                 << __VA_ARGS__)
#define CHECK(...) TEST_ASSERT(false, true, __VA_ARGS__)
#define CHECK_FALSE(...) TEST_ASSERT(false, false, __VA_ARGS__)
#define REQUIRE(...) TEST_ASSERT(true, true, __VA_ARGS__)
#define REQUIRE_FALSE(...) TEST_ASSERT(true, false, __VA_ARGS__)

#define TEST_NOTE(text) \
  const ::test::Note TEST_JOIN(test_note_, __LINE__)([&]() -> std::string { return text; })
#define CAPTURE(value) TEST_NOTE(std::string(#value) + " = " + ::test::shown(value))
#define INFO(value) TEST_NOTE(::test::shown(value))
#define MESSAGE(value) std::cout << ::test::shown(value) << "\n"
#define FAIL(value) ::test::report(false, __FILE__, __LINE__, ::test::shown(value), true)

#define TEST_THROWS(required, Error, condition, ...)                                       \
  do {                                                                                     \
    std::string test_what;                                                                 \
    const bool test_thrown =                                                               \
        ::test::throws<Error>([&] { static_cast<void>(__VA_ARGS__); }, &test_what);        \
    ::test::report(test_thrown && (condition), __FILE__, __LINE__,                         \
                   std::string("threw '") + test_what + "', not as wanted: " #__VA_ARGS__, \
                   required);                                                              \
  } while (false)
#define CHECK_THROWS_AS(expression, ...) TEST_THROWS(false, __VA_ARGS__, true, expression)
#define REQUIRE_THROWS_AS(expression, ...) TEST_THROWS(true, __VA_ARGS__, true, expression)
#define CHECK_THROWS_WITH(expression, text) \
  TEST_THROWS(false, std::exception, test_what == (text), expression)
#define CHECK_THROWS_WITH_AS(expression, text, ...) \
  TEST_THROWS(false, __VA_ARGS__, test_what == (text), expression)
#define CHECK_NOTHROW(...)                                                                   \
  do {                                                                                       \
    std::string test_what;                                                                   \
    const bool test_thrown =                                                                 \
        ::test::throws<std::exception>([&] { static_cast<void>(__VA_ARGS__); }, &test_what); \
    ::test::report(!test_thrown, __FILE__, __LINE__, "threw '" + test_what + "'", false);    \
  } while (false)
