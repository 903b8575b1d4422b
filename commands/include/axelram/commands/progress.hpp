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

inline void tell(const Progress& progress, const Step& step) {
  if (progress) progress(step);
}

/// For functions that report lines. `progress` must outlive it.
inline std::function<void(const std::string&)> lines_of(const Progress& progress) {
  return [&progress](const std::string& line) { tell(progress, {line, 0, 0, ""}); };
}

}  // namespace axelram::commands
