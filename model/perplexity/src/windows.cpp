#include "axelram/perplexity/windows.hpp"

#include <algorithm>

namespace axelram::perplexity {

std::vector<Window> sliding_windows(std::size_t tokens, std::size_t length, std::size_t stride) {
  std::vector<Window> windows;
  std::size_t scored = 1;
  for (std::size_t begin = 0; scored < tokens; begin += stride) {
    const std::size_t end = std::min(begin + length, tokens);
    windows.push_back({begin, end, scored});
    scored = end;
  }
  return windows;
}

std::vector<Window> windows_of(const tokens::TokenText& text, std::size_t length,
                               std::size_t stride) {
  if (!text.separate) return sliding_windows(text.ids.size(), length, stride);
  std::vector<Window> windows;
  for (std::size_t row = 0; row < text.rows; ++row)
    windows.push_back({row * text.columns, (row + 1) * text.columns, row * text.columns + 1});
  return windows;
}

}  // namespace axelram::perplexity
