#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "axelram/feedback.hpp"
#include "axelram/files/safetensors.hpp"
#include "axelram/parameters.hpp"

namespace axelram::files {

/// Second moments of the queries of every layer and KV head, row-major: what an encoder with
/// feedback knows of a model (bit-contract.md#feedback). Rank 1 (and 0, every alpha 0) has
/// `directions` F32 [layers, heads, d] and `alphas` F32 [layers, heads]; a full one has `moments`
/// F32 [layers, heads, d, d].
struct QueryMoments {
  std::size_t layers = 0, heads = 0, d = 0;
  std::vector<float> directions, alphas;
  std::vector<float> moments;

  QueryMoment at(std::size_t layer, std::size_t head) const;
};

/// FILE of an encoder that a user names, `feedback:FILE`; none if the text is no such name.
std::optional<std::string> encoder_file(const std::string& text);

/// Throws InputError, `where` first, unless the scale is unbiased and there is no split.
void check_feedback_scale(const std::string& where, const Parameters& parameters);

/// Throws InputError: other tensors, another d, a value that is not finite, a direction whose norm
/// is not 1, an alpha out of range, a moment that is not symmetric or has a negative diagonal.
QueryMoments read_query_moments(const std::string& path, int head_dim);

/// Throws like write_safetensors.
void write_query_moments(const std::string& path, const QueryMoments& moments,
                         const Metadata& metadata, bool force);

}  // namespace axelram::files
