#include <algorithm>

#include "axelram/rtl/layout.hpp"
#include "stimulus.hpp"
#include "stimulus_commands.hpp"

namespace axelram::sim {
namespace {

using Kind = Command::Kind;

}  // namespace

// Injected errors are such that every read corrects them: what a query finds does not depend on
// the scrubs before it.
std::vector<Command> Stimulus::scrubs() {
  const Code code = make_code(config_.ecc.code);
  const int t = code.correctable;
  const int most = std::min(24, config_.max_keys);
  const auto rows = static_cast<std::uint64_t>(rtl::Layout(config_).rows);
  const int round = config_.ecc.scrub_interval + 64;
  std::vector<Command> commands;
  const auto add = [&](Kind kind, int after = 0) { commands.push_back({kind, {}, after}); };
  const auto keys = [&](int count) {
    for (int i = 0; i < count; ++i) {
      // Where a key takes many cycles, let it come in any of a scrub's.
      if (rows > 1) add(Kind::wait, static_cast<int>(below(rows)));
      commands.push_back({Kind::key, any()});
    }
  };
  const auto queries = [&] {
    for (int i = 0; i < 3; ++i) {
      add(Kind::await_scrub, round);
      commands.push_back({Kind::query, gaussian(1)});
      add(Kind::drain);
    }
  };

  for (const bool write_back : {false, true}) {
    add(Kind::drain);
    commands.push_back(protection(ErasurePolicy::keep, write_back));
    add(Kind::errors_clear);
    // Keys one after the other, while every scrub has something to write back.
    for (int i = 0; i < 3; ++i) {
      add(Kind::clear);
      add(Kind::wait, config_.ecc.scrub_interval);
      commands.push_back(injection(Injection::every_read, mask(code, 1, t, 1 + below(3))));
      keys(most);
      queries();
    }
    commands.push_back(injection(Injection::next_read, mask(code, 1, t, 2)));
    queries();
    commands.push_back(injection(Injection::off, mask(code, 1, 1, 1)));
    // Stored errors, put right in the background.
    add(Kind::clear);
    for (int i = 0; i < std::min(6, most); ++i) {
      add(Kind::drain);
      commands.push_back(injection(Injection::next_write, mask(code, 0, t, 1)));
      keys(1);
    }
    add(Kind::drain);
    for (int i = 0; i < 9; ++i) {
      add(Kind::await_scrub, round);
      add(Kind::wait, 1 + i % 3);
      if (i == 4) add(Kind::errors_clear);
    }
    queries();
  }
  for (int i = 0; i < 2; ++i) {
    add(Kind::await_scrub, round);
    add(Kind::clear);
    keys(3);
    queries();
    add(Kind::await_scrub, round);
    add(Kind::reset);
    keys(3);
    queries();
  }
  return commands;
}

}  // namespace axelram::sim
