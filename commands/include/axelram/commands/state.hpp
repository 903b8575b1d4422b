#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "axelram/commands/model.hpp"
#include "axelram/files/memory_file.hpp"

namespace axelram::commands {

struct StateOptions {
  std::string state, json;
  ModelOptions model;  ///< that the state must belong to, its name alone; "": any
  std::string cache;   ///< memory that reads the state; "": the model's own, or the default
  bool force = false;
};

/// Contents of one memory of a state file.
struct StateHead {
  std::size_t layer = 0, head = 0;
  std::size_t free = 0, window = 0, sinks = 0, exact = 0, summaries = 0;  ///< slots
  std::int64_t oldest = -1;                                               ///< position, or -1
  std::uint64_t merged = 0;                                               ///< tokens in summaries
  double gate = 0;  ///< mean code of the slots in use
};

struct StateResult {
  std::string path;
  files::MemoryIdentity identity;
  std::size_t layers = 0, heads = 0, hidden = 0;
  std::int64_t tokens = 0;
  std::vector<StateHead> memories;
};

/// Reads a state file and counts. Without a model, the checks that need none: what the metadata
/// say of model and memory is taken as it stands, except where it contradicts the slots. With one,
/// all checks of `complete`.
StateResult state_of(const StateOptions& options);

std::string to_json(const StateResult& result);

}  // namespace axelram::commands
