#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace axelram::cli {

/// "[####....]", as full as `done` of `all`.
std::string bar(std::uint64_t done, std::uint64_t all);

/// What is going on, on stderr: one line that changes on a terminal, plain lines elsewhere, there
/// at most one in ten seconds for the same kind of work.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const std::string& line);
  /// Removes the changing line.
  void clear();

 private:
  bool terminal_;
  bool shown_ = false;
  std::string kind_;  // first word of the last line printed
  std::chrono::steady_clock::time_point printed_;
};

}  // namespace axelram::cli
