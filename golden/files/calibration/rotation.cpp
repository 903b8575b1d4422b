#include "axelram/files/rotation.hpp"

#include <utility>

#include "axelram/files/safetensors.hpp"
#include "axelram/half.hpp"
#include "axelram/head_rotation.hpp"

namespace axelram::files {
namespace {

template <class T>
HeadRows<T> rows_of(const Safetensors& file, const char* name, DataType type, int d) {
  const Tensor& tensor = file.at(name, type, 3);
  if (tensor.shape[2] != static_cast<std::uint64_t>(d))
    throw InputError(file.origin() + ": tensor " + name + ": shape is " + to_string(tensor.shape) +
                     "; it must be [layers, heads, " + std::to_string(d) + "]");
  return {tensor.shape[0], tensor.shape[1], tensor.shape[2], tensor.values<T>()};
}

void check_place(const Safetensors& file, const char* name, const char* what, int index,
                 std::size_t count) {
  if (static_cast<std::size_t>(index) >= count)
    throw InputError(file.origin() + ": tensor " + name + ": holds " + std::to_string(count) + " " +
                     what + "s; " + what + " " + std::to_string(index) +
                     " of the configuration (from 0) is not among them");
}

std::string place(const Safetensors& file, const char* name, std::size_t layer, std::size_t head,
                  std::size_t element) {
  return file.origin() + ": tensor " + name + ", layer " + std::to_string(layer) + ", head " +
         std::to_string(head) + ", element " + std::to_string(element) + ": ";
}

void check_signs(const Safetensors& file, const std::vector<std::int8_t>& row, std::size_t layer,
                 std::size_t head) {
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i] != 1 && row[i] != -1)
      throw InputError(place(file, "signs", layer, head, i) + std::to_string(row[i]) +
                       "; signs are -1 or 1");
}

void check_center(const Safetensors& file, ElementFormat format,
                  const std::vector<std::uint16_t>& row, std::size_t layer, std::size_t head) {
  for (std::size_t i = 0; i < row.size(); ++i)
    if (!is_finite(row[i], format))
      throw InputError(place(file, "center", layer, head, i) +
                       "NaN or infinity; a center is finite");
}

void check_exponents(const Safetensors& file, const std::vector<std::int8_t>& row,
                     std::size_t layer, std::size_t head) {
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i] < kLeastExponent || row[i] > kMostExponent)
      throw InputError(place(file, "balance", layer, head, i) + std::to_string(row[i]) +
                       "; exponents lie in " + std::to_string(kLeastExponent) + ".." +
                       std::to_string(kMostExponent));
}

/// The channels of one sub-vector of a split.
void check_channels(const Safetensors& file, const std::vector<std::int32_t>& row, int head_dim,
                    std::size_t layer, std::size_t head) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::int32_t least = i == 0 ? 0 : row[i - 1] + 1;
    if (row[i] < least || row[i] >= head_dim)
      throw InputError(place(file, "high", layer, head, i) + std::to_string(row[i]) +
                       "; channels ascend strictly, from 0 to " + std::to_string(head_dim - 1));
  }
}

HeadRows<std::int32_t> channel_rows(const Safetensors& file, const Parameters& parameters) {
  return rows_of<std::int32_t>(file, "high", DataType::i32, parameters.head_dim / 2);
}

std::vector<std::uint16_t> channels_of(const std::vector<std::int32_t>& row) {
  return std::vector<std::uint16_t>(row.begin(), row.end());
}

HeadRows<std::int8_t> sign_rows(const Safetensors& file, const Parameters& parameters) {
  return rows_of<std::int8_t>(file, "signs", DataType::i8, parameters.head_dim);
}

HeadRows<std::int8_t> exponent_rows(const Safetensors& file, const Parameters& parameters) {
  return rows_of<std::int8_t>(file, "balance", DataType::i8, parameters.head_dim);
}

HeadRows<std::uint16_t> center_rows(const Safetensors& file, const Parameters& parameters) {
  const bool half = parameters.element_format == ElementFormat::fp16;
  return rows_of<std::uint16_t>(file, "center", half ? DataType::f16 : DataType::bf16,
                                parameters.head_dim);
}

