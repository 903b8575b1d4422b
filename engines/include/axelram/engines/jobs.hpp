#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "axelram/attention_macro.hpp"
#include "axelram/caches/specification.hpp"
#include "axelram/checkpoints/checkpoint.hpp"
#include "axelram/faults/engine.hpp"
#include "axelram/feedback.hpp"
#include "axelram/files/config.hpp"
#include "axelram/files/result.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/perplexity/evaluate.hpp"
#include "axelram/sim/cycles.hpp"

/// The jobs that an engine may be able to do: what each is given and what it returns. All of them
/// throw files::InputError for what the engine does not take, and files::EnvironmentError where a
/// tool, a device or its memory is missing.
namespace axelram::engines {

/// Receives one line for each step of long preparations (builds); may be empty.
using Tell = std::function<void(const std::string& line)>;

/// Makes the records of finite keys, which a trace then has in place of them.
struct EncodeRequest {
  const files::Config& config;
  std::shared_ptr<const Feedback> feedback;  ///< null: as the hardware encodes
  std::span<const std::uint16_t> keys;       ///< [keys, d] raw elements
};

/// Writes the keys of a trace and scores its queries, or attends with them.
struct RunRequest {
  const files::Config& config;
  const files::Trace& trace;  ///< checked by files::read_trace
  double stalls = 0;          ///< rtl: probability per cycle that a stream pauses
  std::uint64_t seed = 1;     ///< rtl: of the pauses and of registers without reset
  std::string waves = {};     ///< rtl: path of an FST to write, or empty
  Tell tell = {};
};

struct RunOutcome {
  files::Result result;                     ///< the same bytes for every engine
  std::optional<sim::Cycles> cycles;        ///< rtl: measured
  std::optional<AttentionCounters> events;  ///< of a macro that attends
  std::string device;                       ///< cuda: its name
  double seconds = 0;                       ///< of the run itself, without builds
};

/// Makes fault engines. Configuration and trace must outlive what is made.
struct FaultsRequest {
  const files::Config& config;
  const files::Trace& trace;
  Tell tell = {};
};

/// Makes a language model with its caches.
struct PerplexityRequest {
  const checkpoints::Checkpoint& checkpoint;          ///< must outlive the predictor
  std::vector<caches::Specification> specifications;  ///< the baseline first
  const std::vector<perplexity::Window>& windows;     ///< that will be scored
  std::size_t threads = 1;                            ///< of the CPU
  Tell tell = {};
  std::size_t chunk = 0;               ///< golden, fast: tokens a step; 0: all of a window at once
  std::vector<MemoryState> from = {};  ///< golden, fast: memories that windows go on from; or none
};

/// Stored bytes of a cache, over all layers and heads.
struct CacheBytes {
  double per_token = 0;     ///< of a sequence as long as the longest window
  double per_sequence = 0;  ///< once for a sequence of any length, beside those of its tokens
};

struct PerplexityModel {
  std::unique_ptr<perplexity::Predictor> predictor;
  std::vector<CacheBytes> bytes;  ///< of each cache
  std::string device;             ///< cuda: its name
};

/// Perplexity in two steps, so that a cache which the engine does not take is rejected before a
/// large model is read.
struct PerplexityJob {
  void (*check)(const std::vector<caches::Specification>& specifications);  ///< the baseline first
  PerplexityModel (*make)(const PerplexityRequest& request);
};

}  // namespace axelram::engines
