#include "axelram/turboquant/head_quantizer.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "axelram/bit_string.hpp"
#include "axelram/half.hpp"
#include "axelram/signs.hpp"

namespace axelram::turboquant {
namespace {

std::size_t bits_of(const Part& part, Kind kind) {
  return static_cast<std::size_t>(part.channels * part.bits + (kind == Kind::prod ? 32 : 16));
}

std::vector<std::int8_t> signs_of(std::uint64_t seed, int layer, int head, int d) {
  std::vector<std::int8_t> signs(static_cast<std::size_t>(d));
  sign_vector(seed, layer, head, d, signs.data());
  return signs;
}

draws::Draws stream(draws::Purpose purpose, const Site& site) {
  return {site.seed, purpose, static_cast<std::size_t>(site.layer),
          static_cast<std::size_t>(site.head)};
}

std::shared_ptr<const LinearMap> rotation_of(RotationKind kind, const Site& site, int d) {
  switch (kind) {
    case RotationKind::hadamard:
      return hadamard_map(signs_of(site.seed, site.layer, site.head, d));
    case RotationKind::gaussian_qr:
      return orthogonal_map(stream(draws::Purpose::rotation, site), d);
  }
  throw std::logic_error("a rotation has no matrix");
}

Projection projection_of(ProjectionKind kind, const Site& site, int d) {
  switch (kind) {
    case ProjectionKind::gaussian:
      return gaussian_projection(stream(draws::Purpose::projection, site), d);
    case ProjectionKind::orthogonal:
      return orthogonal_projection(stream(draws::Purpose::projection, site), d);
    case ProjectionKind::hadamard:
      return hadamard_projection(signs_of(site.seed ^ kResidualSeed, site.layer, site.head, d));
  }
  throw std::logic_error("a projection has no matrix");
}

/// The channels of both sub-vectors, one after the other; all of them without a split.
std::vector<std::uint16_t> ordered(const std::vector<std::uint16_t>& high, int d) {
  if (!high.empty()) return channel_order(high, d);
  std::vector<std::uint16_t> all(static_cast<std::size_t>(d));
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  return all;
}

void write_norm(std::uint8_t* record, std::size_t at, double norm) {
  const std::uint16_t half = double_to_half(norm);
  write_bits(record, at, 16, std::min(half, kHalfMax));
}

double read_norm(const std::uint8_t* record, std::size_t at) {
  return half_to_double(static_cast<std::uint16_t>(read_bits(record, at, 16)));
}

}  // namespace

std::vector<Part> parts_of(const Settings& settings, int d) {
  const int low = static_cast<int>(std::floor(settings.bits));
  if (settings.bits == low) return {{d, low}};
  const int high = static_cast<int>(outlier_channels(settings.bits, low + 1, low, d));
  return {{high, low + 1}, {d - high, low}};
}

std::size_t record_bytes(const Settings& settings, int d) {
  std::size_t bits = 0;
  for (const Part& part : parts_of(settings, d)) bits += bits_of(part, settings.kind);
  return (bits + 7) / 8;
}

HeadQuantizer::HeadQuantizer(const Settings& settings, int d,
                             const std::vector<std::uint16_t>& high, const Site& site)
    : d_(static_cast<std::size_t>(d)), record_bytes_(record_bytes(settings, d)) {
  const std::vector<Part> parts = parts_of(settings, d);
  const std::size_t first = parts.size() == 1 ? 0 : static_cast<std::size_t>(parts[0].channels);
  if (high.size() != first)
    throw std::invalid_argument(std::to_string(high.size()) + " channels of sub-vector 0; it has " +
                                std::to_string(first));
  const std::vector<std::uint16_t> channels = ordered(high, d);
  auto channel = channels.begin();
  std::size_t bit = 0;
  for (std::size_t j = 0; j < parts.size(); ++j) {
    const Part& part = parts[j];
    Site own = site;
    if (parts.size() > 1) own.head += kMaxSplitHeads * (1 + static_cast<int>(j));
    Projection projection;
    if (settings.kind == Kind::prod)
      projection = projection_of(settings.projection, own, part.channels);
    parts_.push_back(
        {Quantizer(settings.kind, part.bits, settings.scale,
                   rotation_of(settings.rotation, own, part.channels), std::move(projection)),
         {channel, channel + part.channels},
         bit});
    channel += part.channels;
    bit += bits_of(part, settings.kind);
  }
}

void HeadQuantizer::write(const float* rows, std::size_t count, std::uint8_t* records) const {
  std::fill_n(records, count * record_bytes_, std::uint8_t{0});
  std::vector<double> part_rows;
  std::vector<Code> codes(count);
  for (const SubVector& part : parts_) {
    const std::size_t d = part.channels.size();
    part_rows.resize(count * d);
    for (std::size_t row = 0; row < count; ++row)
      for (std::size_t i = 0; i < d; ++i)
        part_rows[row * d + i] = rows[row * d_ + part.channels[i]];
    part.quantizer.quantize(part_rows.data(), count, codes.data());
    const int bits = part.quantizer.index_bits();
    for (std::size_t row = 0; row < count; ++row) {
      std::uint8_t* const record = records + row * record_bytes_;
      std::size_t at = part.first_bit;
      for (std::size_t i = 0; i < d; ++i, at += static_cast<std::size_t>(bits))
        write_bits(record, at, bits, codes[row].indices[i]);
      if (part.quantizer.has_residual())
        for (std::size_t i = 0; i < d; ++i, ++at) write_bits(record, at, 1, codes[row].negative[i]);
      write_norm(record, at, codes[row].norm);
      if (part.quantizer.has_residual()) write_norm(record, at + 16, codes[row].residual_norm);
    }
  }
}

void HeadQuantizer::read(const std::uint8_t* records, std::size_t count, float* rows) const {
  std::vector<double> part_rows;
  std::vector<Code> codes(count);
  for (const SubVector& part : parts_) {
    const std::size_t d = part.channels.size();
    const int bits = part.quantizer.index_bits();
    for (std::size_t row = 0; row < count; ++row) {
      const std::uint8_t* const record = records + row * record_bytes_;
      Code& code = codes[row];
      code.indices.resize(d);
      code.negative.resize(d);
      std::size_t at = part.first_bit;
      for (std::size_t i = 0; i < d; ++i, at += static_cast<std::size_t>(bits))
        code.indices[i] = static_cast<std::uint8_t>(read_bits(record, at, bits));
      if (part.quantizer.has_residual())
        for (std::size_t i = 0; i < d; ++i, ++at)
          code.negative[i] = static_cast<std::uint8_t>(read_bits(record, at, 1));
      code.norm = read_norm(record, at);
      if (part.quantizer.has_residual()) code.residual_norm = read_norm(record, at + 16);
    }
    part_rows.resize(count * d);
    part.quantizer.reconstruct(codes.data(), count, part_rows.data());
    for (std::size_t row = 0; row < count; ++row)
      for (std::size_t i = 0; i < d; ++i)
        rows[row * d_ + part.channels[i]] = static_cast<float>(part_rows[row * d + i]);
  }
}

}  // namespace axelram::turboquant
