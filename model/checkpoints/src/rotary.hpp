#pragma once

#include "axelram/checkpoints/architecture.hpp"
#include "json_object.hpp"

namespace axelram::checkpoints {

/// The rotary embedding that a Hugging Face config.json asks for (rope_theta, rope_scaling or
/// rope_parameters), for heads of `head_dim` channels. max_positions: the model's, where the
/// scaling names none of its own. fallback: theta where none is given. Throws files::InputError for
/// a scaling that is not supported or makes a frequency no positive number.
Rotary rotary(const JsonObject& config, std::size_t head_dim, std::size_t max_positions,
              double fallback = 10000);

/// The same of an object that may hold theta and scaling itself.
Rotary rotary_of(const JsonObject& parameters, std::size_t head_dim, std::size_t max_positions,
                 double fallback);

/// theta^(-2i / d), i below d / 2.
std::vector<double> rotary_frequencies(double theta, std::size_t head_dim);

}  // namespace axelram::checkpoints
