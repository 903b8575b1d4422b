#pragma once

#include <chrono>
#include <cstdint>
#include <iostream>
#include <string>

#include "axelram/commands/progress.hpp"

namespace axelram::cli {

/// "[####....]" of `cells` characters in brackets, as full as `done` of `all`.
std::string bar(std::uint64_t done, std::uint64_t all, std::size_t cells);

/// Progress on stderr: one changing line on a terminal; elsewhere plain lines for steps that cannot
/// be counted, at most one in ten seconds for the same kind of work.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const commands::Step& step);
  /// show() as an argument of a command. The object must outlive it.
  commands::Progress receiver() {
    return [this](const commands::Step& step) { show(step); };
  }
  /// Prints the figures of a command in the place of the changing line. The object must outlive it.
  template <class Print>
  auto then(Print print) {
    return [this, print](const auto& result) {
      clear();
      print(result);
      std::cout << std::flush;
    };
  }
  /// Removes the changing line.
  void clear();

 private:
  void show_line(const std::string& line);

  bool terminal_;
  bool shown_ = false;
  std::string kind_;  // first word of the last line printed
  std::chrono::steady_clock::time_point printed_;
};

}  // namespace axelram::cli
