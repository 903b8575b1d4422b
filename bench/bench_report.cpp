#include "bench_report.hpp"

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <vector>

namespace bench {
namespace {

constexpr int kPairs = 21;
constexpr double kSecondsPerSample = 0.01;

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

/// Processor time of this thread: what other programs take on a shared machine does not count.
double now() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds(const std::function<void()>& run, int repeats) {
  const double start = now();
  for (int i = 0; i < repeats; ++i) run();
  return (now() - start) / repeats;
}

int repeats_for(const std::function<void()>& run) {
  run();
  return std::max(1, static_cast<int>(kSecondsPerSample / std::max(seconds(run, 3), 1e-9)));
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
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

void print_header(const std::string& setup, Ratio ratio) {
  std::printf("CPU: %s, one thread\n%s\n", cpu_model().c_str(), setup.c_str());
  std::printf("thread CPU time, medians of %d pairs; ratio = %s\n\n", kPairs,
              ratio == Ratio::speedup ? "baseline time / our time" : "our time / baseline time");
  std::printf("%-52s %-26s %10s %10s %7s %5s\n", "claim", "working set", "base, ns", "ours, ns",
              "ratio", "bar");
}

bool compare(const Claim& claim, const std::function<void()>& baseline,
             const std::function<void()>& ours) {
  const int baseline_repeats = repeats_for(baseline);
  const int our_repeats = repeats_for(ours);
  std::vector<double> baseline_times;
  std::vector<double> our_times;
  std::vector<double> ratios;
  for (int pair = 0; pair < kPairs; ++pair) {
    baseline_times.push_back(seconds(baseline, baseline_repeats));
    our_times.push_back(seconds(ours, our_repeats));
    const double speedup = baseline_times.back() / our_times.back();
    ratios.push_back(claim.ratio == Ratio::speedup ? speedup : 1 / speedup);
  }
  const double unit = 1e9 / claim.work_items;
  const double ratio = median(ratios);
  std::printf("%-52s %-26s %10.2f %10.2f %7.2f %5.2f  %s\n", claim.name.c_str(),
              claim.working_set.c_str(), median(baseline_times) * unit, median(our_times) * unit,
              ratio, claim.bar, verdict(claim, ratio));
  std::fflush(stdout);
  return holds(claim, ratio);
}

}  // namespace bench
