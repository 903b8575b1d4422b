#include "axelram/calibration/windows.hpp"

#include <algorithm>
#include <string>

#include "axelram/files/errors.hpp"

namespace axelram::calibration {
namespace {

constexpr std::size_t kUsualWindow = 256;

transformer::Sequence window_at(const tokens::TokenText& text, std::size_t first, std::size_t count,
                                std::size_t number) {
  return {{text.ids.data() + first, count}, static_cast<std::uint32_t>(number)};
}

}  // namespace

std::size_t default_window(const checkpoints::Architecture& architecture) {
  return std::min(kUsualWindow, architecture.max_positions);
}

std::vector<transformer::Sequence> consecutive_windows(const tokens::TokenText& text,
                                                       std::size_t tokens, std::size_t window) {
  if (tokens > text.ids.size())
    throw files::InputError("the text has " + std::to_string(text.ids.size()) +
                            " tokens; fewer than the " + std::to_string(tokens) + " asked for");
  std::vector<transformer::Sequence> windows;
  for (std::size_t at = 0; at < tokens; at += windows.back().ids.size()) {
    const std::size_t left_in_row = text.columns - at % text.columns;
    windows.push_back(
        window_at(text, at, std::min({window, left_in_row, tokens - at}), windows.size()));
  }
  return windows;
}

std::vector<transformer::Sequence> spread_windows(const tokens::TokenText& text,
                                                  std::size_t samples, std::size_t window) {
  const std::size_t per_row = text.columns / window;
  const std::size_t whole = text.rows * per_row;
  if (whole < samples)
    throw files::InputError("the text has " + std::to_string(text.rows * text.columns) +
                            " tokens, " + std::to_string(whole) + " whole windows of " +
                            std::to_string(window) + "; " + std::to_string(samples) +
                            " samples need as many; take fewer, or a smaller window");
  std::vector<transformer::Sequence> windows;
  for (std::size_t i = 0; i < samples; ++i) {
    const std::size_t number = i * whole / samples;
    windows.push_back(
        window_at(text, number / per_row * text.columns + number % per_row * window, window, i));
  }
  return windows;
}

}  // namespace axelram::calibration
