#pragma once

#include <cstddef>
#include <vector>

#include "axelram/checkpoints/architecture.hpp"
#include "axelram/tokens/text.hpp"
#include "axelram/transformer/transformer.hpp"

namespace axelram::calibration {

/// Windows are independent sequences without overlap, numbered from 0; none crosses from one row of
/// the text into the next. They point into the text, which must outlive them.

/// Default length of a window: 256 tokens, or the longest sequence of the model if that is less.
std::size_t default_window(const checkpoints::Architecture& architecture);

/// The first `tokens` ids; the last window of a row may be shorter. Throws files::InputError: fewer
/// ids than that.
std::vector<transformer::Sequence> consecutive_windows(const tokens::TokenText& text,
                                                       std::size_t tokens, std::size_t window);

/// `samples` of the n whole windows of the text: number floor(i n / samples) for i = 0 .. samples -
/// 1. Throws files::InputError: n < samples.
std::vector<transformer::Sequence> spread_windows(const tokens::TokenText& text,
                                                  std::size_t samples, std::size_t window);

}  // namespace axelram::calibration
