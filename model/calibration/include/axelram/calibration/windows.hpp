#pragma once

#include <cstddef>
#include <vector>

#include "axelram/checkpoints/architecture.hpp"
#include "axelram/tokens/text.hpp"
#include "axelram/transformer/transformer.hpp"

namespace axelram::calibration {

/// Windows are sequences of their own, without overlap, numbered from 0; none crosses from a row of
/// the text into the next. They point into the text, which must outlive them.

/// What a window has unless somebody says otherwise: 256 tokens, or as many as the model takes.
std::size_t default_window(const checkpoints::Architecture& architecture);

/// The first `tokens` ids; the last window of a row may be shorter. Throws files::InputError: fewer
/// ids than that.
std::vector<transformer::Sequence> consecutive_windows(const tokens::TokenText& text,
                                                       std::size_t tokens, std::size_t window);

/// Of the n whole windows that the text holds, one after the other, number floor(i n / samples) for
/// i = 0 .. samples - 1. Throws files::InputError: n < samples.
std::vector<transformer::Sequence> spread_windows(const tokens::TokenText& text,
                                                  std::size_t samples, std::size_t window);

}  // namespace axelram::calibration
