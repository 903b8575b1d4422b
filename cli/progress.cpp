#include "progress.hpp"

#include <unistd.h>

#include <cstdio>

namespace axelram::cli {
namespace {

constexpr std::size_t kColumns = 79;
constexpr std::chrono::seconds kInterval(10);

}  // namespace

Progress::Progress() : terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() { clear(); }

void Progress::show(const std::string& line) {
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

void Progress::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace axelram::cli
