#include <string>
#include <vector>

#include "check.hpp"
#include "driven_top.hpp"
#include "small_configs.hpp"

namespace axelram::sim {
namespace {

/// The observed top of a configuration, cycle by cycle. Every vector is zero.
class Bench : public DrivenTop {
 public:
  explicit Bench(const files::Config& config) : DrivenTop(config) { set("score_ready_i", 0); }

  /// Offers a beat in this cycle, which must be accepted, and goes on to the next.
  void beat(bool query, bool record) {
    set("vector_valid_i", 1);
    set("vector_query_i", query ? 1 : 0);
    set("vector_record_i", record ? 1 : 0);
    REQUIRE(get("vector_ready_o") == 1);
    step();
    set("vector_valid_i", 0);
  }
  void key() {
    for (int i = 0; i < layout().rows; ++i) {
      CASE(i);
      beat(false, false);
    }
  }
  void query() {
    for (int i = 0; i < layout().rows; ++i) {
      CASE(i);
      beat(true, false);
    }
  }
  void record() {
    for (int i = 0; i < layout().beats; ++i) {
      CASE(i);
      beat(false, true);
    }
  }
  /// Cycles until an output has a value, this cycle being 0.
  int until(const std::string& port, std::uint64_t value) {
    for (int cycle = 0; cycle < 10000; ++cycle, step())
      if (get(port) == value) return cycle;
    FAIL(port, " never has the value ", value);
    return -1;
  }
};

const char* const kFolded = "microarchitecture: {key_lanes: 2, read_lanes: 8}\n";
const char* const kCoded = "ecc: {code: hamming84, stages: 1}\n";

}  // namespace

TEST_CASE("the score FIFO has as many places as the layout states") {
  // With 128 read lanes, 16 places are just enough.
  for (const std::string& macro : {"head_dim: 32, max_keys: 48}\n" + std::string(kFolded),
                                   "head_dim: 32, max_keys: 48}\n" + std::string(kCoded),
                                   std::string("head_dim: 128, max_keys: 48}\n"
                                               "microarchitecture: {key_lanes: 8}\n")}) {
    CASE(macro);
    Bench bench(test::small("macro: {" + macro));
    const int places = bench.layout().fifo_depth;
    REQUIRE(places < 48);
    for (int i = 0; i < 48; ++i) {
      CASE(i);
      bench.key();
    }
    bench.query();
    int reads = 0;
    for (int cycle = 0; cycle < 1000; ++cycle, bench.step())
      reads += static_cast<int>(bench.get("obs_read_o"));
    CHECK(reads == places);
  }
}

TEST_CASE("a record from outside is stored a cycle after its last beat, a beat per cycle") {
  for (const std::string& more : {std::string(), std::string(kFolded), std::string(kCoded)}) {
    CASE(more);
    Bench bench(test::small("macro: {head_dim: 32, max_keys: 48}\n" + more));
    for (int i = 0; i < 4; ++i) {
      CASE(i);
      bench.record();  // each beat is accepted at once
    }
    // This cycle is the first after the last beat. The record is stored at its end, or with a code
    // ecc.stages later.
    CHECK(bench.until("key_count_o", 4) == bench.layout().encode_cycles + 1);
    CHECK(bench.get("busy_o") == 0);
  }
}

TEST_CASE("a record from outside waits for the key before it, and a key for no record") {
  for (const std::string& more : {std::string(), std::string(kFolded)}) {
    CASE(more);
    Bench bench(test::small("macro: {head_dim: 32, max_keys: 48}\n" + more));
    bench.record();
    bench.key();
    bench.record();
    // This cycle is layout().beats + 1 cycles behind the last beat of the key.
    const int waited = bench.layout().store_cycles - bench.layout().beats - 1;
    CHECK(bench.get("obs_record_waits_o") == 1);
    CHECK(bench.get("vector_ready_o") == 0);
    CHECK(bench.until("obs_record_valid_o", 1) == waited);
    CHECK(bench.get("vector_ready_o") == 0);
    bench.step();
    CHECK(bench.get("obs_record_valid_o") == 1);
    CHECK(bench.get("vector_ready_o") == 1);
    bench.step();
    CHECK(bench.get("key_count_o") == 3);
  }
}

TEST_CASE("a read takes the same cycles with a plain norm and with an unbiased one") {
  for (const std::string& more : {std::string(), std::string(kFolded)}) {
    CASE(more);
    std::vector<int> scored[2];  // cycles behind the last beat of the query
    for (int unbiased = 0; unbiased < 2; ++unbiased) {
      CASE(unbiased);
      const std::string scale = unbiased != 0 ? "unbiased" : "norm";
      Bench bench(test::small("macro: {head_dim: 32, max_keys: 24}\nquantizer: {scale: " + scale +
                              "}\n" + more));
      for (int i = 0; i < 12; ++i) {
        CASE(i);
        bench.key();
      }
      bench.until("busy_o", 0);
      bench.query();
      bench.set("score_ready_i", 1);
      for (int cycle = 0; cycle < 500; ++cycle, bench.step())
        if (bench.get("score_valid_o") == 1) scored[unbiased].push_back(cycle);
    }
    CHECK(scored[0].size() == 12);
    CHECK_SAME(scored[0], scored[1]);
  }
}

TEST_CASE("the first copy is accumulated when the layout states, and its token is read then") {
  for (const files::Config& config : {test::small_exact(), test::small_exact_folded()}) {
    CASE(files::canonical_yaml(config));
    Bench bench(config);
    for (int i = 0; i < 12; ++i) {
      CASE(i);
      bench.key();
    }
    bench.query();
    bench.set("score_ready_i", 1);
    bench.until("obs_state_o", 3);
    CHECK(bench.until("obs_read_o", 1) == bench.layout().copy_latency + bench.layout().copy_cycles);
  }
}

}  // namespace axelram::sim
