#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace axelram::commands {

/// One message about long work.
struct Step {
  std::string what;                 ///< "verilating", "layers of windows"
  std::uint64_t done = 0, all = 0;  ///< of the work that can be counted; all = 0: a line alone
  std::string note;                 ///< after a bar; empty: "done of all"
};

/// Receives steps, from one thread; may be empty.
using Progress = std::function<void(const Step&)>;

/// Shows the figures of a command. Called before they are written to files: if a file cannot be
/// written, the figures of hours are not lost.
template <class Result>
using Show = std::function<void(const Result&)>;

template <class Result>
void show_figures(const Show<Result>& show, const Result& result) {
  if (show) show(result);
}

void tell(const Progress& progress, const Step& step);

/// For functions that report lines. `progress` must outlive it.
std::function<void(const std::string&)> lines_of(const Progress& progress);

}  // namespace axelram::commands
