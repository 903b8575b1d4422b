#include "time_left.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace axelram::commands {

std::string duration(double seconds) {
  constexpr double kMost = 1e9;  // seconds: far beyond all work
  const auto whole = static_cast<std::uint64_t>(std::ceil(std::min(seconds, kMost)));
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  const std::uint64_t minutes = (whole + 59) / 60;
  return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

Step step_of(const std::string& what, const perplexity::Progress& at) {
  const double rate = static_cast<double>(at.tokens) / std::max(at.seconds, 1e-9);
  std::string note = std::to_string(100 * at.tokens / at.of) + " %, " +
                     std::to_string(static_cast<std::uint64_t>(rate)) + " tokens/s";
  if (at.tokens > 0)
    note += ", " + duration(static_cast<double>(at.of - at.tokens) / rate) + " left";
  return {what, at.tokens, at.of, note};
}

}  // namespace axelram::commands
