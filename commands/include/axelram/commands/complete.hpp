#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "axelram/commands/model.hpp"
#include "axelram/commands/progress.hpp"

namespace axelram::commands {

struct CompleteOptions {
  ModelOptions model;  ///< without a text
  std::string cache;   ///< of a memory; "": the checkpoint's own, or the default
  std::string from;    ///< a state that the prompt follows; ""
  std::string prompt, json;
  std::uint64_t tokens = 0;  ///< that follow
  bool force = false;
};

struct CompleteResult {
  std::string model;
  std::size_t before = 0, prompt = 0;  ///< tokens of the state and of the prompt
  std::vector<std::int32_t> ids;       ///< each the most likely one
  std::string text;                    ///< that they encode
  double seconds = 0;
};

/// Greedy continuation of a state and a prompt. The state file stays as it is.
CompleteResult complete(const CompleteOptions& options, const Show<CompleteResult>& show = {});

std::string to_json(const CompleteResult& result);

}  // namespace axelram::commands
