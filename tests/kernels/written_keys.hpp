#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <type_traits>

#include "axelram/datapath.hpp"
#include "axelram/kernels/write.hpp"
#include "check.hpp"
#include "element_rows.hpp"

/// Keys through a write kernel, and through golden.
namespace test {

using namespace axelram;
using namespace axelram::kernels;

/// All that a launch writes, and all that golden expects of it.
struct Written {
  std::vector<std::uint8_t> records, indices;
  std::vector<std::uint16_t> norms;
  std::vector<std::int32_t> thresholds;    ///< none with a trellis
  std::vector<std::int64_t> correlations;  ///< zeros without an unbiased scale
  WriteEvents events{};
  std::vector<std::int16_t> copies{};           ///< none without exact tokens
  std::vector<std::int32_t> copy_exponents{};   ///< likewise
  std::vector<std::int32_t> reconstructions{};  ///< of a trellis and of residuals
  std::vector<std::uint8_t> levels{};           ///< with a trellis
  std::vector<std::uint32_t> path_costs{};      ///< likewise
  std::vector<std::uint8_t> residual_signs{};   ///< with the kind prod
  std::vector<std::uint16_t> residual_norms{};  ///< likewise
  std::vector<std::int32_t> residual_shifts{};  ///< likewise
};

struct Heads {
  std::vector<std::int8_t> signs, residual_signs;
  std::vector<std::uint16_t> center;
  std::vector<std::uint16_t> channels;  ///< those of sub-vector 0, then the others, of each head
  std::vector<std::int8_t> balance;     ///< exponents; if balanced

  Heads(const Parameters& p, std::size_t heads, std::uint64_t seed)
      : signs(random_signs(seed, heads * static_cast<std::size_t>(p.head_dim))) {
    Random random(seed);
    if (p.prod()) residual_signs = random_signs(seed + 1000, signs.size());
    const auto d = static_cast<std::ptrdiff_t>(p.head_dim);
    for (std::size_t h = 0; h < heads && p.split(); ++h) {
      std::vector<std::uint16_t> order(static_cast<std::size_t>(d));
      std::iota(order.begin(), order.end(), std::uint16_t{0});
      std::shuffle(order.begin(), order.end(), random);
      std::sort(order.begin(), order.begin() + d / 2);
      std::sort(order.begin() + d / 2, order.end());
      channels.insert(channels.end(), order.begin(), order.end());
    }
    for (std::size_t h = 0; h < heads && p.balanced; ++h)
      append_exponents(random, h % 3, p.head_dim);
    if (!p.centered) return;
    center.resize(signs.size());
    // Larger than the keys in some heads.
    for (std::size_t h = 0; h < heads; ++h)
      fill_row(random, h % 2 == 0 ? Kind::gaussian_like : Kind::tiny, p.element_format,
               center.data() + h * static_cast<std::size_t>(p.head_dim), p.head_dim);
  }

  /// Of the whole range, of its ends, or of a few near one another.
  void append_exponents(Random& random, std::size_t kind, int d) {
    for (int i = 0; i < d; ++i)
      balance.push_back(static_cast<std::int8_t>(
          kind == 0   ? between(random, kLeastExponent, kMostExponent)
          : kind == 1 ? (between(random, 0, 1) != 0 ? kMostExponent : kLeastExponent)
                      : between(random, 2, 4)));
  }

  HeadRotation rotation(const Parameters& p, std::size_t head) const {
    const auto d = static_cast<std::ptrdiff_t>(p.head_dim);
    const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(head) * d;
    HeadRotation r;
    r.signs.assign(signs.begin() + first, signs.begin() + first + d);
    if (p.prod())
      r.residual_signs.assign(residual_signs.begin() + first, residual_signs.begin() + first + d);
    if (p.split())
      r.high_channels.assign(channels.begin() + first, channels.begin() + first + d / 2);
    if (p.balanced) r.balance.assign(balance.begin() + first, balance.begin() + first + d);
    return r;
  }
};

/// Heads in device memory.
struct DeviceHeads {
  Buffer<std::int8_t> signs, residual_signs, balance;
  Buffer<std::uint16_t> center, channels;

