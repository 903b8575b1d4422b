#pragma once

#include <cstdint>
#include <string>

#include "axelram/commands/model.hpp"
#include "axelram/commands/progress.hpp"

namespace axelram::commands {

struct PrefillOptions {
  ModelOptions model;
  std::string cache;   ///< of a memory; "": the checkpoint's own, or the default
  std::string from;    ///< a state that the text follows; ""
  std::string output;  ///< the state after the text
  std::string json;
  std::uint64_t tokens = 0;   ///< of the text; 0: all
  std::uint64_t chunk = 256;  ///< ids that pass together; no result depends on it
  bool force = false;
};

struct PrefillResult {
  std::string model, text, state;
  std::size_t before = 0, tokens = 0;  ///< of the state that it begins with; of the text
  std::size_t slots = 0;               ///< of a layer and KV head
  double memory_bytes = 0;             ///< of all layers and heads (bit-contract.md#memory-bytes)
  double full_bytes = 0;               ///< of an FP16 cache of as many tokens
  std::uint64_t file_bytes = 0;
  double seconds = 0;
};

/// Reads a text into memories of constant size and saves them (bit-contract.md#memory-file).
PrefillResult prefill(const PrefillOptions& options, const Show<PrefillResult>& show = {});

std::string to_json(const PrefillResult& result);

}  // namespace axelram::commands
