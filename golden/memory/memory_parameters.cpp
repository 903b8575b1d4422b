#include "axelram/memory_parameters.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>

#include "axelram/codebook.hpp"
#include "axelram/gate.hpp"
#include "axelram/similarity.hpp"

namespace axelram {
namespace {

template <class T>
std::string text(T value) {
  std::ostringstream all;
  all << value;
  return all.str();
}

[[noreturn]] void reject(const std::string& what, const std::string& valid) {
  throw std::invalid_argument(what + "; " + valid);
}

/// A comparison with a NaN is false, so that it is out of range.
template <class T>
void check_range(const char* name, T value, T low, T high, const std::string& high_name) {
  if (value >= low && value <= high) return;
  reject("memory." + std::string(name) + " is " + text(value),
         "it must lie in " + text(low) + ".." + high_name);
}

void check_macro(const Parameters& p, ErasurePolicy erasure) {
  check(p);
  if (p.centroid_bits > 8)
    reject("centroid_bits is " + text(p.centroid_bits),
           "with a memory it must be at most 8, so that similarities fit 64 bits");
  if (p.element_format != ElementFormat::fp16)
    reject("element_format is " + name_of(p.element_format), "with a memory it must be fp16");
  if (p.kind != QuantizerKind::mse)
    reject("quantizer.kind is " + name_of(p.kind), "with a memory it must be mse");
  if (p.scale != ScaleKind::norm)
    reject("quantizer.scale is " + name_of(p.scale), "with a memory it must be norm");
  if (erasure == ErasurePolicy::interpolate)
    reject("ecc.erasure is interpolate",
           "with a memory it must be keep or zero: slots have no neighbours in time");
}

}  // namespace

double match_of(const MemoryOptions& options) {
  return options.match.value_or(std::max(0.90, options.novel));
}

std::uint64_t memory_bytes(const MemoryParameters& memory, int head_dim, int stored_bytes) {
  constexpr std::uint64_t kOfSlot = 14;  // label, gate, position, stamp, merged
  const auto slots = static_cast<std::uint64_t>(memory.slots());
  const auto d = static_cast<std::uint64_t>(head_dim);
  const auto record = static_cast<std::uint64_t>(stored_bytes);
  const auto summaries = static_cast<std::uint64_t>(memory.summary);
  switch (memory.store) {
    case MemoryStore::records:
      return slots * 2 * record + summaries * 2 * d + slots * kOfSlot;
    case MemoryStore::fp16:
      return slots * (4 * d + record + kOfSlot);
    case MemoryStore::f32:
      return slots * (8 * d + record + kOfSlot);
  }
  return 0;
}

void check_memory(const MemoryOptions& o, const Parameters& parameters, ErasurePolicy erasure) {
  constexpr int kMost = 1 << 16;
  check_macro(parameters, erasure);
  check_range("window", o.window, 1, kMost, text(kMost));
  check_range("exact", o.exact, 0, kMost, text(kMost));
  check_range("summary", o.summary, 0, kMost, text(kMost));
  const int slots = o.window + o.exact + o.summary;
  if (slots > kMost)
    reject("memory.window + memory.exact + memory.summary is " + text(slots),
           "it must be at most " + text(kMost));
  check_range("sinks", o.sinks, 0, o.exact, text(o.exact) + ", the value of memory.exact");
  check_range("novel", o.novel, 0.0, 2.0, "2");
  check_range("match", match_of(o), o.novel, 2.0, "2, from memory.novel on");
  check_range("gate_exact", o.gate_exact, 0.0, 1.0, "1");
  check_range("gate_summary", o.gate_summary, 0.0, 1.0, "1");
  check_range("blend", o.blend, 0.0, 1.0, "1");
  if (o.summary_key == SummaryKey::band && o.store == MemoryStore::records)
    reject("memory.summary_key is band",
           "it needs memory.store fp16 or f32; records need newest, since no record is a blend");
}

MemoryParameters memory_parameters(const MemoryOptions& o, const Parameters& parameters,
                                   ErasurePolicy erasure) {
  check_memory(o, parameters, erasure);
  const double lost =
      distortion(solve_codebook(parameters.codebook, parameters.head_dim, parameters.index_bits),
                 parameters.codebook, parameters.head_dim);
  return {o.window,
          o.exact,
          o.summary,
          o.sinks,
          similarity_threshold(o.novel, lost),
          similarity_threshold(match_of(o), lost),
          gate_parameter(o.gate_exact),
          gate_parameter(o.gate_summary),
          gate_parameter(o.blend),
          o.evict,
          o.summary_key,
          o.store};
}

}  // namespace axelram
