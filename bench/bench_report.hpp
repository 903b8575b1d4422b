#pragma once

#include <functional>
#include <string>

namespace bench {

/// What a claim asks for; without a bar the ratio is reported only.
struct Claim {
  std::string name;
  std::string working_set;
  double work_items;  ///< per run: times are printed per item
  double bar;         ///< baseline time / our time; 0: none
};

void print_header(const std::string& level, const std::string& flags);

/// Times both in turn, in pairs, and prints the medians, the median ratio of the pairs and whether
/// the bar holds. Returns false if it does not.
bool compare(const Claim& claim, const std::function<void()>& baseline,
             const std::function<void()>& ours);

}  // namespace bench
