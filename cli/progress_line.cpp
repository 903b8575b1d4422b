#include "progress_line.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace axelram::cli {
namespace {

constexpr std::size_t kColumns = 79;
constexpr std::size_t kLeastCells = 10, kMostCells = 30;
constexpr std::chrono::seconds kInterval(10);

}  // namespace

std::string bar(std::uint64_t done, std::uint64_t all, std::size_t cells) {
  const auto full = static_cast<std::size_t>(done * cells / std::max<std::uint64_t>(all, 1));
  return "[" + std::string(full, '#') + std::string(cells - full, '.') + "]";
}

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::show(const commands::Step& step) {
  if (step.all == 0) return show_line(step.what);
  if (!terminal_) return;
  const std::string counts = std::to_string(step.done) + " of " + std::to_string(step.all);
  const std::string& note = step.note.empty() ? counts : step.note;
  // The bar gives way to a long note.
  const std::size_t taken = std::min(kColumns, step.what.size() + note.size() + 4);
  show_line(step.what + " " +
            bar(step.done, step.all, std::clamp(kColumns - taken, kLeastCells, kMostCells)) + " " +
            note);
}

void ProgressLine::show_line(const std::string& line) {
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s", line.substr(0, kColumns).c_str());
    std::fflush(stderr);
    shown_ = true;
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  const std::string kind = line.substr(0, line.find(' '));
  if (kind == kind_ && now - printed_ < kInterval) return;
  kind_ = kind;
  printed_ = now;
  std::fprintf(stderr, "%s\n", line.c_str());
}

void ProgressLine::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace axelram::cli
