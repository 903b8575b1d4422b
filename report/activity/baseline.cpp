#include "axelram/report/baseline.hpp"

#include <dlfcn.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "axelram/codebook.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/files/scratch_folder.hpp"
#include "axelram/half.hpp"
#include "axelram/rtl/layout.hpp"
#include "axelram/run/gaussian_trace.hpp"
#include "axelram/run/golden.hpp"
#include "axelram/sim/build.hpp"

namespace axelram::report {
namespace {

constexpr const char* kConstraints =
    "set period 6\n"
    "create_clock -name clk_i -period $period [get_ports clk_i]\n"
    "set_input_delay 0 -clock clk_i [all_inputs]\n"
    "set_output_delay 0 -clock clk_i [all_outputs]\n"
    "set_false_path -from [get_ports rst_ni]\n";

/// Clocks the unit with the words of each cycle, which are loaded, scored or held.
constexpr const char* kHarness = R"CPP(
#include <cstdint>
#include <cstring>
#include <memory>
#include "Vbaseline.h"
#include "verilated.h"
#include "verilated_vcd_c.h"

  void vl_stop(const char*, int, const char*) VL_MT_UNSAFE {}
  void vl_fatal(const char*, int, const char*, const char*) VL_MT_UNSAFE {}

  extern "C" __attribute__((visibility("default"))) bool baseline_run(
      const std::uint8_t* loads, const std::uint8_t* valids, const std::uint8_t* queries,
      const std::uint8_t* keys, unsigned query_bytes, unsigned key_bytes, unsigned cycles,
      const char* waves, std::uint32_t* scores) {
    VerilatedContext context;
    context.traceEverOn(true);
    const auto unit = std::make_unique<Vbaseline>(&context);
    VerilatedVcdC vcd;
    unit->trace(&vcd, 99);
    vcd.open(waves);
    if (!vcd.isOpen()) return false;
    for (unsigned cycle = 0; cycle < cycles; ++cycle) {
      unit->rst_ni = cycle >= 2;
      unit->load_i = loads[cycle];
      unit->valid_i = valids[cycle];
      std::memcpy(&unit->query_i, queries + std::size_t{cycle} * query_bytes, query_bytes);
      std::memcpy(&unit->key_i, keys + std::size_t{cycle} * key_bytes, key_bytes);
      unit->clk_i = 0;
      unit->eval();
      vcd.dump(std::uint64_t{cycle} * 10);
      if (unit->valid_o && cycle >= 2) *scores++ = unit->score_o;
      unit->clk_i = 1;
      unit->eval();
      vcd.dump(std::uint64_t{cycle} * 10 + 5);
    }
    vcd.close();
    return true;
  }
)CPP";

/// A top without parameters.
std::string top_text(const Baseline& baseline, int dim, const std::string& unit) {
  const std::string key = std::to_string(baseline.stored_bits - 1);
  return "`default_nettype none\n\nmodule " + baseline.top +
         " (\n    input  wire logic clk_i, rst_ni, load_i, valid_i,\n    input  wire logic [" +
         std::to_string(16 * dim - 1) + ":0] query_i,\n    input  wire logic [" + key +
         ":0] key_i,\n    output logic valid_o,\n    output logic [31:0] score_o\n);\n  " + unit +
         "\nendmodule\n\n`default_nettype wire\n";
}

std::string centroids_text(const Parameters& p) {
  std::string text = std::to_string(16 << p.index_bits) + "'h";
  const Codebook codebook = solve_codebook(p.codebook, p.head_dim, p.index_bits);
  for (std::size_t j = codebook.centroids.size(); j-- > 0;) {
    char digits[8];
    std::snprintf(digits, sizeof digits, "%04x", double_to_half(codebook.centroids[j]));
    text += digits;
  }
  return text;
}

/// The words of each cycle: reset, and for each query its load, all keys, and the latency.
struct Stimulus {
  std::vector<std::uint8_t> loads, valids, queries, keys;
};

}  // namespace

Baseline baseline_of(const files::Config& config, BaselineKind kind) {
  const Parameters& p = config.parameters;
  const bool half = kind == BaselineKind::half;
  const int levels = p.log2_dim();
  Baseline baseline;
  baseline.top = half ? "baseline_half" : "baseline_dequantize";
  baseline.stored_bits = half ? 16 * p.head_dim : p.record_bits();
  baseline.latency = (half ? 2 : 6) + 4 * levels;
  if (!half &&
      (p.trellis() || p.prod() || p.split() || p.copies() != 0 || config.ecc.code != "none")) {
    baseline.missing =
        "for records of an index and one centroid each alone, without a code or "
        "exact tokens";
    return baseline;
  }
  const std::string lanes = ".Lanes(" + std::to_string(p.head_dim) + ")";
  const std::string ports = ".clk_i, .rst_ni, .load_i, .query_i, .valid_i, .valid_o, .score_o, ";
  const std::string unit =
      half
          ? "axelram_half_dot #(" + lanes + ") u_unit (" + ports + ".key_i);"
          : "axelram_dequantize_dot #(" + lanes + ", .IndexBits(" + std::to_string(p.index_bits) +
                "), .Centroids(" + centroids_text(p) + ")) u_unit (" + ports + ".record_i(key_i));";
  baseline.files =
      rtl::with_modules({"rtl/" + baseline.top + ".sv", top_text(baseline, p.head_dim, unit)});
  baseline.files.push_back({"axelram.sdc", kConstraints});
  return baseline;
}

