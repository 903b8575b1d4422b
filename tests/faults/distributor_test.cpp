#include "axelram/faults/distributor.hpp"

#include <pthread.h>

#include <stdexcept>

#include "check.hpp"

namespace {

using namespace axelram::faults;

// Trials times keys may be more than 2^32.
static_assert(sizeof(Histogram::value_type) == 8);

TrialResult numbered(std::uint64_t trial, std::size_t worker) {
  TrialResult result;
  result.injected = trial;
  result.words[0] = worker;
  return result;
}

TEST_CASE("results come in the order of the trials, from no more threads than trials") {
  for (const std::size_t threads : {1, 2, 5, 100'000}) {
    CASE(threads);
    const std::vector<TrialResult> results = ThreadDistributor(threads).run(10, 3, numbered);
    REQUIRE(results.size() == 3);
    for (std::uint64_t i = 0; i < 3; ++i) {
      CASE(i);
      CHECK(results[i].injected == 10 + i);
      CHECK(results[i].words[0] < 3);
    }
  }
  CHECK(ThreadDistributor(4).run(0, 0, numbered).empty());
  CHECK(ThreadDistributor(100'000).threads(3) == 3);
  CHECK(ThreadDistributor(2).threads(std::uint64_t{1} << 40) == 2);
  CHECK_THROWS_AS(ThreadDistributor(3).run(0, 9,
                                           [](std::uint64_t trial, std::size_t) -> TrialResult {
                                             if (trial == 4) throw std::runtime_error("trial");
                                             return {};
                                           }),
                  std::runtime_error);
}

TEST_CASE("threads that cannot start leave the work to the others") {
  // Stacks as large as the address space: no thread can have one.
  pthread_attr_t before, large;
  REQUIRE(pthread_getattr_default_np(&before) == 0);
  pthread_attr_init(&large);
  REQUIRE(pthread_attr_setstacksize(&large, std::size_t{1} << 47) == 0);
  REQUIRE(pthread_setattr_default_np(&large) == 0);
  const std::vector<TrialResult> results = ThreadDistributor(4).run(0, 20, numbered);
  pthread_setattr_default_np(&before);
  pthread_attr_destroy(&before);
  pthread_attr_destroy(&large);
  REQUIRE(results.size() == 20);
  for (std::uint64_t i = 0; i < 20; ++i) CHECK_AT(i, results[i].injected == i);
}

}  // namespace
