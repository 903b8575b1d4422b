#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "axelram/codebook.hpp"
#include "axelram/quantizer.hpp"
#include "axelram/rtl/layout.hpp"
#include "verify/macro/balance.hpp"
#include "verify/macro/coverage.hpp"
#include "verify/macro/rotated_key.hpp"
#include "verify/macro/stimulus.hpp"

namespace axelram::sim {
namespace {

constexpr std::uint16_t kSign = 0x8000;

/// The centroid word of an element that equals the root of its key.
std::int32_t word_of_one(const Parameters& p, const CodebookRom& rom) {
  const std::int32_t one = 1 << p.boundary_fraction_bits;
  const auto level = std::lower_bound(rom.boundaries.begin(), rom.boundaries.end(), one);
  return rom.centroids[static_cast<std::size_t>(level - rom.boundaries.begin())];
}

}  // namespace

bool has_scale_tie(const files::Config& config) {
  const Parameters& p = config.parameters;
  if (p.trellis() || p.split() || p.scale != ScaleKind::unbiased ||
      p.element_format != ElementFormat::bf16 || p.centered)
    return false;
  auto significand = static_cast<unsigned>(3 * word_of_one(p, codebook_rom(p)));
  significand >>= std::countr_zero(significand);
  return static_cast<int>(std::bit_width(significand)) <= p.format_fraction_bits() + 1;
}

std::uint16_t Stimulus::infinity() const {
  return config_.parameters.element_format == ElementFormat::fp16 ? 0x7c00 : 0x7f80;
}

/// Truncates to the element format. The stimulus need not be exact.
std::uint16_t Stimulus::encode(double value) const {
  if (config_.parameters.element_format == ElementFormat::bf16)
    return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >>
                                      16);
  const double magnitude = std::fabs(value);
  const std::uint16_t sign = std::signbit(value) ? kSign : 0;
  if (magnitude >= 65504) return static_cast<std::uint16_t>(sign | largest());
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  exponent = std::max(exponent, -13);  // magnitude < 2^exponent; subnormals share -13
  const auto significand = static_cast<int>(std::ldexp(magnitude, 11 - exponent));
  // The hidden bit of a normal value carries into the exponent field.
  return static_cast<std::uint16_t>(sign | (((exponent + 13) << 10) + significand));
}

double Stimulus::normal() {
  return std::sqrt(-2 * std::log(uniform() + 0x1p-60)) * std::cos(2 * std::numbers::pi * uniform());
}

Vector Stimulus::filled(std::uint16_t element) const {
  return Vector(static_cast<std::size_t>(config_.parameters.head_dim), element);
}

Vector Stimulus::one_hot(int at, std::uint16_t element) const {
  Vector vector = filled(0);
  vector[static_cast<std::size_t>(at)] = element;
  return vector;
}

Vector Stimulus::raw_below(std::uint16_t bound) {
  Vector vector = filled(0);
  for (std::uint16_t& element : vector)
    element = static_cast<std::uint16_t>(below(bound) | (below(2) != 0 ? kSign : 0));
  return vector;
}

Vector Stimulus::gaussian(double scale) {
  Vector vector = filled(0);
  for (std::uint16_t& element : vector) element = encode(scale * normal());
  return vector;
}

Vector Stimulus::mixed() {
  Vector vector = gaussian(1);
  for (int outliers = 0; outliers < 4; ++outliers)
    vector[below(vector.size())] = encode(100 * normal());
  for (int zeros = 0; zeros < 8; ++zeros) vector[below(vector.size())] = 0;
  return vector;
}

Vector Stimulus::key_of(Vector vector) const {
  return before_balance(config_, std::move(vector), BalancedStream::keys);
}

Vector Stimulus::query_of(Vector vector) const {
  return before_balance(config_, std::move(vector), BalancedStream::queries);
}

