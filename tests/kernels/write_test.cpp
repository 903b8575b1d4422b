#include "axelram/kernels/write.hpp"

#include <algorithm>
#include <utility>

#include "axelram/half.hpp"
#include "check.hpp"
#include "written_keys.hpp"

using namespace axelram;
using namespace axelram::kernels;
using namespace test;

namespace {

void check_write(const Parameters& p, HostRows keys, std::uint64_t seed,
                 std::size_t records_offset = 0) {
  CASE(p.head_dim, p.index_bits, p.significand_bits, p.boundary_fraction_bits,
       static_cast<int>(p.element_format), p.centered, static_cast<int>(p.scale), p.copies(),
       p.exact_bits, keys.tokens, keys.heads);
  keys.fill(p, seed);
  const Heads heads(p, keys.heads, seed);
  const Written expected = golden(p, keys, heads);
  check_equal(run(write_keys, p, keys, heads, expected, records_offset), expected);
  check_equal(run(write_keys_general, p, keys, heads, expected, records_offset), expected);
}

}  // namespace

TEST_CASE("write: both kernels equal golden for every dimension, index width, format, center") {
  std::uint64_t seed = 1;
  for (const int d : {32, 64, 128, 256})
    for (const int b : {2, 3, 4})
      for (const auto format : {ElementFormat::fp16, ElementFormat::bf16})
        for (const bool centered : {false, true}) {
          CASE(d, b, format, centered);
          Parameters p{.head_dim = d,
                       .index_bits = b,
                       .element_format = format,
                       .codebook = seed % 2 == 0 ? CodebookKind::gaussian : CodebookKind::beta,
                       .centered = centered};
          check_write(p, dense(13, 3, p), seed);
          p.scale = ScaleKind::unbiased;
          check_write(p, dense(13, 3, p), seed);
          p.exact_last = 1;
          check_write(p, dense(13, 3, p), seed++);
        }
}

TEST_CASE("write: both kernels equal golden at the ends of the parameters' ranges") {
  std::uint64_t seed = 100;
  for (const int d : {32, 128, 256})
    for (const int w : {12, 17, 18, 20})
      for (const int f : {10, 16})
        for (const bool centered : {false, true}) {
          CASE(d, w, f, centered);
          Parameters p{.head_dim = d,
                       .index_bits = 2 + static_cast<int>(seed % 3),
                       .significand_bits = w,
                       .boundary_fraction_bits = f,
                       .element_format = seed % 2 == 0 ? ElementFormat::fp16 : ElementFormat::bf16,
                       .centered = centered};
          check_write(p, dense(5, 4, p), seed);
          p.scale = ScaleKind::unbiased;
          p.centroid_bits = 6 + static_cast<int>(seed % 11);
          check_write(p, dense(5, 4, p), seed);
          p.exact_first = 1;
          p.exact_bits = 12 + static_cast<int>(seed % 5);
          check_write(p, dense(5, 4, p), seed++);
        }
}

TEST_CASE("write: any number of rows and heads, gaps between rows, addresses not aligned") {
  Parameters p;
  for (const std::size_t heads : {1U, 5U, 8U, 16U, 33U})
    for (const std::size_t tokens : {1U, 2U, 7U}) {
      CASE(heads, tokens);
      check_write(p, dense(tokens, heads, p), tokens);
    }
  check_write(p, dense(1100, 1, p), 3);
  check_write(p, {9, 3, 136, 640}, 4);     // aligned gaps
  check_write(p, {9, 3, 1232, 136}, 5);    // tokens within heads
  check_write(p, {9, 3, 129, 431}, 6);     // strides of no multiple
  check_write(p, {9, 3, 128, 384, 1}, 7);  // keys at an odd element
  check_write(p, dense(9, 3, p), 8, 1);    // records at an odd byte
  check_write(p, dense(9, 3, p), 9, 2);
  p.scale = ScaleKind::unbiased;
  p.exact_last = 1;
  check_write(p, {9, 3, 129, 431}, 10);
  check_write(p, dense(9, 3, p), 11, 1);
}

TEST_CASE("write: outputs with a null pointer are left out, and zero rows are allowed") {
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
    CASE(write);
    records.fill(stream, 0);
    write(stream, c, keys.on_device(elements.data()), signs.data(), nullptr,
          {records.data(), nullptr, nullptr, nullptr, nullptr});
    CHECK_SAME(records.download(stream), expected.records);
    norms.fill(stream, 0);
    write(stream, c, keys.on_device(elements.data()), signs.data(), nullptr,
          {nullptr, nullptr, norms.data(), nullptr, nullptr});
    CHECK_SAME(norms.download(stream), expected.norms);
    CHECK_NOTHROW(write(stream, c, {}, nullptr, nullptr, {}));
  }
}

