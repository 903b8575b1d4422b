#pragma once

#include "gguf_model.hpp"

namespace axelram::checkpoints {

/// Writes the scaling that a GGUF file has as a tensor of divisors into config.json, as `llama3`
/// with the parameters that all models with it have but for the factor. Throws files::InputError if
/// these do not make the divisors.
void add_llama3_scaling(const GgufModel& model, nlohmann::json* config);

}  // namespace axelram::checkpoints
