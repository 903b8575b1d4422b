#pragma once

#include <functional>
#include <memory>
#include <string>

#include "axelram/caches/cache.hpp"
#include "axelram/caches/specification.hpp"

namespace axelram::cli {

/// A cache whose axelram keys are stored and scored by the Verilated macro, one generated for each
/// layer and KV head with its own signs and center; values, and what is no macro, are golden's.
/// `progress` hears of the builds. Throws files::InputError for keys that are no axelram cache and
/// for a bit error rate, which this engine has no way to draw.
std::unique_ptr<transformer::Cache> rtl_cache(const caches::Specification& specification,
                                              const caches::Shape& shape,
                                              std::function<void(const std::string&)> progress);

}  // namespace axelram::cli
