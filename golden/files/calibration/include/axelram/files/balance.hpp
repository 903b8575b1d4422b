#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "axelram/files/safetensors.hpp"

namespace axelram::files {

/// Factors lambda of queries, one for each pair of channels (bit-contract.md#balance): `lambdas`
/// F32 [layers, KV heads, d / 2], row-major.
struct Balance {
  static constexpr float kLeast = 1e-6F, kMost = 1e6F;

  std::size_t layers = 0, heads = 0, pairs = 0;
  std::vector<float> lambdas;

  const float* at(std::size_t layer, std::size_t head) const {
    return &lambdas[(layer * heads + head) * pairs];
  }
};

/// Throws InputError: no such tensor, or a factor outside kLeast..kMost.
Balance read_balance(const std::string& path);

/// Throws like write_safetensors.
void write_balance(const std::string& path, const Balance& balance, const Metadata& metadata,
                   bool force);

}  // namespace axelram::files