/// A key with a part whose rotated elements y and root N are `wanted`, found by a search among
/// small integers (with a center, among keys that differ from it in a few elements). Returns the
/// last key tried if the search fails.
Vector Stimulus::search(const Wanted& wanted) {
  const Parameters& p = config_.parameters;
  const CodebookRom rom = codebook_rom(p);
  std::vector<std::uint32_t> roots;
  Vector vector = filled(0);
  for (int trial = 0; trial < 20000; ++trial) {
    vector = config_.center.empty() ? filled(0) : config_.center;
    for (std::uint64_t i = 0; i < 2 + below(12); ++i)
      vector[below(vector.size())] = encode(static_cast<double>(below(200)) - 100);
    vector = key_of(std::move(vector));
    const auto y = rotated_key(config_, vector.data(), &roots);
    const CodebookRom* of_part = &rom;
    for (std::size_t j = 0; j < y.size(); ++j, of_part = of_part->second.get())
      if (wanted(rtl::part_parameters(p, static_cast<int>(j)), *of_part, y[j], roots[j]))
        return vector;
  }
  return vector;
}

/// A key with some y_i equal to a threshold other than the middle one.
Vector Stimulus::tie() {
  return search([](const Parameters& p, const CodebookRom& rom, const std::vector<std::int32_t>& y,
                   std::uint32_t root) {
    std::vector<std::int32_t> thresholds(rom.boundaries.size());
    thresholds_ref(rom.boundaries.data(), p.boundaries(), root, p.boundary_fraction_bits,
                   thresholds.data());
    return std::any_of(thresholds.begin(), thresholds.end(), [&](std::int32_t threshold) {
      return threshold != 0 && std::find(y.begin(), y.end(), threshold) != y.end();
    });
  });
}

/// A key whose search through the trellis has a corner.
Vector Stimulus::trellis_tie(bool TrellisCorners::*corner) {
  return search([corner](const Parameters& p, const CodebookRom& rom,
                         const std::vector<std::int32_t>& y, std::uint32_t root) {
    std::vector<std::int32_t> reconstructions(rom.reconstructions.size());
    reconstructions_ref(rom.reconstructions.data(), p.levels(), root, p.boundary_fraction_bits,
                        reconstructions.data());
    return trellis_corners(y.data(), p.head_dim, reconstructions.data(), p.index_bits, root,
                           p.states).*
           corner;
  });
}

/// The channel that is element i of the rotated key.
std::size_t Stimulus::channel(std::size_t i) const { return order_.empty() ? i : order_[i]; }

/// The largest |y_0| beside N: y_0 = sqrt(d) N, and all other y are 0.
Vector Stimulus::spike() const {
  Vector vector = filled(encode(1.99));
  for (std::size_t i = 0; i < vector.size(); ++i)
    if (config_.head_rotation.signs[i] < 0) vector[channel(i)] |= kSign;
  return vector;
}

/// A key whose norm is 65504, or, `above`, the smallest norm of two elements that saturates.
Vector Stimulus::norm_edge(bool above) const {
  const std::uint16_t top = encode(65504);
  Vector vector = one_hot(static_cast<int>(channel(3)), top);
  if (above) vector[channel(5)] = encode(512);  // sqrt(65504^2 + 512^2) = 65506
  return vector;
}

/// y_0 = 2^(W-1) - 1, all ones, and no other y is larger. Rounded to fewer bits it would be a power
/// of two, so u_0 saturates. One element has too few bits for all ones, so several add up to y_0.
Vector Stimulus::all_ones() const {
  const Parameters& p = config_.parameters;
  const int kept = p.format_fraction_bits() + 1;
  const int unit = p.format_bias() - (p.significand_bits - 2);  // the exponent e
  Vector vector = filled(0);
  int remaining = (1 << (p.significand_bits - 1)) - 1;
  for (std::size_t i = 0; remaining > 0; ++i) {
    const auto bits = static_cast<int>(std::bit_width(static_cast<unsigned>(remaining)));
    const int chunk = bits > kept ? remaining >> (bits - kept) << (bits - kept) : remaining;
    vector[channel(i)] = encode(std::ldexp(chunk, unit));
    if (config_.head_rotation.signs[i] < 0) vector[channel(i)] |= kSign;
    remaining -= chunk;
  }
  return vector;
}

