#pragma once

#include <string>

#include "axelram/engines/engine.hpp"
#include "axelram/transformer/out_of_range.hpp"

namespace axelram::commands {

/// Evaluates caches beside a baseline, which is the first of them. A row that the baseline fp16
/// cannot represent is no fault of the caches that were asked for: the message names --baseline.
template <class Work>
auto beside_baseline(const std::string& baseline, EngineKind engine, const Work& work) {
  try {
    return work();
  } catch (const transformer::OutOfRange& error) {
    if (error.cache != 0 || baseline != "fp16") throw;
    throw files::InputError(error.found() +
                            "; the baseline fp16 holds numbers up to 65504: give --baseline f32" +
                            (engine == EngineKind::cuda ? " and --engine fast" : ""));
  }
}

}  // namespace axelram::commands