/// Layer and head of the row `behind` rows behind [layer, head] in the order of the file.
template <class T>
std::pair<std::size_t, std::size_t> place_of(const Safetensors& file, const char* name,
                                             const HeadRows<T>& rows, int layer, int head,
                                             int behind) {
  check_place(file, name, "layer", layer, rows.layers);
  check_place(file, name, "head", head, rows.heads);
  const std::size_t row = static_cast<std::size_t>(layer) * rows.heads +
                          static_cast<std::size_t>(head) + static_cast<std::size_t>(behind);
  if (row >= rows.layers * rows.heads)
    throw InputError(file.origin() + ": tensor " + name + ": holds " +
                     std::to_string(rows.layers * rows.heads) +
                     " rows; store.rotations needs row " + std::to_string(row) + " (from 0)");
  return {row / rows.heads, row % rows.heads};
}

}  // namespace

HeadRows<std::int8_t> read_signs(const std::string& path, const Parameters& parameters) {
  const Safetensors file = Safetensors::read(path);
  HeadRows<std::int8_t> rows = sign_rows(file, parameters);
  for (std::size_t layer = 0; layer < rows.layers; ++layer)
    for (std::size_t head = 0; head < rows.heads; ++head)
      check_signs(file, rows.row(layer, head), layer, head);
  return rows;
}

HeadRows<std::uint16_t> read_center(const std::string& path, const Parameters& parameters) {
  const Safetensors file = Safetensors::read(path);
  HeadRows<std::uint16_t> rows = center_rows(file, parameters);
  for (std::size_t layer = 0; layer < rows.layers; ++layer)
    for (std::size_t head = 0; head < rows.heads; ++head)
      check_center(file, parameters.element_format, rows.row(layer, head), layer, head);
  return rows;
}

HeadRows<std::int8_t> read_exponents(const std::string& path, const Parameters& parameters) {
  const Safetensors file = Safetensors::read(path);
  HeadRows<std::int8_t> rows = exponent_rows(file, parameters);
  for (std::size_t layer = 0; layer < rows.layers; ++layer)
    for (std::size_t head = 0; head < rows.heads; ++head)
      check_exponents(file, rows.row(layer, head), layer, head);
  return rows;
}

HeadRows<std::uint16_t> read_channels(const std::string& path, const Parameters& parameters) {
  const Safetensors file = Safetensors::read(path);
  const HeadRows<std::int32_t> rows = channel_rows(file, parameters);
  for (std::size_t layer = 0; layer < rows.layers; ++layer)
    for (std::size_t head = 0; head < rows.heads; ++head)
      check_channels(file, rows.row(layer, head), parameters.head_dim, layer, head);
  return {rows.layers, rows.heads, rows.d, channels_of(rows.values)};
}

std::vector<std::int8_t> read_signs_row(const std::string& path, const Parameters& parameters,
                                        int layer, int head, int behind) {
  const Safetensors file = Safetensors::read(path);
  const HeadRows<std::int8_t> rows = sign_rows(file, parameters);
  const auto [l, h] = place_of(file, "signs", rows, layer, head, behind);
  auto row = rows.row(l, h);
  check_signs(file, row, l, h);
  return row;
}

std::vector<std::uint16_t> read_center_row(const std::string& path, const Parameters& parameters,
                                           int layer, int head, int behind) {
  const Safetensors file = Safetensors::read(path);
  const HeadRows<std::uint16_t> rows = center_rows(file, parameters);
  const auto [l, h] = place_of(file, "center", rows, layer, head, behind);
  auto row = rows.row(l, h);
  check_center(file, parameters.element_format, row, l, h);
  return row;
}

std::vector<std::int8_t> read_exponents_row(const std::string& path, const Parameters& parameters,
                                            int layer, int head, int behind) {
  const Safetensors file = Safetensors::read(path);
  const HeadRows<std::int8_t> rows = exponent_rows(file, parameters);
  const auto [l, h] = place_of(file, "balance", rows, layer, head, behind);
  auto row = rows.row(l, h);
  check_exponents(file, row, l, h);
  return row;
}

std::vector<std::uint16_t> read_channels_row(const std::string& path, const Parameters& parameters,
                                             int layer, int head) {
  const Safetensors file = Safetensors::read(path);
  const HeadRows<std::int32_t> rows = channel_rows(file, parameters);
  const auto [l, h] = place_of(file, "high", rows, layer, head, 0);
  const auto row = rows.row(l, h);
  check_channels(file, row, parameters.head_dim, l, h);
  return channels_of(row);
}

}  // namespace axelram::files
