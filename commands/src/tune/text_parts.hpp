#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "axelram/commands/model.hpp"
#include "axelram/perplexity/windows.hpp"
#include "axelram/transformer/transformer.hpp"

namespace axelram::commands::tunes {

/// Least windows of a text: three to calibrate on, one that is held out.
constexpr std::size_t kLeastWindows = 4;
/// Windows that are taken if the user states none and the text has them.
constexpr std::size_t kUsualSamples = 16, kUsualHeldOut = 4;

/// The whole windows of a text in two parts: the first three quarters, rounded up, for calibration,
/// and the rest. They point into the text.
struct TextParts {
  std::size_t windows = 0;                                ///< of the text
  std::size_t calibration = 0;                            ///< of them, the first
  std::vector<std::size_t> sample_numbers, held_numbers;  ///< those taken, at equal distances
  std::vector<transformer::Sequence> samples;
  std::vector<perplexity::Window> held_out;  ///< scored on all ids but the first
};

/// `text` may be replaced by windows that begin with a BOS each, if `bos`. name: of the text, for
/// messages. samples, held_out: how many to take, 0: the usual. Throws files::InputError: fewer
/// than kLeastWindows windows, fewer than asked for.
TextParts parts_of(tokens::TokenText* text, const std::string& name, std::size_t window, bool bos,
                   std::size_t samples, std::size_t held_out);

}  // namespace axelram::commands::tunes
