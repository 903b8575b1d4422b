#pragma once

#include <string>

#include "axelram/commands/progress.hpp"
#include "axelram/perplexity/evaluate.hpp"

namespace axelram::commands {

/// "45 s", "1 min 20 s" or "12 h 5 min": seconds >= 0, rounded up.
std::string duration(double seconds);

/// A step of work on a text, with the share that is done, the speed, and the time that the rest
/// takes at this speed: "40 %, 512 tokens/s, 1 min 20 s left".
Step step_of(const std::string& what, const perplexity::Progress& at);

}  // namespace axelram::commands
