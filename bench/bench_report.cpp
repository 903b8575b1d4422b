#include "bench_report.hpp"

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <vector>

namespace bench {
namespace {

constexpr double kSecondsPerSample = 0.01;

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

double now(Timing timing) {
  timespec time;
  clock_gettime(timing.threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds(const std::function<void()>& run, int repeats, Timing timing) {
  const double start = now(timing);
  for (int i = 0; i < repeats; ++i) run();
  return (now(timing) - start) / repeats;
}

/// The first run warms up.
int repeats_for(const std::function<void()>& run, Timing timing) {
  if (seconds(run, 1, timing) > kSecondsPerSample) return 1;
  return std::max(1, static_cast<int>(kSecondsPerSample / std::max(seconds(run, 3, timing), 1e-9)));
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The time that stands for repeated ones: the least, or the median.
double typical(const std::vector<double>& values, Timing timing) {
  return timing.least ? *std::min_element(values.begin(), values.end()) : median(values);
}

bool holds(const Claim& claim, double ratio) {
  if (claim.bar <= 0) return true;
  return claim.ratio == Ratio::speedup ? ratio >= claim.bar : ratio <= claim.bar;
}

const char* verdict(const Claim& claim, double ratio) {
  if (claim.bar <= 0) return "reported only";
  return holds(claim, ratio) ? "HOLDS" : "DOES NOT HOLD";
}

}  // namespace

void print_header(const std::string& setup, Ratio ratio, Timing timing) {
  const bool one = timing.threads == 1;
  std::printf("CPU: %s, %s\n%s\n", cpu_model().c_str(),
              one ? "one thread" : (std::to_string(timing.threads) + " threads").c_str(),
              setup.c_str());
  std::printf("%s time, %s of %d pairs; ratio = %s\n\n", one ? "thread CPU" : "wall-clock",
              timing.least ? "least" : "medians", timing.pairs,
              ratio == Ratio::speedup ? "baseline time / our time" : "our time / baseline time");
  std::printf("%-52s %-26s %10s %10s %7s %5s\n", "claim", "working set", "base, ns", "ours, ns",
              "ratio", "bar");
}

bool compare(const Claim& claim, const std::function<void()>& baseline,
             const std::function<void()>& ours) {
  const int baseline_repeats = repeats_for(baseline, claim.timing);
  const int our_repeats = repeats_for(ours, claim.timing);
  const double baseline_items = claim.baseline_items == 0 ? claim.work_items : claim.baseline_items;
  std::vector<double> baseline_times;
  std::vector<double> our_times;
  std::vector<double> ratios;
  for (int pair = 0; pair < claim.timing.pairs; ++pair) {
    baseline_times.push_back(seconds(baseline, baseline_repeats, claim.timing) / baseline_items);
    our_times.push_back(seconds(ours, our_repeats, claim.timing) / claim.work_items);
    const double faster = baseline_times.back() / our_times.back();
    ratios.push_back(claim.ratio == Ratio::speedup ? faster : 1 / faster);
  }
  const double base = typical(baseline_times, claim.timing);
  const double our = typical(our_times, claim.timing);
  const double speedup = base / our;
  const double ratio = !claim.timing.least             ? median(ratios)
                       : claim.ratio == Ratio::speedup ? speedup
                                                       : 1 / speedup;
  std::printf("%-52s %-26s %10.2f %10.2f %7.2f %5.2f  %s\n", claim.name.c_str(),
              claim.working_set.c_str(), base * 1e9, our * 1e9, ratio, claim.bar,
              verdict(claim, ratio));
  std::fflush(stdout);
  return holds(claim, ratio);
}

}  // namespace bench
