#pragma once

#include <span>

#include "axelram/caches/specification.hpp"
#include "axelram/commands/model.hpp"
#include "axelram/commands/progress.hpp"

namespace axelram::commands {

/// Notes (files::note) a line for each cache with which the scores of some head err so much that
/// the model fails, calibration::kFailingNoise, with the command that finds a better one. Passes
/// the first 128 tokens of the text through the model once. Of a memory of constant size its
/// records count. Bit errors are left out, and so are keys before rotary embedding. Throws nothing
/// that a run of the cache would not.
void warn_of_noise(const ModelOptions& options, const checkpoints::Checkpoint& checkpoint,
                   const tokens::TokenText& text, std::span<const caches::Specification> caches,
                   const Progress& progress);

}  // namespace axelram::commands