TEST_CASE("write: copies alone, their elements alone, their exponents alone") {
  Stream stream;
  Parameters p{.scale = ScaleKind::unbiased, .exact_first = 1};
  HostRows keys = dense(9, 2, p);
  keys.fill(p, 1);
  const Heads heads(p, 2, 1);
  const Written expected = golden(p, keys, heads);
  const Buffer<std::uint16_t> elements(stream, keys.elements);
  const Buffer<std::int8_t> signs(stream, heads.signs);
  Buffer<std::int16_t> copies(expected.copies.size());
  Buffer<std::int32_t> exponents(expected.copy_exponents.size());
  const MacroConstants c = macro_constants(p, codebook_rom(p));
  for (const Write write : {write_keys, write_keys_general})
    for (const auto& [with_elements, with_exponents] :
         {std::pair(true, true), {true, false}, {false, true}}) {
      CASE(write, with_elements, with_exponents);
      copies.fill(stream, 0);
      exponents.fill(stream, 0);
      WrittenRows out;
      if (with_elements) out.copies = copies.data();
      if (with_exponents) out.copy_exponents = exponents.data();
      write(stream, c, keys.on_device(elements.data()), signs.data(), nullptr, out);
      CHECK((copies.download(stream) == expected.copies) == with_elements);
      CHECK((exponents.download(stream) == expected.copy_exponents) == with_exponents);
    }
}

TEST_CASE("write: elements of a copy that would round to 2^(X - 1) are clamped") {
  for (int bits = 12; bits <= 16; ++bits) {
    CASE(bits);
    Parameters p{
        .significand_bits = 20, .scale = ScaleKind::unbiased, .exact_last = 1, .exact_bits = bits};
    HostRows keys = dense(2, 1, p);
    keys.elements.assign(keys.tokens * keys.token_stride, 0);
    // m = 2047 * 2^8 and 255: their sum has 19 ones.
    for (std::size_t row = 0; row < keys.tokens; ++row) {
      keys.at(row)[0] = double_to_half(row == 0 ? 2047 : -2047);
      keys.at(row)[5] = double_to_half(0x1.FEp-1);
    }
    const Heads heads(p, 1, 1);
    const Written expected = golden(p, keys, heads);
    const auto [least, most] = std::minmax_element(expected.copies.begin(), expected.copies.end());
    CHECK(*most == (1 << (bits - 1)) - 1);
    CHECK(*least == -*most);
    check_equal(run(write_keys, p, keys, heads, expected), expected);
    check_equal(run(write_keys_general, p, keys, heads, expected), expected);
  }
}

TEST_CASE("write: events add up over launches") {
  Stream stream;
  const Parameters p;
  HostRows keys = dense(40, 1, p);
  keys.fill(p, 1);
  const Heads heads(p, 1, 1);
  const Written expected = golden(p, keys, heads);
  REQUIRE(expected.events.rejected > 0);
  const Buffer<std::uint16_t> elements(stream, keys.elements);
  const Buffer<std::int8_t> signs(stream, heads.signs);
  const Buffer<WriteEvents> events(stream, std::vector<WriteEvents>(1));
  const MacroConstants c = macro_constants(p, codebook_rom(p));
  for (int i = 0; i < 2; ++i)
    write_keys(stream, c, keys.on_device(elements.data()), signs.data(), nullptr,
               {nullptr, nullptr, nullptr, nullptr, events.data()});
  const WriteEvents met = events.download(stream).at(0);
  CHECK(met.rejected == 2 * expected.events.rejected);
  CHECK(met.saturated == 2 * expected.events.saturated);
  CHECK(met.first_rejected == expected.events.first_rejected);
}

TEST_CASE("write: what cannot be written is rejected by name") {
  Stream stream;
  Parameters p;
  const Buffer<std::uint16_t> elements(128);
  const Buffer<std::int8_t> signs(128);
  const Buffer<std::int32_t> words(1);
  const ElementRows keys = ElementRows::dense(elements.data(), 1, 1, 128);
  const MacroConstants c = macro_constants(p, codebook_rom(p));
  for (const Write write : {write_keys, write_keys_general}) {
    CASE(write);
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
    wrong = c;
    wrong.exact_bits = 11;
    CHECK_THROWS_AS(write(stream, wrong, keys, signs.data(), nullptr, {}), DeviceError);
    WrittenRows copied{.copy_exponents = words.data()};
    CHECK_THROWS_AS(write(stream, c, keys, signs.data(), nullptr, copied), DeviceError);
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
