#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "axelram/bit_string.hpp"
#include "axelram/half.hpp"
#include "axelram/nuq.hpp"
#include "axelram/tier_row.hpp"

namespace axelram {
namespace {

/// The middle and radius of a value from its extremes: multiples of 2^-25, exact.
struct NuqSpan {
  double middle, radius;
  NuqSpan(std::uint16_t least, std::uint16_t largest)
      : middle((half_to_double(largest) + half_to_double(least)) / 2),
        radius((half_to_double(largest) - half_to_double(least)) / 2) {}
};

/// Places of the parts of a row, in bits.
struct NuqPlaces {
  std::size_t extremes, channels, elements;
  explicit NuqPlaces(const NuqLayout& layout)
      : extremes(8 * layout.index_bytes()),
        channels(extremes + (layout.values ? 32 : 0)),
        elements(channels + 8 * layout.outliers) {}
};

std::uint16_t read_half(const std::uint8_t* row, std::size_t bit) {
  return static_cast<std::uint16_t>(read_bits(row, bit, 16));
}

std::vector<double> finite_elements(const std::uint16_t* x, std::size_t d) {
  check_finite(x, d);
  std::vector<double> elements;
  for (std::size_t i = 0; i < d; ++i) elements.push_back(half_to_double(x[i]));
  return elements;
}

void normalize(const std::vector<double>& x, NuqRow* row) {
  row->y.resize(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double difference = x[i] - row->middles[i];  // exact
    row->y[i] = row->radii[i] == 0 || difference == 0 ? 0 : difference / row->radii[i];
  }
}

/// The first `count` of channels in an order; the others are left. Equal ones keep their order: the
/// lower channel comes first.
template <typename Before>
std::vector<std::uint8_t> take_first(std::vector<std::uint8_t>* channels, std::size_t count,
                                     Before before) {
  std::stable_sort(channels->begin(), channels->end(), before);
  const auto end = channels->begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<std::uint8_t> taken(channels->begin(), end);
  channels->erase(channels->begin(), end);
  return taken;
}

std::vector<std::uint8_t> all_channels(std::size_t d) {
  std::vector<std::uint8_t> channels(d);
  std::iota(channels.begin(), channels.end(), std::uint8_t{0});
  return channels;
}

}  // namespace

std::size_t nuq_outlier_count(double share, std::size_t d) {
  if (!(share >= 0 && share <= 0.25))
    throw std::invalid_argument("outliers are " + std::to_string(share) +
                                " of a row; 0 to 0.25 are valid");
  return 2 * static_cast<std::size_t>(std::ceil(share * static_cast<double>(d) / 2));
}

std::vector<double> nuq_boundaries_ref(const std::vector<std::uint16_t>& centroids) {
  std::vector<double> boundaries;
  for (std::size_t j = 0; j < centroids.size(); ++j) {
    const double next = half_to_double(centroids[j]);
    const double last = j == 0 ? next : half_to_double(centroids[j - 1]);
    if (!is_finite(centroids[j], ElementFormat::fp16) || (j > 0 && last >= next))
      throw std::invalid_argument("the centroids of a KVQuant codebook do not ascend strictly");
    if (j > 0) boundaries.push_back((last + next) / 2);
  }
  return boundaries;
}

int nuq_index_ref(const std::vector<double>& boundaries, double y) {
  int index = 0;
  for (const double boundary : boundaries) index += boundary < y ? 1 : 0;
  return index;
}

NuqRow nuq_key_ref(const NuqLayout& layout, const NuqRanges& ranges, const std::uint16_t* x) {
  NuqRow row;
  for (std::size_t i = 0; i < layout.d; ++i) {
    row.middles.push_back(half_to_double(ranges.middles[i]));
    row.radii.push_back(half_to_double(ranges.radii[i]));
  }
  normalize(finite_elements(x, layout.d), &row);
  std::vector<std::uint8_t> channels = all_channels(layout.d);
  row.outliers = take_first(&channels, layout.outliers, [&](std::uint8_t a, std::uint8_t b) {
    return std::abs(row.y[a]) > std::abs(row.y[b]);
  });
  std::sort(row.outliers.begin(), row.outliers.end());
  return row;
}

NuqRow nuq_value_ref(const NuqLayout& layout, const std::uint16_t* x) {
  const std::vector<double> elements = finite_elements(x, layout.d);
  std::vector<std::uint8_t> channels = all_channels(layout.d);
  const auto less = [&](std::uint8_t a, std::uint8_t b) { return elements[a] < elements[b]; };
  const auto greater = [&](std::uint8_t a, std::uint8_t b) { return elements[a] > elements[b]; };
  NuqRow row;
  row.outliers = take_first(&channels, layout.outliers / 2, less);
  const std::vector<std::uint8_t> largest = take_first(&channels, layout.outliers / 2, greater);
  row.outliers.insert(row.outliers.end(), largest.begin(), largest.end());
  std::sort(row.outliers.begin(), row.outliers.end());

  const auto extremes = std::minmax_element(channels.begin(), channels.end(), less);
  // Zeros of either sign are stored as +0.
  row.least = double_to_half(elements[*extremes.first] + 0.0);
  row.largest = double_to_half(elements[*extremes.second] + 0.0);
  const NuqSpan span(row.least, row.largest);
  row.middles.assign(layout.d, span.middle);
  row.radii.assign(layout.d, span.radius);
  normalize(elements, &row);
  return row;
}

void encode_nuq_ref(const NuqLayout& layout, const std::vector<double>& boundaries,
                    const NuqRow& of, const std::uint16_t* x, std::uint8_t* row) {
  const auto bits = static_cast<std::size_t>(layout.bits);
  for (std::size_t i = 0; i < layout.d; ++i)
    write_bits(row, i * bits, layout.bits,
               static_cast<std::uint64_t>(nuq_index_ref(boundaries, of.y[i])));
  const NuqPlaces places(layout);
  if (layout.values) {
    write_bits(row, places.extremes, 16, of.least);
    write_bits(row, places.extremes + 16, 16, of.largest);
  }
  for (std::size_t i = 0; i < layout.outliers; ++i) {
    write_bits(row, places.channels + 8 * i, 8, of.outliers[i]);
    write_bits(row, places.elements + 16 * i, 16, x[of.outliers[i]]);
  }
}

void encode_nuq_key_ref(const NuqLayout& layout, const std::vector<double>& boundaries,
                        const NuqRanges& ranges, const std::uint16_t* x, std::uint8_t* row) {
  encode_nuq_ref(layout, boundaries, nuq_key_ref(layout, ranges, x), x, row);
}

void encode_nuq_value_ref(const NuqLayout& layout, const std::vector<double>& boundaries,
                          const std::uint16_t* x, std::uint8_t* row) {
  encode_nuq_ref(layout, boundaries, nuq_value_ref(layout, x), x, row);
}

void decode_nuq_ref(const NuqLayout& layout, const std::vector<std::uint16_t>& levels,
                    const NuqRanges& ranges, const std::uint8_t* row, float* x) {
  const auto bits = static_cast<std::size_t>(layout.bits);
  const NuqPlaces places(layout);
  const NuqSpan span(layout.values ? read_half(row, places.extremes) : std::uint16_t{0},
                     layout.values ? read_half(row, places.extremes + 16) : std::uint16_t{0});
  for (std::size_t i = 0; i < layout.d; ++i) {
    const double middle = layout.values ? span.middle : half_to_double(ranges.middles[i]);
    const double radius = layout.values ? span.radius : half_to_double(ranges.radii[i]);
    const double level = half_to_double(levels[read_bits(row, i * bits, layout.bits)]);
    // The product needs at most 52 bits and is exact. The sum may need 67: it is rounded to FP64,
    // and then to FP32. The last term turns -0 into +0.
    x[i] = static_cast<float>(middle + radius * level + 0.0);
  }
  for (std::size_t i = 0; i < layout.outliers; ++i)
    x[read_bits(row, places.channels + 8 * i, 8)] =
        static_cast<float>(half_to_double(read_half(row, places.elements + 16 * i)));
}

}  // namespace axelram
