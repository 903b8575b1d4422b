#pragma once

#include <cstddef>
#include <memory>

#include "axelram/checkpoints/checkpoint.hpp"
#include "axelram/perplexity/windows.hpp"

namespace bench {

/// A Llama of the shape of SmolLM2-135M with `layers` of its 30 layers, and as large a share of its
/// vocabulary, so that layers and head take the shares of time of the whole model. Weights are
/// random F16, in memory.
axelram::checkpoints::Checkpoint random_model(std::size_t layers);

/// Floating-point operations of the products that windows need: two for each weight and token, the
/// head for predicted ids alone, and scores and sums of values over the keys before each query. No
/// embedding, and no arithmetic element by element.
double operations(const axelram::checkpoints::Architecture& architecture,
                  const std::vector<axelram::perplexity::Window>& windows, bool head);

}  // namespace bench
