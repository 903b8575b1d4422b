#pragma once

#include <memory>
#include <string>

#include "axelram/caches/shape.hpp"
#include "axelram/caches/tier_settings.hpp"
#include "tiers/tier_coder.hpp"

namespace axelram::caches {

/// Reads the files of `settings` for a model. Throws files::InputError for files that are invalid
/// or do not fit the model.
std::unique_ptr<const TierSource> model_tier_files(const TierSettings& settings,
                                                   const Shape& shape);

/// The same for one head of a model whose size is not known.
std::unique_ptr<const TierSource> head_tier_files(const TierSettings& settings, std::size_t d,
                                                  const CacheSite& site);

}  // namespace axelram::caches
