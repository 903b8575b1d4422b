#pragma once

#include <span>

#include "axelram/caches/specification.hpp"
#include "axelram/commands/model.hpp"
#include "axelram/commands/progress.hpp"

namespace axelram::commands {

/// Notes (files::note) a line for each cache with which the scores of some head err so much that
/// the model fails, calibration::kFailingNoise, with the command that finds a better one. Passes
/// the first 128 tokens of the text through the model once. Bit errors are left out, and so are
/// memories of constant size and keys before rotary embedding. Throws nothing that a run of the
/// cache would not.
void warn_of_noise(const ModelOptions& options, const ModelAndText& input,
                   std::span<const caches::Specification> caches, const Progress& progress);

}  // namespace axelram::commands