/// A key of one element whose unbiased norm is 1.5 * 2^-24, half-way between two subnormals: with
/// the word C of its level the norm is 2^(WC-2) / C times the element.
Vector Stimulus::scale_tie() const {
  const Parameters& p = config_.parameters;
  const CodebookRom rom = codebook_rom(p);
  return one_hot(1, encode(std::ldexp(3 * word_of_one(p, rom), -23 - p.centroid_bits)));
}

Vector Stimulus::near_center() {
  Vector vector = config_.center.empty() ? gaussian(1) : config_.center;
  if (below(2) != 0) vector[below(vector.size())] ^= 1;
  return config_.center.empty() ? vector : key_of(std::move(vector));
}

const std::vector<Vector>& Stimulus::corners() {
  if (!corners_.empty()) return corners_;
  const Parameters& p = config_.parameters;
  const int d = p.head_dim;
  const auto hidden = static_cast<std::uint16_t>(1 << p.format_fraction_bits());  // smallest normal
  const std::uint16_t one = encode(1);
  corners_ = {filled(0),
              filled(kSign),
              one_hot(0, 1),
              one_hot(d - 1, kSign | 1),
              filled(static_cast<std::uint16_t>(hidden - 1)),
              filled(hidden),
              raw_below(hidden),
              raw_below(static_cast<std::uint16_t>(2 * hidden)),
              filled(largest()),
              filled(largest() | kSign),
              one_hot(0, largest()),
              one_hot(d - 1, largest() | kSign),
              one_hot(d / 2, one),
              filled(one),
              filled(one | kSign),
              raw_below(infinity()),
              raw_below(infinity()),
              key_of(norm_edge(false)),
              key_of(norm_edge(true)),
              query_of(all_ones()),
              near_center(),
              p.trellis() ? trellis_tie(&TrellisCorners::levels_tie) : tie(),
              p.trellis() ? trellis_tie(&TrellisCorners::best_tie) : tie(),
              mixed(),
              gaussian(1),
              filled(encode(0x1p-19))};
  Vector alternating = filled(largest());
  for (std::size_t i = 0; i < alternating.size(); i += 2) alternating[i] |= kSign;
  corners_.insert(corners_.begin() + 10, alternating);
  for (const int at : extreme_channels(config_)) corners_.push_back(one_hot(at, 1));
  if (has_scale_tie(config_)) corners_.push_back(key_of(scale_tie()));
  if (p.trellis()) corners_.push_back(key_of(spike()));
  if (p.prod()) corners_.push_back(key_of(rounded_up_residual()));
  if (p.prod()) corners_.push_back(zero_in_second_rotation());
  for (const int part : {0, 1})
    if (p.split()) corners_.push_back(without(part));
  return corners_;
}

std::vector<Vector> Stimulus::rejected() {
  const auto last = static_cast<std::size_t>(config_.parameters.head_dim) - 1;
  std::vector<Vector> list(6, gaussian(1));
  list[0][0] = infinity();
  list[1][last] = infinity() | kSign;
  list[2][0] = static_cast<std::uint16_t>(infinity() + 1);  // signalling NaN
  list[3][last] = 0xffff;
  list[4][below(last)] = 0x7fff;
  list[5] = filled(infinity());
  return list;
}

Vector Stimulus::any() {
  switch (below(8)) {
    case 0:
      return raw_below(infinity());
    case 1:
      return gaussian(std::exp2(static_cast<double>(below(28)) - 14));
    case 2:
      return mixed();
    case 3:
      return near_center();
    case 4: {
      const std::vector<Vector>& list = corners();
      return list[below(list.size())];
    }
    default:
      return gaussian(1);
  }
}

}  // namespace axelram::sim
