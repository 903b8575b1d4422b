#pragma once

#include <cstddef>
#include <vector>

#include "axelram/tokens/text.hpp"

namespace axelram::perplexity {

/// Ids begin .. end - 1 of a text; the ids from `scored` on are predicted.
struct Window {
  std::size_t begin, end, scored;

  std::size_t size() const { return end - begin; }
};

/// Window k begins at k * stride and has `length` ids. The first is scored on all but its first id,
/// each later one on the ids not yet scored; the last is shortened to end at `tokens`. Every id but
/// the first is scored once. tokens >= 2, 1 <= stride < length.
std::vector<Window> sliding_windows(std::size_t tokens, std::size_t length, std::size_t stride);

/// Windows of a text. If its rows are independent sequences, each row is one window, scored on all
/// tokens but the first.
std::vector<Window> windows_of(const tokens::TokenText& text, std::size_t length,
                               std::size_t stride);

}  // namespace axelram::perplexity
