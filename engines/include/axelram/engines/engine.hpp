#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "axelram/engines/jobs.hpp"
#include "axelram/names.hpp"

namespace axelram {

/// Executors of a macro or a model. All engines give the same records and scores.
enum class EngineKind { golden, fast, rtl, cuda };

template <>
struct EnumNames<EngineKind> {
  static constexpr EnumRow<EngineKind> rows[] = {
      {EngineKind::golden, "golden", "the scalar reference units, which define every result"},
      {EngineKind::fast, "fast", "their SIMD twins"},
      {EngineKind::rtl, "rtl", "the generated hardware, simulated by Verilator"},
      {EngineKind::cuda, "cuda", "CUDA kernels on a GPU"},
  };
};

namespace engines {

/// Why an engine does not do a job.
struct Unavailable {
  std::string reason;
  bool environment = false;  ///< another build or machine could: files::EnvironmentError
};

template <class Function>
using Job = std::variant<Function, Unavailable>;

/// One row of the table. There is no default for a job: an engine gives a function or a reason.
struct Engine {
  EngineKind kind;
  Job<RunOutcome (*)(const RunRequest&)> run;
  Job<faults::EngineFactory (*)(const FaultsRequest&)> faults;
  Job<PerplexityJob> perplexity;
  Job<std::vector<std::uint8_t> (*)(const EncodeRequest&)> encode;  ///< for `run`
};

/// All engines of this program, in the order of EngineKind.
const std::vector<Engine>& engine_table();
const Engine& engine(EngineKind kind);

/// The row of each engine, in the source file of that engine. cuda_engine() is in
/// axelram_engines_cuda, which is linked with a backend: axelram::kernels, or
/// axelram::kernels_emulated in tests.
Engine golden_engine();
Engine fast_engine();
Engine rtl_engine();
Engine cuda_engine();

/// Replaces the row of its kind. A program with kernels provides cuda_engine() first of all;
/// without it the row of the engine cuda says what is missing.
void provide(const Engine& provided);

/// Throws files::InputError, naming the engines there are.
EngineKind engine_named(const std::string& name);

/// "golden, fast, rtl or cuda".
std::string engine_names();

/// The function for a job of an engine. Throws files::InputError or files::EnvironmentError with
/// the engine's reason.
[[noreturn]] void reject(EngineKind kind, const Unavailable& why);
template <class Function>
const Function& require(EngineKind kind, const Job<Function>& job) {
  if (const auto* why = std::get_if<Unavailable>(&job)) reject(kind, *why);
  return std::get<Function>(job);
}

/// The records, one after the other.
std::vector<std::uint8_t> encode(EngineKind kind, const EncodeRequest& request);
RunOutcome run(EngineKind kind, const RunRequest& request);
faults::EngineFactory fault_engines(EngineKind kind, const FaultsRequest& request);
/// Specifications: the baseline first. perplexity_model also throws files::InputError for a tuned
/// cache of another model.
void check_perplexity(EngineKind kind, const std::vector<caches::Specification>& specifications);
PerplexityModel perplexity_model(EngineKind kind, const PerplexityRequest& request);

}  // namespace engines
}  // namespace axelram
