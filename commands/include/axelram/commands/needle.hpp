#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "axelram/commands/model.hpp"
#include "axelram/commands/progress.hpp"
#include "axelram/engines/engine.hpp"
#include "axelram/names.hpp"

namespace axelram::commands {

/// Names the kind of fact that is planted and asked for.
enum class NeedleTask { fact, copy, sum };

struct NeedleOptions {
  ModelOptions model;               ///< the text is the haystack
  std::vector<std::string> caches;  ///< one or more
  std::string baseline = "fp16", json;
  std::string texts;  ///< the ids of all texts, as tensors; "": not written
  NeedleTask task = NeedleTask::fact;
  EngineKind engine = EngineKind::fast;
  std::vector<std::uint64_t> lengths = {512};                ///< tokens of a text, needle included
  std::vector<std::uint64_t> depths = {0, 25, 50, 75, 100};  ///< of the fact, percent
  std::uint64_t trials = 10;                                 ///< texts of each length and depth
  std::uint64_t seed = 1;                                    ///< of the facts
  bool force = false;
};

/// One cache at one length and depth.
struct NeedleCell {
  std::size_t length = 0, depth = 0;
  std::size_t position = 0;  ///< of the first token of the fact, in the first text
  std::size_t found = 0;     ///< texts whose answer the model would write
  double nll = 0;            ///< mean -ln p of a token of the answer, nats
};

struct NeedleResult {
  NeedleOptions options;
  std::string example_fact, example_question, example_answer;  ///< of the first text
  std::vector<std::string> caches;                             ///< the baseline first
  std::vector<std::vector<NeedleCell>> cells;  ///< [caches][lengths * depths], depths of a length
                                               ///< together
};

/// Plants a fact in a text and asks for it at the end, with each of the caches and with the
/// baseline.
NeedleResult find_needles(const NeedleOptions& options, const Progress& progress = {},
                          const Show<NeedleResult>& show = {});

std::string to_json(const NeedleResult& result);

}  // namespace axelram::commands

namespace axelram {

template <>
struct EnumNames<commands::NeedleTask> {
  static constexpr EnumRow<commands::NeedleTask> rows[] = {
      {commands::NeedleTask::fact, "fact", "a number of four digits"},
      {commands::NeedleTask::copy, "copy", "an identifier of six words and six numbers"},
      {commands::NeedleTask::sum, "sum", "two numbers and their sum, after an example"}};
};

}  // namespace axelram
