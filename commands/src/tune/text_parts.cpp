#include "text_parts.hpp"

#include <algorithm>

#include "../rows.hpp"
#include "axelram/calibration/windows.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"

namespace axelram::commands::tunes {
namespace {

std::size_t whole_windows(const tokens::TokenText& text, std::size_t window, bool bos) {
  if (!bos) return text.rows * (text.columns / window);
  return window < 2 || text.ids.empty() ? 0 : (text.ids.size() - 1) / (window - 1);
}

/// `count` of the numbers from `first` on, `of` of them, at equal distances.
std::vector<std::size_t> spread(std::size_t first, std::size_t of, std::size_t count) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(first + i * of / count);
  return numbers;
}

std::size_t taken(std::size_t asked, std::size_t usual, std::size_t there, const char* option,
                  const std::string& part) {
  if (asked > there)
    throw files::InputError(std::string(option) + " " + std::to_string(asked) + ": the " + part +
                            " of the text has " + std::to_string(there) +
                            " whole windows; take fewer, a longer text, or a smaller --window");
  return asked != 0 ? asked : std::min(usual, there);
}

}  // namespace

TextParts parts_of(tokens::TokenText* text, const std::string& name, std::size_t window, bool bos,
                   std::size_t samples, std::size_t held_out) {
  if (window < 2)
    throw files::InputError("--window 1: predicts nothing; a window has 2 tokens or more");
  TextParts parts;
  parts.windows = whole_windows(*text, window, bos);
  if (parts.windows < kLeastWindows)
    throw files::InputError(files::printable(name) + ": has " + std::to_string(text->ids.size()) +
                            " tokens, " + std::to_string(parts.windows) + " whole windows of " +
                            std::to_string(window) + "; tune needs " +
                            std::to_string(kLeastWindows) +
                            ", one of them held out: give a longer text, or a smaller --window");
  if (bos) *text = in_rows(*text, window, true);
  const std::size_t held = parts.windows / 4;
  parts.calibration = parts.windows - held;
  parts.sample_numbers =
      spread(0, parts.calibration,
             taken(samples, kUsualSamples, parts.calibration, "--samples", "first part"));
  parts.held_numbers = spread(parts.calibration, held,
                              taken(held_out, kUsualHeldOut, held, "--windows", "last quarter"));
  const std::vector<transformer::Sequence> all =
      calibration::spread_windows(*text, parts.windows, window);
  for (const std::size_t number : parts.sample_numbers) {
    parts.samples.push_back(all[number]);
    parts.samples.back().number = static_cast<std::uint32_t>(parts.samples.size() - 1);
  }
  for (const std::size_t number : parts.held_numbers) {
    const auto begin = static_cast<std::size_t>(all[number].ids.data() - text->ids.data());
    parts.held_out.push_back({begin, begin + window, begin + 1});
  }
  return parts;
}

}  // namespace axelram::commands::tunes
