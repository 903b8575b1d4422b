#include "axelram/files/tier_constants.hpp"

#include <cstdio>
#include <stdexcept>

namespace axelram::files {
namespace {

void check_index(const std::string& origin, const char* what, std::size_t index,
                 std::size_t count) {
  if (index >= count)
    throw InputError(origin + ": " + what + " " + std::to_string(index) + "; the file has " +
                     std::to_string(count) + ", counted from 0");
}

/// Row `row` of [rows, width].
template <class T>
std::vector<T> row_of(const std::vector<T>& all, std::size_t row, std::size_t width) {
  if (all.size() < (row + 1) * width) throw std::logic_error("constants that were not read");
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(row * width);
  return {first, first + static_cast<std::ptrdiff_t>(width)};
}

NuqCodebook codebook_of(const TierConstants& all, const TierConstants::ByBits& centroids,
                        const TierConstants::ByBits& levels, std::size_t layer, int bits,
                        bool qnorm) {
  check_index(all.origin, "layer", layer, all.layers);
  const auto at = static_cast<std::size_t>(bits - 2);
  const std::size_t width = std::size_t{1} << bits;
  NuqCodebook codebook;
  codebook.centroids = row_of(centroids.at(at), layer, width);
  codebook.levels = qnorm ? row_of(levels.at(at), layer, width) : codebook.centroids;
  return codebook;
}

/// As the C locale prints %.17g: a double that is read again is the same.
std::string seventeen_digits(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

}  // namespace

SquatFeedback TierConstants::feedback(std::size_t layer, std::size_t head) const {
  check_index(origin, "layer", layer, layers);
  check_index(origin, "KV head", head, heads);
  if (!has_squat()) throw std::logic_error("matrices of SQuat that were not read");
  SquatFeedback feedback{d, squat_channels, {}, {}};
  const std::size_t row = layer * heads + head;
  feedback.matrices = row_of(squat_matrices, row, feedback.offset(feedback.runs()));
  for (const std::int32_t exponent : row_of(squat_exponents, row, feedback.runs() - 1))
    feedback.exponents.push_back(exponent);
  return feedback;
}

NuqRanges TierConstants::ranges(std::size_t layer, std::size_t head) const {
  check_index(origin, "layer", layer, layers);
  check_index(origin, "KV head", head, heads);
  if (key_middles.empty() || key_radii.empty())
    throw std::logic_error("ranges of keys that were not read");
  const std::size_t first = (layer * heads + head) * d;
  return {&key_middles[first], &key_radii[first]};
}

NuqCodebook TierConstants::key_codebook(std::size_t layer, int bits, bool qnorm) const {
  return codebook_of(*this, key_codebooks, key_levels, layer, bits, qnorm);
}

NuqCodebook TierConstants::value_codebook(std::size_t layer, int bits, bool qnorm) const {
  return codebook_of(*this, value_codebooks, value_levels, layer, bits, qnorm);
}

void write_tier_constants(const std::string& path, const TierConstants& all, Metadata metadata,
                          bool force) {
  metadata["format"] = "axelram-tiers";
  metadata["version"] = "1";
  metadata["rope"] = axelram::name_of(all.rope);
  metadata["outliers"] = seventeen_digits(all.outliers);
  if (!all.model.empty()) metadata["model"] = all.model;
  std::vector<Tensor> tensors;
  if (all.has_squat()) {
    const std::size_t g = all.squat_channels, runs = all.d / g;
    metadata["squat_channels"] = std::to_string(g);
    tensors.push_back(view("squat_matrices", DataType::i16,
                           {all.layers, all.heads, g * g * (runs * (runs - 1) / 2)},
                           all.squat_matrices));
    tensors.push_back(view("squat_exponents", DataType::i32, {all.layers, all.heads, runs - 1},
                           all.squat_exponents));
  }
  const auto add = [&](const std::string& name, const Shape& shape,
                       const std::vector<std::uint16_t>& values) {
    if (!values.empty()) tensors.push_back(view(name, DataType::f16, shape, values));
  };
  const auto add_books = [&](const std::string& name, const TierConstants::ByBits& books) {
    for (std::size_t at = 0; at < books.size(); ++at)
      add(name + std::to_string(at + 2), {all.layers, std::uint64_t{4} << at}, books[at]);
  };
  add("key_middles", {all.layers, all.heads, all.d}, all.key_middles);
  add("key_radii", {all.layers, all.heads, all.d}, all.key_radii);
  add_books("key_codebook", all.key_codebooks);
  add_books("value_codebook", all.value_codebooks);
  add_books("key_levels", all.key_levels);
  add_books("value_levels", all.value_levels);
  write_safetensors(path, tensors, metadata, force);
}

}  // namespace axelram::files
