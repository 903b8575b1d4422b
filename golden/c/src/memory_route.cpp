#include "axelram/memory_route.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "axelram/codebook.hpp"
#include "axelram/fast_memory.hpp"
#include "axelram/half.hpp"

namespace axelram {
namespace {

/// One of the values of an enum, in their order.
template <class T>
T choice(const char* name, std::int32_t value) {
  const auto& rows = EnumNames<T>::rows;
  const auto count = static_cast<std::int32_t>(std::size(rows));
  if (value >= 0 && value < count) return rows[value].value;
  throw std::invalid_argument(std::string(name) + " is " + std::to_string(value) +
                              "; it must lie in 0.." + std::to_string(count - 1));
}

MemoryHead head_of(const axelram_memory_route_options& o, const std::int8_t* signs) {
  MemoryHead head;
  Parameters& p = head.parameters;
  p.head_dim = o.head_dim;
  p.index_bits = o.index_bits;
  p.significand_bits = o.significand_bits;
  p.boundary_fraction_bits = o.boundary_fraction_bits;
  p.centroid_bits = o.centroid_bits;
  p.codebook = choice<CodebookKind>("beta_codebook", o.beta_codebook);
  MemoryOptions options;
  options.window = o.window;
  options.exact = o.exact;
  options.summary = o.summary;
  options.sinks = o.sinks;
  options.novel = o.novel;
  if (!std::isnan(o.match)) options.match = o.match;
  options.gate_exact = o.gate_exact;
  options.gate_summary = o.gate_summary;
  options.blend = o.blend;
  options.evict = choice<EvictKind>("evict_by_gate", o.evict_by_gate);
  options.store = choice<MemoryStore>("rows", o.rows);
  head.memory = memory_parameters(options, p);
  head.rom = std::make_shared<const CodebookRom>(codebook_rom(p));
  head.signs.assign(signs, signs + p.head_dim);
  return head;
}

/// Why a token was rejected.
std::string reason(std::int64_t token, const std::vector<std::uint16_t>& row, float gate) {
  const std::string where = "token " + std::to_string(token);
  if (!std::isfinite(gate)) return where + ": its gate is not finite; a finite logit is needed";
  const auto bad = std::find_if(row.begin(), row.end(),
                                [](std::uint16_t x) { return !is_finite(x, ElementFormat::fp16); });
  if (bad == row.end()) return where + ": a sequence has at most 2^31 tokens";
  return where + ": element " + std::to_string(bad - row.begin()) +
         " of its value is not finite in FP16; magnitudes up to 65504 are needed";
}

void route(const axelram_memory_route_options& options, const std::int8_t* signs,
           const float* values, const float* gates, std::int64_t tokens, std::int32_t* events,
           std::uint8_t* labels, std::int32_t* positions) {
  BoundedMemory memory(head_of(options, signs), false);
  std::vector<std::uint16_t> row(static_cast<std::size_t>(options.head_dim));
  const std::size_t slots = memory.state().slots();
  for (std::int64_t t = 0; t < tokens; ++t, values += row.size()) {
    std::transform(values, values + row.size(), row.begin(),
                   [](float x) { return double_to_half(double{x}); });
    MemoryEvent event;
    if (memory.write({nullptr, row.data(), gates[t], nullptr, values}, &event) !=
        MemoryStatus::stored)
      throw std::invalid_argument(reason(t, row, gates[t]));
    if (events != nullptr) {
      const auto words = event.words();
      events = std::copy(words.begin(), words.end(), events);
    }
    const MemoryState& state = memory.state();
    if (labels != nullptr)
      labels = std::transform(state.labels.begin(), state.labels.end(), labels,
                              [](SlotLabel label) { return static_cast<std::uint8_t>(label); });
    if (positions != nullptr) positions = std::copy_n(state.positions.begin(), slots, positions);
  }
}

}  // namespace
}  // namespace axelram

int axelram_memory_route(const axelram_memory_route_options* options, const std::int8_t* signs,
                         const float* values, const float* gates, std::int64_t tokens,
                         std::int32_t* events, std::uint8_t* labels, std::int32_t* positions,
                         char* error, std::size_t error_bytes) {
  try {
    axelram::route(*options, signs, values, gates, tokens, events, labels, positions);
    return 0;
  } catch (const std::exception& failure) {
    if (error != nullptr && error_bytes != 0)
      std::snprintf(error, error_bytes, "%s", failure.what());
    return 1;
  }
}
