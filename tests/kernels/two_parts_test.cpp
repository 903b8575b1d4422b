#include "two_parts.hpp"

#include "axelram/half.hpp"
#include "axelram/kernels/queries.hpp"
#include "check.hpp"
#include "golden_scores.hpp"
#include "written_keys.hpp"

using namespace axelram;
using namespace axelram::kernels;
using namespace test;

namespace {

void check_write(const Parameters& p, HostRows keys, std::uint64_t seed,
                 std::size_t records_offset = 0) {
  CASE(text_of(p), keys.tokens, keys.heads);
  keys.fill(p, seed);
  const Heads heads(p, keys.heads, seed);
  const Written expected = golden(p, keys, heads);
  check_equal(run(write_keys, p, keys, heads, expected, records_offset), expected);
}

}  // namespace

TEST_CASE("two parts: the write kernel equals golden for every dimension, bits, format, center") {
  std::uint64_t seed = 1;
  for (const int d : {32, 64, 128, 256})
    for (Parameters p : all_two_parts(d)) {
      CASE(d, p);
      p.element_format = seed % 2 == 0 ? ElementFormat::fp16 : ElementFormat::bf16;
      p.centered = seed % 3 == 0;
      p.codebook = seed % 5 == 0 && d > 32 ? CodebookKind::beta : CodebookKind::gaussian;
      check_write(p, dense(11, 3, p), seed++);
    }
}

TEST_CASE("two parts: the write kernel equals golden at the ends of the parameters' ranges") {
  std::uint64_t seed = 100;
  for (const int d : {32, 128, 256})
    for (const int w : {12, 20})
      for (const bool centered : {false, true})
        for (Parameters p : some_two_parts(d, static_cast<int>(seed % 3))) {
          CASE(d, w, centered, p);
          p.significand_bits = w;
          p.boundary_fraction_bits = seed % 2 == 0 ? 10 : 16;
          p.centroid_bits = seed % 4 < 2 ? 6 : 16;
          p.centered = centered;
          p.element_format = seed % 3 == 0 ? ElementFormat::fp16 : ElementFormat::bf16;
          check_write(p, dense(10, 2, p), seed++);
        }
}

TEST_CASE("two parts: any number of rows and heads, gaps between rows, addresses not aligned") {
  for (const Parameters& p : some_two_parts(128, 1)) {
    CASE(p);
    for (const std::size_t heads : {1U, 5U})
      for (const std::size_t tokens : {1U, 7U}) {
        CASE(heads, tokens);
        check_write(p, dense(tokens, heads, p), tokens);
      }
    check_write(p, {9, 3, 129, 431}, 6);
    check_write(p, {9, 3, 128, 384, 1}, 7);
    check_write(p, dense(9, 3, p), 8, 1);
  }
}

TEST_CASE("two parts: keys that are one rotated element, or nothing in one sub-vector") {
  for (const int d : {32, 128})
    for (const Parameters& p : some_two_parts(d, 2)) {
      CASE(d, text_of(p));
      HostRows keys = dense(static_cast<std::size_t>(2 * d), 1, p);
      keys.fill(p, 1);
      const Heads heads(p, 1, 1);
      const HeadRotation rotation = heads.rotation(p, 0);
      const auto width = static_cast<std::size_t>(d);
      const std::size_t vector = p.split() ? width / 2 : width;
      for (std::size_t row = 0; row < 2 * width; ++row)
        for (std::size_t at = 0; at < width; ++at) {
          // Row `row` of the transform of its sub-vector; zeros in the other one, and the largest
          // elements in every second.
          const bool mine = at / vector == row / 2 / vector;
          const bool odd = (std::popcount((at % vector) & (row / 2 % vector)) & 1) != 0;
          const double size = !mine ? 0 : row % 2 == 0 ? 1 : 65504;
          const double value = odd != (rotation.signs[at] < 0) ? -size : size;
          const std::size_t channel = p.split() ? heads.channels[at] : at;
          keys.at(row)[channel] = double_to_half(value);
        }
      const Written expected = golden(p, keys, heads);
      check_equal(run(write_keys, p, keys, heads, expected), expected);
    }
}

TEST_CASE("two parts: residuals of the largest elements saturate both norms and shift far") {
  Parameters p = prod_of(256, 2);
  p.significand_bits = 20;
  HostRows keys = dense(4, 1, p);
  keys.fill(p, 1);
  for (std::size_t row = 0; row < 4; ++row)
    for (std::size_t i = 0; i < 256; ++i)
      keys.at(row)[i] = double_to_half((i * (row + 1)) % 7 < 3 ? 65504 : -65504);
  const Heads heads(p, 1, 1);
  const Written expected = golden(p, keys, heads);
  CHECK(expected.residual_shifts[0] > 0);
  CHECK(expected.residual_norms[0] == kHalfMax);
  CHECK(expected.events.saturated == 4);
  check_equal(run(write_keys, p, keys, heads, expected), expected);
}

TEST_CASE("two parts: outputs with a null pointer are left out, and what lacks is named") {
  Stream stream;
  for (const Parameters& p : some_two_parts(64, 1)) {
    CASE(p);
    HostRows keys = dense(5, 2, p);
    keys.fill(p, 1);
    const Heads heads(p, 2, 1);
    const Written expected = golden(p, keys, heads);
    const Buffer<std::uint16_t> elements(stream, keys.elements);
    const DeviceHeads on_device(stream, heads);
    const Buffer<std::uint8_t> records(expected.records.size());
    const MacroConstants c = macro_constants(p, codebook_rom(p));
    WrittenRows out;
    const ElementRows rows = keys.on_device(elements.data());
    CHECK_NOTHROW(write_keys(stream, c, rows, on_device.rotations(), nullptr, out));
    out.records = records.data();
    write_keys(stream, c, rows, on_device.rotations(), nullptr, out);
    CHECK_SAME(records.download(stream), expected.records);
    const char* const lacking = p.prod() ? "no residual signs" : "no channels of the split";
    CHECK_THROWS_WITH_AS(write_keys(stream, c, rows, on_device.signs.data(), nullptr, out),
                         doctest::Contains(lacking), DeviceError);
    CHECK_THROWS_WITH_AS(round_queries(stream, c, rows, 1, on_device.signs.data(), {}, nullptr),
                         doctest::Contains(lacking), DeviceError);
    std::int16_t copies[1];
    out.copies = copies;
    CHECK_THROWS_AS(write_keys(stream, c, rows, on_device.rotations(), nullptr, out), DeviceError);
  }
}
