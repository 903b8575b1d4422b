#pragma once

#include <functional>
#include <string>

namespace bench {

/// What a ratio says, and on which side of it a bar lies.
enum class Ratio {
  speedup,  ///< baseline time / our time, at least the bar
  cost      ///< our time / baseline time, at most the bar
};

/// What a claim asks for; without a bar the ratio is reported only.
struct Claim {
  std::string name;
  std::string working_set;
  double work_items;  ///< per run: times are printed per item
  double bar;         ///< 0: none
  Ratio ratio = Ratio::speedup;
};

/// `setup`: a line on what is measured.
void print_header(const std::string& setup, Ratio ratio = Ratio::speedup);

/// Times both in turn, in pairs, and prints the medians, the median ratio of the pairs and whether
/// the bar holds. Returns false if it does not.
bool compare(const Claim& claim, const std::function<void()>& baseline,
             const std::function<void()>& ours);

}  // namespace bench
