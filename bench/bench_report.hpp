#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace bench {

/// What a ratio says, and on which side of it a bar lies.
enum class Ratio {
  speedup,  ///< baseline time / our time, at least the bar
  cost      ///< our time / baseline time, at most the bar
};

/// How both are timed. One thread: its processor time, so that what other programs take on a shared
/// machine does not count. More: wall-clock time, in which a thread that waits counts.
struct Timing {
  std::size_t threads = 1;
  int pairs = 21;
  bool least =
      false;  ///< least times and their ratio in the place of medians: others use the machine
};

/// What a claim asks for; without a bar the ratio is reported only.
struct Claim {
  std::string name;
  std::string working_set;
  double work_items;  ///< per run: times are printed per item
  double bar;         ///< 0: none
  Ratio ratio = Ratio::speedup;
  Timing timing = {};
  double baseline_items = 0;  ///< work items of a run of the baseline; 0: as many
};

/// `setup`: a line on what is measured.
void print_header(const std::string& setup, Ratio ratio = Ratio::speedup, Timing timing = {});

/// Times both in turn, in pairs, and prints the medians for one item, the median ratio of the pairs
/// and whether the bar holds. Returns false if it does not.
bool compare(const Claim& claim, const std::function<void()>& baseline,
             const std::function<void()>& ours);

}  // namespace bench
