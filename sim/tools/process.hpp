#pragma once

#include <functional>
#include <string>
#include <vector>

namespace axelram::sim {

/// Receives the lines of a stream, without their ends.
using TakeLine = std::function<void(const std::string&)>;

/// Runs a program to its end, without input, in the locale C, in a process group that a signal of
/// this program ends too. `words`: its path and its arguments. `folder`: where it runs and keeps
/// temporary files, so that they go with the folder; "": here. Its two streams stay apart. Returns
/// its exit code, or the negative number of the signal that ended it. Throws
/// files::EnvironmentError if it cannot be started.
int run_process(const std::vector<std::string>& words, const std::string& folder,
                const TakeLine& out, const TakeLine& err);

}  // namespace axelram::sim
