#include "../kernels/small_doctest.hpp"

#include <cstdlib>
#include <stdexcept>

// What stands in for doctest must fail where doctest does: every case but "holds" is to fail.
namespace {

[[noreturn]] int throws() { throw std::runtime_error("what it says"); }

}  // namespace

TEST_CASE("holds") {
  const std::vector<int> same = {1, 2};
  CAPTURE(same.size());
  CHECK(same == std::vector<int>{1, 2});
  CHECK(same.size() == 2);
  CHECK_FALSE(same.empty());
  REQUIRE(1.0 == doctest::Approx(1.0 + 1e-9));
  CHECK(std::string("a text") == doctest::Contains("tex"));
  CHECK_THROWS_AS(throws(), std::runtime_error);
  CHECK_THROWS_WITH(throws(), "what it says");
  CHECK_THROWS_WITH_AS(throws(), doctest::Contains("says"), std::exception);
  CHECK_NOTHROW(static_cast<void>(same.at(1)));
}
TEST_CASE("fails: unequal") { CHECK(1 == 2); }
TEST_CASE("fails: not false") { CHECK_FALSE(true); }
TEST_CASE("fails: approximately") { CHECK(1.0 == doctest::Approx(1.01)); }
TEST_CASE("fails: contains") { CHECK(std::string("a text") == doctest::Contains("test")); }
TEST_CASE("fails: throws nothing") { CHECK_THROWS_AS(static_cast<void>(0), std::exception); }
TEST_CASE("fails: throws another") { CHECK_THROWS_AS(throws(), std::logic_error); }
TEST_CASE("fails: says another") { CHECK_THROWS_WITH(throws(), "what it"); }
TEST_CASE("fails: throws") { CHECK_NOTHROW(throws()); }
TEST_CASE("fails: an exception leaves") { throws(); }
TEST_CASE("fails: and goes no further") {
  REQUIRE(1 == 2);
  std::exit(3);
}

int main() {
  const auto run = [](std::string filter) {
    std::string name = "program";
    char* arguments[] = {name.data(), filter.data()};
    return test::run_cases(2, arguments);
  };
  if (run("--test-case=holds") != 0 || run("--test-case-exclude=FAILS*") != 0) return 1;
  int failed = 0;
  for (const test::Case& c : test::cases().all)
    if (std::string(c.name) != "holds") failed += run(std::string("--test-case=") + c.name);
  return failed == 10 && run("--test-case=fails: t?rows,none") == 1 ? 0 : 1;
}
