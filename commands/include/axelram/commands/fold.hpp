#pragma once

#include <cstdint>
#include <string>

#include "axelram/commands/progress.hpp"
#include "axelram/stress/fold.hpp"

namespace axelram::commands {

struct FoldOptions {
  std::string model, balance, output, json;
  std::uint64_t threads = 0;  ///< 0: one for each core
  bool force = false;
};

struct FoldResult {
  std::string model, balance, output;
  stress::Folded folded;
};

/// Writes a model with the factors of a balance in its weights (bit-contract.md#balance).
FoldResult fold(const FoldOptions& options);

std::string to_json(const FoldResult& result);

}  // namespace axelram::commands
