#include "time_left.hpp"

#include "check.hpp"

using namespace axelram::commands;

TEST_CASE("duration: seconds, minutes and hours, rounded up") {
  CHECK(duration(0) == "0 s");
  CHECK(duration(0.2) == "1 s");
  CHECK(duration(59) == "59 s");
  CHECK(duration(59.5) == "1 min 0 s");
  CHECK(duration(80) == "1 min 20 s");
  CHECK(duration(3599) == "59 min 59 s");
  CHECK(duration(3600) == "1 h 0 min");
  CHECK(duration(3601) == "1 h 1 min");
  CHECK(duration(43499) == "12 h 5 min");
  CHECK(duration(1e300) == duration(1e9));
}

TEST_CASE("step_of: share, speed and time left") {
  const Step step = step_of("perplexity", {4096, 10240, 8.0});
  CHECK(step.what == "perplexity");
  CHECK(step.done == 4096);
  CHECK(step.all == 10240);
  CHECK(step.note == "40 %, 512 tokens/s, 12 s left");
  CHECK(step_of("perplexity", {10240, 10240, 20.0}).note == "100 %, 512 tokens/s, 0 s left");
  CHECK(step_of("perplexity", {0, 10240, 3.0}).note == "0 %, 0 tokens/s");
}
