#include "axelram/kernels/write.hpp"

#include <memory>
#include <string>

#include "axelram/datapath.hpp"
#include "check.hpp"
#include "element_rows.hpp"

using namespace axelram;
using namespace axelram::kernels;
using test::HostRows;

namespace {

/// All that a launch writes, and all that golden expects of it.
struct Written {
  std::vector<std::uint8_t> records, indices;
  std::vector<std::uint16_t> norms;
  std::vector<std::int32_t> thresholds;
  WriteEvents events;
};

struct Heads {
  std::vector<std::int8_t> signs;
  std::vector<std::uint16_t> center;

  Heads(const Parameters& p, std::size_t heads, std::uint64_t seed)
      : signs(test::random_signs(seed, heads * static_cast<std::size_t>(p.head_dim))) {
    if (!p.centered) return;
    test::Random random(seed);
    center.resize(signs.size());
    // Larger than the keys in some heads.
    for (std::size_t h = 0; h < heads; ++h)
      test::fill_row(random, h % 2 == 0 ? test::Kind::gaussian_like : test::Kind::tiny,
                     p.element_format, center.data() + h * static_cast<std::size_t>(p.head_dim),
                     p.head_dim);
  }
};

Written golden(const Parameters& p, HostRows& keys, const Heads& heads) {
  const auto rom = std::make_shared<const CodebookRom>(codebook_rom(p));
  const auto d = static_cast<std::ptrdiff_t>(p.head_dim);
  std::vector<Datapath> paths;
  for (std::ptrdiff_t h = 0; h < static_cast<std::ptrdiff_t>(keys.heads); ++h) {
    const auto part = [&](const auto& of) {
      return std::vector(of.begin() + h * d, of.begin() + (h + 1) * d);
    };
    paths.emplace_back(p, rom, part(heads.signs),
                       p.centered ? part(heads.center) : std::vector<std::uint16_t>(),
                       Units::reference);
  }
  Written w;
  KeyResult result;
  for (std::size_t row = 0; row < keys.tokens * keys.heads; ++row) {
    if (!paths[row % keys.heads].write(keys.at(row), &result)) {
      result.record.assign(static_cast<std::size_t>(p.record_bytes()), 0);
      result.indices.assign(static_cast<std::size_t>(p.head_dim), 0);
      result.thresholds.assign(static_cast<std::size_t>(p.boundaries()), 0);
      if (w.events.refused++ == 0) w.events.first_refused = static_cast<std::uint32_t>(row);
    }
    w.events.saturated += result.norm_saturated;
    w.records.insert(w.records.end(), result.record.begin(), result.record.end());
    w.indices.insert(w.indices.end(), result.indices.begin(), result.indices.end());
    w.thresholds.insert(w.thresholds.end(), result.thresholds.begin(), result.thresholds.end());
    w.norms.push_back(result.norm);
  }
  return w;
}

using Write = void (*)(Stream&, const MacroConstants&, const ElementRows&, const std::int8_t*,
                       const std::uint16_t*, const WrittenRows&);

/// records_offset: bytes by which the records miss an aligned address.
Written run(Write write, const Parameters& p, const HostRows& keys, const Heads& heads,
            const Written& expected, std::size_t records_offset = 0) {
  Stream stream;
  const Buffer<std::uint16_t> elements(stream, keys.elements), center(stream, heads.center);
  const Buffer<std::int8_t> signs(stream, heads.signs);
  const Buffer<std::uint8_t> records(expected.records.size() + records_offset);
  const Buffer<std::uint8_t> indices(expected.indices.size());
  const Buffer<std::uint16_t> norms(expected.norms.size());
  const Buffer<std::int32_t> thresholds(expected.thresholds.size());
  const Buffer<WriteEvents> events(stream, std::vector<WriteEvents>(1));
  const MacroConstants constants = macro_constants(p, codebook_rom(p));
  write(stream, constants, keys.on_device(elements.data()), signs.data(), center.data(),
        {records.data() + records_offset, indices.data(), norms.data(), thresholds.data(),
         events.data()});
  Written w{records.download(stream), indices.download(stream), norms.download(stream),
            thresholds.download(stream), events.download(stream).at(0)};
  w.records.erase(w.records.begin(),
                  w.records.begin() + static_cast<std::ptrdiff_t>(records_offset));
  return w;
}

void check_equal(const Written& w, const Written& expected) {
  REQUIRE(w.norms == expected.norms);
  REQUIRE(w.thresholds == expected.thresholds);
  REQUIRE(w.indices == expected.indices);
  REQUIRE(w.records == expected.records);
  CHECK(w.events.refused == expected.events.refused);
  CHECK(w.events.saturated == expected.events.saturated);
  CHECK(w.events.first_refused == expected.events.first_refused);
}

void check_write(const Parameters& p, HostRows keys, std::uint64_t seed,
                 std::size_t records_offset = 0) {
  CAPTURE(p.head_dim);
  CAPTURE(p.index_bits);
  CAPTURE(p.significand_bits);
  CAPTURE(p.boundary_fraction_bits);
  CAPTURE(static_cast<int>(p.element_format));
  CAPTURE(p.centered);
  CAPTURE(keys.tokens);
  CAPTURE(keys.heads);
  keys.fill(p, seed);
  const Heads heads(p, keys.heads, seed);
  const Written expected = golden(p, keys, heads);
  check_equal(run(write_keys, p, keys, heads, expected, records_offset), expected);
  check_equal(run(write_keys_general, p, keys, heads, expected, records_offset), expected);
}

HostRows dense(std::size_t tokens, std::size_t heads, const Parameters& p) {
  const auto d = static_cast<std::size_t>(p.head_dim);
  return {tokens, heads, d, heads * d};
}

}  // namespace