  DeviceHeads(Stream& stream, const Heads& heads)
      : signs(stream, heads.signs),
        residual_signs(stream, heads.residual_signs),
        balance(stream, heads.balance),
        center(stream, heads.center),
        channels(stream, heads.channels) {}
  KeyRotations rotations() const {
    return {signs.data(), residual_signs.data(), channels.data(), balance.data()};
  }
};

template <class T>
void append(std::vector<T>* all, const std::vector<T>& more) {
  all->insert(all->end(), more.begin(), more.end());
}

/// A vector of a key: all of it, or a sub-vector with parameters of its own.
inline void append_vector(const Parameters& p, const VectorResult& v, bool stored, Written* w) {
  const auto d = static_cast<std::size_t>(p.head_dim);
  const auto row = [&](auto* all, const auto& one, std::size_t size) {
    append(all, stored ? one : std::decay_t<decltype(one)>(size));
  };
  row(&w->indices, v.indices, d);
  row(&w->thresholds, v.thresholds, static_cast<std::size_t>(p.boundaries()));
  if (p.trellis() || p.prod())
    row(&w->reconstructions, v.reconstructions, static_cast<std::size_t>(p.levels()));
  if (p.trellis()) {
    row(&w->levels, v.levels, d);
    w->path_costs.push_back(v.path_cost);
  }
  w->events.saturated += v.norm_saturated;
  w->norms.push_back(v.norm);
  w->correlations.push_back(v.correlation);
}

/// encoders: with feedback, of each head; null: none.
inline Written golden(const Parameters& p, HostRows& keys, const Heads& heads,
                      const std::vector<std::shared_ptr<const Feedback>>& encoders = {}) {
  const auto rom = std::make_shared<const CodebookRom>(codebook_rom(p));
  const auto d = static_cast<std::ptrdiff_t>(p.head_dim);
  std::vector<Datapath> paths;
  for (std::size_t h = 0; h < keys.heads; ++h) {
    const auto at = heads.center.begin() + static_cast<std::ptrdiff_t>(h) * d;
    paths.emplace_back(p, rom, heads.rotation(p, h),
                       p.centered ? std::vector(at, at + d) : std::vector<std::uint16_t>(),
                       reference_units());
    if (!encoders.empty()) paths.back().set_feedback(encoders[h]);
  }
  Written w;
  KeyResult result;
  for (std::size_t row = 0; row < keys.tokens * keys.heads; ++row) {
    const bool stored = paths[row % keys.heads].write(keys.at(row), &result);
    if (!stored) {
      result.record.assign(static_cast<std::size_t>(p.record_bytes()), 0);
      result.copy.elements.assign(p.copies() != 0 ? static_cast<std::size_t>(d) : 0, 0);
      result.residual.signs.assign(p.prod() ? static_cast<std::size_t>(d) : 0, 0);
      if (w.events.rejected++ == 0) w.events.first_rejected = static_cast<std::uint32_t>(row);
    }
    append_vector(p.split() ? p.part(0) : p, result, stored, &w);
    if (p.split()) append_vector(p.part(1), result.second, stored, &w);
    append(&w.records, result.record);
    append(&w.copies, result.copy.elements);
    if (p.copies() != 0) w.copy_exponents.push_back(result.copy.exponent);
    if (!p.prod()) continue;
    append(&w.residual_signs, result.residual.signs);
    w.residual_norms.push_back(result.residual.norm);
    w.residual_shifts.push_back(result.residual.shift);
  }
  return w;
}

using Write = void (*)(Stream&, const MacroConstants&, const ElementRows&, const KeyRotations&,
                       const std::uint16_t*, const WrittenRows&);

/// records_offset: bytes by which the records miss an aligned address.
inline Written run(Write write, const Parameters& p, const HostRows& keys, const Heads& heads,
                   const Written& expected, std::size_t records_offset = 0) {
  Stream stream;
  const Buffer<std::uint16_t> elements(stream, keys.elements);
  const DeviceHeads on_device(stream, heads);
  const Buffer<std::uint8_t> records(
      stream, std::vector<std::uint8_t>(expected.records.size() + records_offset, 0xA5));
  const auto like = [](const auto& all) {
    return Buffer<typename std::decay_t<decltype(all)>::value_type>(all.size());
  };
  const auto indices = like(expected.indices);
  const auto norms = like(expected.norms);
  const auto thresholds = like(expected.thresholds);
  const Buffer<std::int64_t> correlations(stream,
                                          std::vector<std::int64_t>(expected.correlations.size()));
  const auto copies = like(expected.copies);
  const auto copy_exponents = like(expected.copy_exponents);
  const auto reconstructions = like(expected.reconstructions);
  const auto levels = like(expected.levels), residual_signs = like(expected.residual_signs);
  const auto path_costs = like(expected.path_costs);
  const auto residual_norms = like(expected.residual_norms);
  const auto residual_shifts = like(expected.residual_shifts);
  const Buffer<WriteEvents> events(stream, std::vector<WriteEvents>(1));
  const MacroConstants constants = macro_constants(p, codebook_rom(p));
  write(stream, constants, keys.on_device(elements.data()), on_device.rotations(),
        on_device.center.data(),
        {records.data() + records_offset, indices.data(), norms.data(), thresholds.data(),
         events.data(), correlations.data(), copies.data(), copy_exponents.data(),
         reconstructions.data(), levels.data(), path_costs.data(), residual_signs.data(),
         residual_norms.data(), residual_shifts.data()});
  Written w{records.download(stream),         indices.download(stream),
            norms.download(stream),           thresholds.download(stream),
            correlations.download(stream),    events.download(stream).at(0),
            copies.download(stream),          copy_exponents.download(stream),
            reconstructions.download(stream), levels.download(stream),
            path_costs.download(stream),      residual_signs.download(stream),
            residual_norms.download(stream),  residual_shifts.download(stream)};
  w.records.erase(w.records.begin(),
                  w.records.begin() + static_cast<std::ptrdiff_t>(records_offset));
  return w;
}

inline void check_equal(const Written& w, const Written& expected) {
  REQUIRE_SAME(w.norms, expected.norms);
  REQUIRE_SAME(w.thresholds, expected.thresholds);
  REQUIRE_SAME(w.reconstructions, expected.reconstructions);
  REQUIRE_SAME(w.path_costs, expected.path_costs);
  REQUIRE_SAME(w.levels, expected.levels);
  REQUIRE_SAME(w.correlations, expected.correlations);
  REQUIRE_SAME(w.indices, expected.indices);
  REQUIRE_SAME(w.residual_shifts, expected.residual_shifts);
  REQUIRE_SAME(w.residual_norms, expected.residual_norms);
  REQUIRE_SAME(w.residual_signs, expected.residual_signs);
  REQUIRE_SAME(w.records, expected.records);
  REQUIRE_SAME(w.copies, expected.copies);
  REQUIRE_SAME(w.copy_exponents, expected.copy_exponents);
  CHECK(w.events.rejected == expected.events.rejected);
  CHECK(w.events.saturated == expected.events.saturated);
  CHECK(w.events.first_rejected == expected.events.first_rejected);
}

inline HostRows dense(std::size_t tokens, std::size_t heads, const Parameters& p) {
  const auto d = static_cast<std::size_t>(p.head_dim);
  return {tokens, heads, d, heads * d};
}

}  // namespace test
