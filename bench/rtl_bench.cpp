#include <dlfcn.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "axelram/files/config.hpp"
#include "axelram/sim/build.hpp"
#include "axelram/sim/driver.hpp"
#include "axelram/sim/rtl_model.hpp"
#include "bench_report.hpp"

using namespace axelram;

namespace {

constexpr unsigned kCycles = 200000;

std::vector<std::uint16_t> vector(std::mt19937& random) {
  std::vector<std::uint16_t> elements(128);
  for (std::uint16_t& element : elements)
    element = static_cast<std::uint16_t>((random() & 0x83ffU) | (12 + random() % 4) << 10);
  return elements;
}

/// Macro of the paper with a full store, stepped through the reads of one query after another.
class ReadPhase {
 public:
  explicit ReadPhase(const files::Config& config)
      : model_(sim::build_model(rtl::generate_observed(config), {}), 1),
        driver_(config, model_, {}, 1),
        score_valid_(model_.port("score_valid_o", 1)),
        score_data_(model_.port("score_data_o", 32)),
        state_(model_.port("obs_state_o", 2)) {
    std::vector<sim::Command> commands;
    for (int i = 0; i < config.max_keys; ++i)
      commands.push_back(sim::command::Key{vector(random_)});
    commands.push_back(sim::command::Drain{});
    driver_.run(commands, no_observer_);
  }

  void run(unsigned cycles) {
    for (unsigned done = 0; done < cycles;) {
      start_query();
      for (; state_.get() == 3 && done < cycles; ++done) {
        model_.settle();
        if (score_valid_.get() != 0) digest_ ^= score_data_.get();
        model_.edge();
      }
    }
  }
  std::uint64_t digest() const { return digest_; }

 private:
  void start_query() {
    if (state_.get() == 3) return;
    const sim::Command query = sim::command::Query{vector(random_)};
    driver_.run({query}, no_observer_);
    while (state_.get() != 3) driver_.idle(1);
  }

  std::mt19937 random_{1};
  sim::Observer no_observer_;
  sim::RtlModel model_;
  sim::Driver driver_;
  sim::PortValue score_valid_, score_data_, state_;
  std::uint64_t digest_ = 0;
};

std::string read_file(const char* path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

using HadamardRun = std::uint32_t (*)(unsigned);

HadamardRun bare_hadamard() {
  sim::ModelSource source{
      {}, "axelram_hadamard", "-GLanes=128 -GRows=1 -GInBits=16", read_file(HADAMARD_HARNESS)};
  for (const rtl::Module& module : rtl::modules())
    source.files.push_back({std::string(rtl::kCommonFolder) + module.file, module.text});
  source.files.push_back({"axelram.f",
                          "+incdir+rtl/common\nrtl/common/axelram_delay_line.sv\n"
                          "rtl/common/axelram_hadamard.sv\n"});
  void* library = dlopen(sim::build_library(source, {}).c_str(), RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<HadamardRun>(dlsym(library, "hadamard_run"));
}

}  // namespace

int main() {
  bench::print_header("level: Verilator, baselines compiled with -O3, C++ -O2, assertions on");
  ReadPhase macro(files::parse_config("{}", "paper", "."));
  const HadamardRun hadamard = bare_hadamard();
  std::uint32_t digest = 0;
  const bool holds = bench::compare(
      {"macro read phase (bare Hadamard network), per cycle", "4096 records of 50 bytes", kCycles,
       0.25},
      [&] { digest ^= hadamard(kCycles); }, [&] { macro.run(kCycles); });
  std::printf("digest %08x %016llx\n", digest, static_cast<unsigned long long>(macro.digest()));
  return holds ? 0 : 1;
}