Activity measure_baseline(const files::Config& config, BaselineKind kind,
                          const std::function<void(const std::string&)>& progress,
                          std::vector<float>* scores) {
  const Baseline baseline = baseline_of(config, kind);
  const Parameters& p = config.parameters;
  const bool half = kind == BaselineKind::half;
  const auto dim = static_cast<std::size_t>(p.head_dim);
  const std::size_t stored =
      std::min(static_cast<std::size_t>(config.max_keys), ActivityWorkload::kScored);
  const files::Trace trace =
      run::gaussian_trace(p, stored, ActivityWorkload::kQueries, ActivityWorkload::kSeed);
  std::vector<std::uint16_t> queries = trace.queries;
  std::vector<std::uint8_t> keys(trace.keys.size() * 2);
  std::memcpy(keys.data(), trace.keys.data(), keys.size());
  if (!half) {
    const files::Result result = run::golden(config, trace);
    keys = result.records;
    for (std::size_t i = 0; i < queries.size(); ++i)
      queries[i] =
          double_to_half(std::ldexp(result.rotated_queries[i], result.query_exponents[i / dim]) /
                         std::sqrt(static_cast<double>(dim)));
  }

  const std::size_t query_bytes = 2 * dim;
  const std::size_t key_bytes = static_cast<std::size_t>(baseline.stored_bits + 7) / 8;
  Stimulus words;
  const auto cycle = [&](bool load, bool valid, std::size_t query, std::size_t key) {
    words.loads.push_back(load);
    words.valids.push_back(valid);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(queries.data()) + query * query_bytes;
    words.queries.insert(words.queries.end(), bytes, bytes + query_bytes);
    const std::uint8_t* const record = keys.data() + key * key_bytes;
    words.keys.insert(words.keys.end(), record, record + key_bytes);
  };
  for (int i = 0; i < 4; ++i) cycle(false, false, 0, 0);
  Activity activity;
  std::vector<Window> windows;
  for (std::size_t query = 0; query < ActivityWorkload::kQueries; ++query) {
    const std::uint64_t begin = words.loads.size();
    cycle(true, false, query, 0);
    for (std::size_t key = 0; key < stored; ++key) cycle(false, true, query, key);
    for (int i = 0; i < baseline.latency; ++i) cycle(false, false, query, stored - 1);
    const std::uint64_t end = words.loads.size();
    windows.push_back({begin * ActivityWorkload::kCycleTime,
                       (begin + 1) * ActivityWorkload::kCycleTime, &Toggles::query});
    windows.push_back({(begin + 1) * ActivityWorkload::kCycleTime,
                       end * ActivityWorkload::kCycleTime, &Toggles::score});
    activity.query_cycles += 1;
    activity.score_cycles += end - begin - 1;
  }
  activity.queries = ActivityWorkload::kQueries;
  activity.keys_scored = ActivityWorkload::kQueries * stored;

  sim::BuildOptions options;
  options.fast_compile = true;
  options.vcd = true;
  options.progress = progress;
  const std::string library =
      sim::build_library({baseline.files, baseline.top, "--prefix Vbaseline", kHarness}, options);
  void* const loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr)
    throw files::EnvironmentError(library + ": cannot be loaded (" + dlerror() + ")");
  const auto run = reinterpret_cast<bool (*)(
      const std::uint8_t*, const std::uint8_t*, const std::uint8_t*, const std::uint8_t*, unsigned,
      unsigned, unsigned, const char*, std::uint32_t*)>(dlsym(loaded, "baseline_run"));
  const files::ScratchFolder scratch;
  const std::string path = scratch.file("baseline.vcd");
  std::vector<std::uint32_t> seen(words.loads.size());
  const bool written =
      run(words.loads.data(), words.valids.data(), words.queries.data(), words.keys.data(),
          static_cast<unsigned>(query_bytes), static_cast<unsigned>(key_bytes),
          static_cast<unsigned>(words.loads.size()), path.c_str(), seen.data());
  dlclose(loaded);
  if (!written) throw files::EnvironmentError(path + ": no waveform can be written there");
  seen.resize(activity.keys_scored);
  if (scores != nullptr)
    for (const std::uint32_t bits : seen) scores->push_back(std::bit_cast<float>(bits));
  activity.scopes = toggles_of_vcd(path, windows);
  return activity;
}

}  // namespace axelram::report
