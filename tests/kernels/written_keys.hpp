#pragma once

#include <doctest/doctest.h>

#include <memory>

#include "axelram/datapath.hpp"
#include "axelram/kernels/write.hpp"
#include "element_rows.hpp"

/// Keys through a write kernel, and through golden.
namespace test {

using namespace axelram;
using namespace axelram::kernels;

/// All that a launch writes, and all that golden expects of it.
struct Written {
  std::vector<std::uint8_t> records, indices;
  std::vector<std::uint16_t> norms;
  std::vector<std::int32_t> thresholds;
  std::vector<std::int64_t> correlations;  ///< zeros without an unbiased scale
  WriteEvents events;
  std::vector<std::int16_t> copies;          ///< none without exact tokens
  std::vector<std::int32_t> copy_exponents;  ///< likewise
};

struct Heads {
  std::vector<std::int8_t> signs;
  std::vector<std::uint16_t> center;

  Heads(const Parameters& p, std::size_t heads, std::uint64_t seed)
      : signs(random_signs(seed, heads * static_cast<std::size_t>(p.head_dim))) {
    if (!p.centered) return;
    Random random(seed);
    center.resize(signs.size());
    // Larger than the keys in some heads.
    for (std::size_t h = 0; h < heads; ++h)
      fill_row(random, h % 2 == 0 ? Kind::gaussian_like : Kind::tiny, p.element_format,
               center.data() + h * static_cast<std::size_t>(p.head_dim), p.head_dim);
  }
};

/// encoders: with feedback, of each head; null: none.
inline Written golden(const Parameters& p, HostRows& keys, const Heads& heads,
                      const std::vector<std::shared_ptr<const Feedback>>& encoders = {}) {
  const auto rom = std::make_shared<const CodebookRom>(codebook_rom(p));
  const auto d = static_cast<std::ptrdiff_t>(p.head_dim);
  std::vector<Datapath> paths;
  for (std::ptrdiff_t h = 0; h < static_cast<std::ptrdiff_t>(keys.heads); ++h) {
    const auto part = [&](const auto& of) {
      return std::vector(of.begin() + h * d, of.begin() + (h + 1) * d);
    };
    paths.emplace_back(p, rom, part(heads.signs),
                       p.centered ? part(heads.center) : std::vector<std::uint16_t>(),
                       reference_units());
    if (!encoders.empty()) paths.back().set_feedback(encoders[static_cast<std::size_t>(h)]);
  }
  Written w;
  KeyResult result;
  for (std::size_t row = 0; row < keys.tokens * keys.heads; ++row) {
    if (!paths[row % keys.heads].write(keys.at(row), &result)) {
      result.record.assign(static_cast<std::size_t>(p.record_bytes()), 0);
      result.indices.assign(static_cast<std::size_t>(p.head_dim), 0);
      result.thresholds.assign(static_cast<std::size_t>(p.boundaries()), 0);
      result.copy.elements.assign(p.copies() != 0 ? result.indices.size() : 0, 0);
      if (w.events.rejected++ == 0) w.events.first_rejected = static_cast<std::uint32_t>(row);
    }
    w.events.saturated += result.norm_saturated;
    w.records.insert(w.records.end(), result.record.begin(), result.record.end());
    w.indices.insert(w.indices.end(), result.indices.begin(), result.indices.end());
    w.thresholds.insert(w.thresholds.end(), result.thresholds.begin(), result.thresholds.end());
    w.norms.push_back(result.norm);
    w.correlations.push_back(result.correlation);
    w.copies.insert(w.copies.end(), result.copy.elements.begin(), result.copy.elements.end());
    if (p.copies() != 0) w.copy_exponents.push_back(result.copy.exponent);
  }
  return w;
}

using Write = void (*)(Stream&, const MacroConstants&, const ElementRows&, const std::int8_t*,
                       const std::uint16_t*, const WrittenRows&);

/// records_offset: bytes by which the records miss an aligned address.
inline Written run(Write write, const Parameters& p, const HostRows& keys, const Heads& heads,
                   const Written& expected, std::size_t records_offset = 0) {
  Stream stream;
  const Buffer<std::uint16_t> elements(stream, keys.elements), center(stream, heads.center);
  const Buffer<std::int8_t> signs(stream, heads.signs);
  const Buffer<std::uint8_t> records(
      stream, std::vector<std::uint8_t>(expected.records.size() + records_offset, 0xA5));
  const Buffer<std::uint8_t> indices(expected.indices.size());
  const Buffer<std::uint16_t> norms(expected.norms.size());
  const Buffer<std::int32_t> thresholds(expected.thresholds.size());
  const Buffer<std::int64_t> correlations(stream, std::vector<std::int64_t>(expected.norms.size()));
  const Buffer<std::int16_t> copies(expected.copies.size());
  const Buffer<std::int32_t> copy_exponents(expected.copy_exponents.size());
  const Buffer<WriteEvents> events(stream, std::vector<WriteEvents>(1));
  const MacroConstants constants = macro_constants(p, codebook_rom(p));
  write(stream, constants, keys.on_device(elements.data()), signs.data(), center.data(),
        {records.data() + records_offset, indices.data(), norms.data(), thresholds.data(),
         events.data(), correlations.data(), copies.data(), copy_exponents.data()});
  Written w{records.download(stream),      indices.download(stream),
            norms.download(stream),        thresholds.download(stream),
            correlations.download(stream), events.download(stream).at(0),
            copies.download(stream),       copy_exponents.download(stream)};
  w.records.erase(w.records.begin(),
                  w.records.begin() + static_cast<std::ptrdiff_t>(records_offset));
  return w;
}

inline void check_equal(const Written& w, const Written& expected) {
  REQUIRE(w.norms == expected.norms);
  REQUIRE(w.thresholds == expected.thresholds);
  REQUIRE(w.correlations == expected.correlations);
  REQUIRE(w.indices == expected.indices);
  REQUIRE(w.records == expected.records);
  REQUIRE(w.copies == expected.copies);
  REQUIRE(w.copy_exponents == expected.copy_exponents);
  CHECK(w.events.rejected == expected.events.rejected);
  CHECK(w.events.saturated == expected.events.saturated);
  CHECK(w.events.first_rejected == expected.events.first_rejected);
}

inline HostRows dense(std::size_t tokens, std::size_t heads, const Parameters& p) {
  const auto d = static_cast<std::size_t>(p.head_dim);
  return {tokens, heads, d, heads * d};
}

}  // namespace test
