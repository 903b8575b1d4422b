#pragma once

#include <memory>

#include "axelram/caches/cache.hpp"
#include "axelram/engines/jobs.hpp"

namespace axelram::engines {

/// Engines that send the trace's keys through the Verilated macro of the configuration with another
/// code, and faults through its injection port. A model is built once per code. Throws
/// files::InputError for code "none", which has no injection port.
faults::EngineFactory rtl_faults(const FaultsRequest& request);

/// Throws files::InputError for keys that are not an axelram cache, for a bit error rate, which
/// this engine cannot draw, and for an encoder beside exact tokens.
void check_rtl_cache(const caches::Specification& specification);

/// A cache whose axelram keys are stored and scored by the Verilated macro, one generated for each
/// layer and KV head with its own signs and center. Values are those of the fast units, unless the
/// macro attends. Throws as check_rtl_cache.
std::unique_ptr<transformer::KvCache> rtl_cache(const caches::Specification& specification,
                                                const caches::Shape& shape, Tell tell);

}  // namespace axelram::engines
