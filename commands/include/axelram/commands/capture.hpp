#pragma once

#include <string>

#include "axelram/commands/model.hpp"
#include "axelram/commands/progress.hpp"
#include "axelram/parameters.hpp"

namespace axelram::commands {

struct CaptureOptions {
  ModelOptions model;
  std::string output, json;
  ElementFormat format = ElementFormat::fp16;
  std::uint64_t layer = 0, head = 0;
  std::uint64_t tokens = 0, window = 0, queries = 0;  ///< 0: not given
  bool before_rotary = false;  ///< keys before rotary embedding, with what turns them
  bool by_token = false;  ///< queries in the order of tokens; before_rotary and memory imply it
  bool memory = false;    ///< with the logits of the write gate: a trace of a bounded memory
  bool force = false;
};

struct CaptureResult {
  std::string model, text, trace;
  std::size_t layer = 0, head = 0;
  ElementFormat format = ElementFormat::fp16;
  checkpoints::Architecture architecture;
  std::size_t windows = 0, window = 0, tokens = 0, keys = 0, queries = 0;
  bool before_rotary = false, by_token = false;
};

/// Saves keys and queries of one layer and KV head as a trace.
CaptureResult capture(const CaptureOptions& options, const Progress& progress = {},
                      const Show<CaptureResult>& show = {});

std::string to_json(const CaptureResult& result);

}  // namespace axelram::commands