TEST_CASE("write: both kernels equal golden for every dimension, index width, format, center") {
  std::uint64_t seed = 1;
  for (const int d : {32, 64, 128, 256})
    for (const int b : {2, 3, 4})
      for (const auto format : {ElementFormat::fp16, ElementFormat::bf16})
        for (const bool centered : {false, true}) {
          Parameters p;
          p.head_dim = d;
          p.index_bits = b;
          p.element_format = format;
          p.centered = centered;
          p.codebook = seed % 2 == 0 ? CodebookKind::gaussian : CodebookKind::beta;
          check_write(p, dense(13, 3, p), seed++);
        }
}

TEST_CASE("write: both kernels equal golden at the ends of the parameters' ranges") {
  std::uint64_t seed = 100;
  for (const int d : {32, 128, 256})
    for (const int w : {12, 17, 18, 20})
      for (const int f : {10, 16})
        for (const bool centered : {false, true}) {
          Parameters p;
          p.head_dim = d;
          p.significand_bits = w;
          p.boundary_fraction_bits = f;
          p.centered = centered;
          p.index_bits = 2 + static_cast<int>(seed % 3);
          p.element_format = seed % 2 == 0 ? ElementFormat::fp16 : ElementFormat::bf16;
          check_write(p, dense(5, 4, p), seed++);
        }
}

TEST_CASE("write: any number of rows and heads, gaps between rows, addresses not aligned") {
  Parameters p;
  for (const std::size_t heads : {1U, 5U, 8U, 16U, 33U})
    for (const std::size_t tokens : {1U, 2U, 7U}) check_write(p, dense(tokens, heads, p), tokens);
  check_write(p, dense(1100, 1, p), 3);
  check_write(p, {9, 3, 136, 640}, 4);     // aligned gaps
  check_write(p, {9, 3, 1232, 136}, 5);    // tokens within heads
  check_write(p, {9, 3, 129, 431}, 6);     // strides of no multiple
  check_write(p, {9, 3, 128, 384, 1}, 7);  // keys at an odd element
  check_write(p, dense(9, 3, p), 8, 1);    // records at an odd byte
  check_write(p, dense(9, 3, p), 9, 2);
}

