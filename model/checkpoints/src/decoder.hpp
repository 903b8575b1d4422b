#pragma once

#include <string>
#include <vector>

#include "axelram/checkpoints/checkpoint.hpp"
#include "json_object.hpp"
#include "tensors.hpp"

namespace axelram::checkpoints {

// What Llama and the families that follow it share in config.json and in the names of tensors.

/// Family, sizes and epsilon. Complains of sizes that do not fit each other.
Architecture decoder_sizes(const std::string& family, const JsonObject& config);

/// Projections that have a bias.
struct DecoderBiases {
  bool qkv, o, mlp;
};

/// Matrices and biases of a layer, and its key_offset; norms are left to the family. prefix: ends
/// with the number of the layer and a dot.
Layer decoder_projections(const std::string& prefix, const Architecture& a,
                          const DecoderBiases& biases, Tensors* tensors);

// Attention spans, 0 where attention does not slide. To be called after the weights are read: they
// show that the number of layers is not absurd.

/// sliding_window; 0 if it is null.
std::size_t sliding_window(const JsonObject& config);
/// Spans by `layer_types`, one of full_attention and sliding_attention for each layer. window: 0 if
/// there is none.
std::vector<std::size_t> spans_by_type(const JsonObject& config, std::size_t layers,
                                       std::size_t window);

}  // namespace axelram::checkpoints
