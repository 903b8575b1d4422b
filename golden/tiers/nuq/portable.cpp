#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "axelram/fast_nuq.hpp"
#include "axelram/half.hpp"
#include "axelram/tier_row.hpp"
#include "simd/float_environment.hpp"
#include "simd/level_units.hpp"
#include "tiers/kivi/codes.hpp"
#include "tiers/nuq/arguments.hpp"

namespace axelram {
namespace {

using Channels = std::vector<std::uint8_t>;

/// Puts the `count` channels of greatest `rank` to the front of [from, end), of equal ones those of
/// lower numbers.
void select_channels(const std::vector<double>& rank, std::size_t from, std::size_t count,
                     Channels* channels) {
  const auto begin = channels->begin() + static_cast<std::ptrdiff_t>(from);
  std::partial_sort(begin, begin + static_cast<std::ptrdiff_t>(count), channels->end(),
                    [&](std::uint8_t a, std::uint8_t b) {
                      return rank[a] > rank[b] || (rank[a] == rank[b] && a < b);
                    });
}

/// y of elements in place. A difference of 0 gives +0, as its sum with +0 is.
template <typename Middle, typename Radius>
void normalize_elements(std::vector<double>* elements, Middle middle, Radius radius) {
  for (std::size_t i = 0; i < elements->size(); ++i) {
    const double over = radius(i);
    const double y = ((*elements)[i] - middle(i)) / over + 0.0;
    (*elements)[i] = over == 0 ? 0 : y;
  }
}

std::vector<double> widened_row(const std::uint16_t* x, std::size_t d) {
  check_finite(x, d);
  std::vector<double> elements(d);
  for (std::size_t i = 0; i < d; ++i) elements[i] = widened(x[i]);
  return elements;
}

Channels counted(std::size_t d) {
  Channels channels(d);
  std::iota(channels.begin(), channels.end(), std::uint8_t{0});
  return channels;
}

void store_indices(const NuqLayout& layout, const std::vector<double>& boundaries,
                   const std::vector<double>& y, std::uint8_t* row) {
  const auto bits = static_cast<std::size_t>(layout.bits);
  for (std::size_t i = 0; i < layout.d; i += kCodes, row += bits) {
    std::uint32_t indices[kCodes] = {};
    for (const double boundary : boundaries)
      for (std::size_t k = 0; k < kCodes; ++k) indices[k] += boundary < y[i + k] ? 1U : 0U;
    std::uint64_t packed = 0;
    for (std::size_t k = 0; k < kCodes; ++k) packed |= std::uint64_t{indices[k]} << (bits * k);
    store_codes(packed, bits, row);
  }
}

/// The first channels of a selection, as outliers of a row.
void store_outliers(const NuqLayout& layout, Channels* selected, const std::uint16_t* x,
                    std::uint8_t* to) {
  const auto end = selected->begin() + static_cast<std::ptrdiff_t>(layout.outliers);
  std::sort(selected->begin(), end);
  std::uint8_t* elements = std::copy(selected->begin(), end, to);
  for (std::size_t i = 0; i < layout.outliers; ++i, elements += 2)
    store_half(x[(*selected)[i]], elements);
}

/// False if the level has no such unit, or if an element is not finite: the portable path throws.
bool encode_by_level(const NuqLayout& layout, const std::vector<double>& boundaries,
                     const NuqRanges& ranges, const std::uint16_t* x, std::uint8_t* row,
                     SimdLevel level) {
  constexpr std::size_t kMostChannels = 256;
  const LevelUnits& units = level_units(level);
  // A row without anything behind its indices has no room for what the level writes there.
  const bool room = layout.bits == 4 || layout.values || layout.outliers != 0;
  return units.encode_nuq != nullptr && room && layout.d <= kMostChannels &&
         units.encode_nuq({layout.bits, layout.d, layout.outliers, boundaries.data(),
                           ranges.middles, ranges.radii, x, row});
}

}  // namespace

void encode_nuq_key(const NuqLayout& layout, const std::vector<double>& boundaries,
                    const NuqRanges& ranges, const std::uint16_t* x, std::uint8_t* row,
                    SimdLevel level) {
  const DefaultFloatEnvironment environment;
  if (encode_by_level(layout, boundaries, ranges, x, row, level)) return;
  std::vector<double> y = widened_row(x, layout.d);
  normalize_elements(
      &y, [&](std::size_t i) { return double{widened(ranges.middles[i])}; },
      [&](std::size_t i) { return double{widened(ranges.radii[i])}; });
  store_indices(layout, boundaries, y, row);
  for (double& element : y) element = std::abs(element);
  Channels channels = counted(layout.d);
  select_channels(y, 0, layout.outliers, &channels);
  store_outliers(layout, &channels, x, row + layout.index_bytes());
}

void encode_nuq_value(const NuqLayout& layout, const std::vector<double>& boundaries,
                      const std::uint16_t* x, std::uint8_t* row, SimdLevel level) {
  const DefaultFloatEnvironment environment;
  if (encode_by_level(layout, boundaries, {nullptr, nullptr}, x, row, level)) return;
  std::vector<double> elements = widened_row(x, layout.d);
  Channels channels = counted(layout.d);
  const std::size_t half = layout.outliers / 2;
  for (double& element : elements) element = -element;
  select_channels(elements, 0, half, &channels);
  for (double& element : elements) element = -element;
  select_channels(elements, half, half, &channels);
  double least = elements[channels.back()], largest = least;
  for (std::size_t i = layout.outliers; i < layout.d; ++i) {
    least = std::min(least, elements[channels[i]]);
    largest = std::max(largest, elements[channels[i]]);
  }
  std::uint8_t* const behind = row + layout.index_bytes();
  store_half(double_to_half(least + 0.0), behind);
  store_half(double_to_half(largest + 0.0), behind + 2);
  const double middle = (largest + least) / 2, radius = (largest - least) / 2;
  normalize_elements(
      &elements, [&](std::size_t) { return middle; }, [&](std::size_t) { return radius; });
  store_indices(layout, boundaries, elements, row);
  store_outliers(layout, &channels, x, behind + 4);
}

}  // namespace axelram