TEST_CASE("write: parts that nobody wants are left out, and no rows are no work") {
  Stream stream;
  const Parameters p;
  HostRows keys = dense(9, 2, p);
  keys.fill(p, 1);
  const Heads heads(p, 2, 1);
  const Written expected = golden(p, keys, heads);
  const Buffer<std::uint16_t> elements(stream, keys.elements);
  Buffer<std::uint16_t> norms(expected.norms.size());
  Buffer<std::uint8_t> records(expected.records.size());
  const Buffer<std::int8_t> signs(stream, heads.signs);
  const MacroConstants c = macro_constants(p, codebook_rom(p));
  for (const Write write : {write_keys, write_keys_general}) {
    records.fill(stream, 0);
    write(stream, c, keys.on_device(elements.data()), signs.data(), nullptr,
          {records.data(), nullptr, nullptr, nullptr, nullptr});
    CHECK(records.download(stream) == expected.records);
    norms.fill(stream, 0);
    write(stream, c, keys.on_device(elements.data()), signs.data(), nullptr,
          {nullptr, nullptr, norms.data(), nullptr, nullptr});
    CHECK(norms.download(stream) == expected.norms);
    CHECK_NOTHROW(write(stream, c, {}, nullptr, nullptr, {}));
  }
}

TEST_CASE("write: events add up over launches") {
  Stream stream;
  const Parameters p;
  HostRows keys = dense(40, 1, p);
  keys.fill(p, 1);
  const Heads heads(p, 1, 1);
  const Written expected = golden(p, keys, heads);
  REQUIRE(expected.events.refused > 0);
  const Buffer<std::uint16_t> elements(stream, keys.elements);
  const Buffer<std::int8_t> signs(stream, heads.signs);
  const Buffer<WriteEvents> events(stream, std::vector<WriteEvents>(1));
  const MacroConstants c = macro_constants(p, codebook_rom(p));
  for (int i = 0; i < 2; ++i)
    write_keys(stream, c, keys.on_device(elements.data()), signs.data(), nullptr,
               {nullptr, nullptr, nullptr, nullptr, events.data()});
  const WriteEvents met = events.download(stream).at(0);
  CHECK(met.refused == 2 * expected.events.refused);
  CHECK(met.saturated == 2 * expected.events.saturated);
  CHECK(met.first_refused == expected.events.first_refused);
}

TEST_CASE("write: what cannot be written is refused by name") {
  Stream stream;
  Parameters p;
  const Buffer<std::uint16_t> elements(128);
  const Buffer<std::int8_t> signs(128);
  const ElementRows keys = ElementRows::dense(elements.data(), 1, 1, 128);
  const MacroConstants c = macro_constants(p, codebook_rom(p));
  for (const Write write : {write_keys, write_keys_general}) {
    MacroConstants wrong = c;
    wrong.index_bits = 5;
    CHECK_THROWS_AS(write(stream, wrong, keys, signs.data(), nullptr, {}), DeviceError);
    wrong = c;
    wrong.log2_dim = 6;
    CHECK_THROWS_AS(write(stream, wrong, keys, signs.data(), nullptr, {}), DeviceError);
    wrong = c;
    wrong.centered = true;
    wrong.aligned_bits = 17;
    CHECK_THROWS_AS(write(stream, wrong, keys, signs.data(), nullptr, {}), DeviceError);
    CHECK_THROWS_AS(write(stream, c, keys, nullptr, nullptr, {}), DeviceError);
    ElementRows many = keys;
    many.tokens = std::size_t{1} << 31;
    many.heads = 2;
    CHECK_THROWS_AS(write(stream, c, many, signs.data(), nullptr, {}), DeviceError);
    many.data = nullptr;
    many.tokens = 1;
    CHECK_THROWS_AS(write(stream, c, many, signs.data(), nullptr, {}), DeviceError);
  }
  ElementRows many = keys;
  many.tokens = 0xFFFFFFFF;
  CHECK_THROWS_WITH(write_keys(stream, c, many, signs.data(), nullptr, {}),
                    "write_keys(keys [4294967295, 1, 128]): at most 4294967294 rows fit");
}
