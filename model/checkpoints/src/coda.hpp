#pragma once

#include <string>

#include "axelram/checkpoints/checkpoint.hpp"
#include "json_object.hpp"
#include "tensors.hpp"

namespace axelram::checkpoints {

/// The object `coda` of config.json. Throws files::InputError for unknown keys and values.
Coda read_coda(const JsonObject& coda);

/// The tensors of one layer. prefix: ends with "self_attn.".
CodaWeights read_coda_weights(const std::string& prefix, const Architecture& a, Tensors* tensors);

}  // namespace axelram::checkpoints
