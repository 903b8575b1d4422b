#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "axelram/parameters.hpp"

namespace axelram::files {

/// A tensor [layers, heads, d] of a file.
template <class T>
struct HeadRows {
  std::size_t layers = 0, heads = 0, d = 0;
  std::vector<T> values;

  /// The d values of a layer and head, which must exist.
  std::vector<T> row(std::size_t layer, std::size_t head) const {
    const T* const first = values.data() + (layer * heads + head) * d;
    return std::vector<T>(first, first + d);
  }
};

/// `signs` I8 [layers, heads, head_dim], all -1 or +1. Throws InputError.
HeadRows<std::int8_t> read_signs(const std::string& path, const Parameters& parameters);

/// `center` [layers, heads, head_dim] in the element format, all finite. Throws InputError.
HeadRows<std::uint16_t> read_center(const std::string& path, const Parameters& parameters);

/// `high` I32 [layers, heads, head_dim / 2], the channels of sub-vector 0 of a split, ascending.
/// Throws InputError.
HeadRows<std::uint16_t> read_channels(const std::string& path, const Parameters& parameters);

/// `balance` I8 [layers, heads, head_dim], exponents in kLeastExponent..kMostExponent
/// (bit-contract.md#exponents). Throws InputError.
HeadRows<std::int8_t> read_exponents(const std::string& path, const Parameters& parameters);

/// Row [layer, head], or the one `behind` rows behind it in the order of the file. Only this row is
/// checked. Throw InputError, also if the row does not exist.
std::vector<std::int8_t> read_signs_row(const std::string& path, const Parameters& parameters,
                                        int layer, int head, int behind = 0);
std::vector<std::uint16_t> read_center_row(const std::string& path, const Parameters& parameters,
                                           int layer, int head, int behind = 0);
std::vector<std::int8_t> read_exponents_row(const std::string& path, const Parameters& parameters,
                                            int layer, int head, int behind = 0);
std::vector<std::uint16_t> read_channels_row(const std::string& path, const Parameters& parameters,
                                             int layer, int head);

}  // namespace axelram::files
