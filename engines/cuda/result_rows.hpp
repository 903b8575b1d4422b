#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/files/result.hpp"
#include "axelram/files/trace.hpp"

namespace axelram::engines {

using Rows = std::vector<std::size_t>;

/// The rows of `from`, each of `width` values, in this order.
template <class T>
std::vector<T> gather(const std::vector<T>& from, const Rows& rows, std::size_t width) {
  std::vector<T> all;
  all.reserve(rows.size() * width);
  for (const std::size_t row : rows)
    all.insert(all.end(), from.begin() + static_cast<std::ptrdiff_t>(row * width),
               from.begin() + static_cast<std::ptrdiff_t>((row + 1) * width));
  return all;
}

/// Puts rows of `from` in the places that gather took them from.
template <class T>
void scatter(const std::vector<T>& from, const Rows& rows, std::size_t width, std::vector<T>* to) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                to->begin() + static_cast<std::ptrdiff_t>(rows[i] * width));
}

/// The result of a macro with attention whose tensors have their sizes, and the values of what is
/// rejected or not seen (bit-contract.md#result-attention).
files::Result sized_result(const files::Config& config, const files::Trace& trace);

}  // namespace axelram::engines
