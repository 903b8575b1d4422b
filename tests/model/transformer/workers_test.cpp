#include "axelram/transformer/workers.hpp"

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>

#include "check.hpp"

using axelram::transformer::Workers;

TEST_CASE("workers: every index once, by a worker that exists") {
  for (const std::size_t count : {1U, 2U, 3U, 8U, 17U}) {
    CASE(count);
    Workers workers(count);
    CHECK(workers.count() == count);
    for (const std::size_t pieces : {0U, 1U, 2U, 3U, 7U, 16U, 17U, 100U, 1000U}) {
      CASE(count, pieces);
      std::vector<std::atomic<int>> met(pieces);
      std::atomic<int> strangers{0};
      workers.run(pieces, [&](std::size_t worker, std::size_t index) {
        if (worker >= count || index >= pieces)
          ++strangers;
        else
          ++met[index];
      });
      REQUIRE_SAME(strangers, 0);
      for (const auto& times : met) {
        CASE(times);
        REQUIRE_SAME(times, 1);
      }
    }
  }
}

TEST_CASE("workers: what a task wrote is there when run() returns; each worker is one thread") {
  Workers workers(4);
  std::vector<std::size_t> sums(workers.count());  // plain memory: one worker, one thread at a time
  std::vector<std::size_t> values(10000);
  for (int round = 0; round < 20; ++round)
    workers.run(values.size(), [&](std::size_t worker, std::size_t index) {
      values[index] += index;
      sums[worker] += index;
    });
  std::size_t right = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    CASE(i);
    REQUIRE(values[i] == 20 * i);
    right += 20 * i;
  }
  CHECK(std::accumulate(sums.begin(), sums.end(), std::size_t{0}) == right);
}

TEST_CASE("workers: the first exception arrives, the rest is left undone, the pool works on") {
  for (const std::size_t count : {1U, 2U, 5U}) {
    CASE(count);
    Workers workers(count);
    for (int round = 0; round < 200; ++round) {
      CASE(round);
      std::atomic<std::size_t> done{0};
      std::string what;
      try {
        workers.run(1000, [&](std::size_t, std::size_t index) {
          if (index == 10) throw std::runtime_error("ten");
          ++done;
        });
      } catch (const std::runtime_error& error) {
        what = error.what();
      }
      REQUIRE(what == "ten");
      REQUIRE(done >= 10);  // all that were begun before
      if (count == 1) REQUIRE(done == 10);
      std::atomic<std::size_t> after{0};
      workers.run(50, [&](std::size_t, std::size_t) { ++after; });
      REQUIRE(after == 50);
    }
  }
}

TEST_CASE("workers: where every task throws, one of the exceptions arrives") {
  Workers workers(6);
  for (int round = 0; round < 300; ++round) {
    CASE(round);
    std::atomic<int> thrown{0};
    int caught = -1;
    try {
      workers.run(64, [&](std::size_t, std::size_t index) {
        ++thrown;
        throw static_cast<int>(index);
      });
    } catch (const int index) {
      caught = index;
    }
    REQUIRE(caught >= 0);
    REQUIRE(caught < 6);  // after the first failure no thread begins another piece
    REQUIRE(thrown <= 6);
  }
}

TEST_CASE("workers: pools within the pieces of a pool, many short runs") {
  Workers outer(3);
  std::atomic<std::size_t> sum{0};
  for (int round = 0; round < 30; ++round)
    outer.run(6, [&](std::size_t, std::size_t piece) {
      Workers inner(1 + piece % 4);
      for (std::size_t pieces = 0; pieces < 12; ++pieces)
        inner.run(pieces, [&](std::size_t, std::size_t index) { sum += index + 1; });
    });
  // Each inner pool adds the sum over p < 12 of p (p + 1) / 2, which is 286.
  CHECK(sum == 30 * 6 * 286);
}

TEST_CASE("workers: runs of a few pieces, one after the other at once") {
  for (const std::size_t count : {2U, 4U}) {
    CASE(count);
    Workers workers(count);
    std::size_t total = 0;
    for (std::size_t round = 0; round < 20000; ++round) {
      std::atomic<std::size_t> sum{0};
      workers.run(round % 5, [&](std::size_t, std::size_t index) { sum += index + 1; });
      total += sum;
    }
    CHECK(total == 4000 * (0 + 1 + 3 + 6 + 10));
  }
}
