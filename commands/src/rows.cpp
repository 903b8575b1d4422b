#include "rows.hpp"

#include <string>

#include "axelram/files/errors.hpp"

namespace axelram::commands {

tokens::TokenText in_rows(const tokens::TokenText& text, std::size_t window, bool bos) {
  const std::size_t first = bos ? 1 : 0, fresh = window - first;
  tokens::TokenText rows;
  rows.separate = true;
  rows.columns = window;
  rows.rows = (text.ids.size() - first) / fresh;
  if (rows.rows == 0)
    throw files::InputError("--separate: " + std::to_string(text.ids.size()) +
                            " tokens fill no window of " + std::to_string(window) +
                            "; name a shorter --window");
  const auto copy = [&](const auto& from, auto* to) {
    for (std::size_t row = 0; row < rows.rows && !from.empty(); ++row) {
      if (bos) to->push_back(from.front());
      const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first + row * fresh);
      to->insert(to->end(), begin, begin + static_cast<std::ptrdiff_t>(fresh));
    }
  };
  copy(text.ids, &rows.ids);
  copy(text.bytes, &rows.bytes);
  return rows;
}

}  // namespace axelram::commands
