#include "axelram/faults/parallel.hpp"

#include <atomic>
#include <stdexcept>
#include <vector>

#include "axelram/faults/processes.hpp"
#include "check.hpp"

using namespace axelram::faults;

namespace {

TEST_CASE("in parallel: each task once, on a worker that exists") {
  for (const std::size_t threads : {1U, 3U, 50U})
    for (const std::uint64_t count : {0U, 1U, 20U}) {
      CASE(threads, count);
      std::vector<std::atomic<int>> runs(count);
      std::atomic<bool> known{true};
      in_parallel(threads, count, [&](std::uint64_t i, std::size_t worker) {
        ++runs[i];
        if (worker >= threads) known = false;
      });
      for (const std::atomic<int>& one : runs) {
        CASE(one);
        CHECK_SAME(one, 1);
      }
      CHECK(known);
    }
}

TEST_CASE("in parallel: an exception ends the work") {
  std::atomic<int> ran{0};
  const auto task = [&](std::uint64_t i, std::size_t) {
    ++ran;
    if (i == 3) throw std::runtime_error("task 3");
  };
  CHECK_THROWS_WITH(in_parallel(2, 1'000'000, task), "task 3");
  CHECK(ran < 1'000'000);
}

TEST_CASE("processes: one alone does its work and passes its error on") {
  const Processes processes;
  CHECK(processes.first());
  int ran = 0;
  processes.together([&] { ++ran; });
  CHECK(ran == 1);
  CHECK_THROWS_WITH(processes.together([] { throw std::runtime_error("mine"); }), "mine");
}

}  // namespace
