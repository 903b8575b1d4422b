#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>

#include "report_line.hpp"

namespace {

using namespace bench;

struct Benchmark {
  const char* name;
  void (*run)(Bench&);
};
constexpr Benchmark kBenchmarks[] = {{"write", bench_write},
                                     {"hadamard", bench_hadamard},
                                     {"scores", bench_scores},
                                     {"attention", bench_attention},
                                     {"codes", bench_codes}};

constexpr char kUsage[] =
    "usage: gpu_bench [--only NAME,...] [--small] [--write-instructions N] [--list] [--once]\n"
    "Times the kernels; one JSON object a line to standard output.\n"
    "  --only NAME,...         write, hadamard, scores, attention, codes\n"
    "  --small                 shapes of no interest, to see that they run\n"
    "  --write-instructions N  what a warp issues for a row of write_keys at 3 bits\n"
    "  --once                  write_keys at 3 bits, once and not timed, for a profiler\n"
    "  --list                  the device as a line, nothing timed\n";

int usage(const std::string& what) {
  std::cerr << "gpu_bench: " << what << "\n" << kUsage;
  return 2;
}

void add_names(const std::string& list, std::set<std::string>* names) {
  std::istringstream stream(list);
  for (std::string name; std::getline(stream, name, ',');) names->insert(name);
}

bool known(const std::string& name) {
  for (const Benchmark& benchmark : kBenchmarks)
    if (name == benchmark.name) return true;
  return false;
}

Json device_line() {
  const axelram::kernels::DeviceInfo device = axelram::kernels::device_info();
  const auto version = [](int v) {
    return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10);
  };
  return {{"device", device.name},
          {"emulated", device.emulated},
          {"compute_capability",
           std::to_string(device.compute_major) + "." + std::to_string(device.minor)},
          {"multiprocessors", device.multiprocessors},
          {"memory_bytes", device.memory_bytes},
          {"cache_bytes", cache_bytes()},
          {"cuda_driver", version(device.driver_version)},
          {"cuda_runtime", version(device.runtime_version)}};
}

/// Errors are lines too, so that the other benchmarks still run.
bool run(const Benchmark& benchmark, Bench& bench) {
  try {
    benchmark.run(bench);
    return true;
  } catch (const axelram::kernels::DeviceError& error) {
    bench.write({{"bench", benchmark.name}, {"error", error.what()}});
    return false;
  }
}

}  // namespace

int main(int argc, char** argv) {
  BenchOptions options;
  bool list = false, once = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool more = i + 1 < argc;
    if (argument == "--small")
      options.small = true;
    else if (argument == "--list")
      list = true;
    else if (argument == "--once")
      once = true;
    else if (argument == "--only" && more)
      add_names(argv[++i], &options.only);
    else if (argument == "--write-instructions" && more)
      options.write_instructions = std::atof(argv[++i]);
    else
      return usage("what is '" + argument + "'?");
  }
  for (const std::string& name : options.only)
    if (!known(name)) return usage("no benchmark '" + name + "'");
  try {
    axelram::kernels::Stream stream;
    Bench bench{stream, options, std::cout};
    bench.write(device_line());
    if (list) return 0;
    if (once) {
      write_once(bench);
      return 0;
    }
    bench_limits(bench);
    bool done = true;
    for (const Benchmark& benchmark : kBenchmarks)
      if (bench.wanted(benchmark.name)) done = run(benchmark, bench) && done;
    return done ? 0 : 1;
  } catch (const axelram::kernels::NoDevice& error) {
    std::cerr << "gpu_bench: " << error.what() << "\n";
    return 3;
  } catch (const std::exception& error) {
    std::cerr << "gpu_bench: " << error.what() << "\n";
    return 1;
  }
}
