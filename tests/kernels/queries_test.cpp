#include "axelram/kernels/queries.hpp"

#include <doctest/doctest.h>

#include <memory>

#include "axelram/datapath.hpp"
#include "element_rows.hpp"

using namespace axelram;
using namespace axelram::kernels;
using test::HostRows;

namespace {

void check_queries(const Parameters& p, std::size_t tokens, std::size_t heads, std::size_t group,
                   std::size_t gap, std::uint64_t seed) {
  CAPTURE(p.head_dim);
  CAPTURE(p.query_bits);
  CAPTURE(p.significand_bits);
  CAPTURE(static_cast<int>(p.element_format));
  const auto d = static_cast<std::size_t>(p.head_dim);
  HostRows queries{tokens, heads, d + gap, heads * (d + gap)};
  queries.fill(p, seed);
  const std::vector<std::int8_t> signs = test::random_signs(seed, heads / group * d);

  const auto rom = std::make_shared<const CodebookRom>(codebook_rom(p));
  Parameters uncentered = p;
  uncentered.centered = false;
  std::vector<std::int32_t> u, exponents;
  WriteEvents expected;
  for (std::size_t row = 0; row < tokens * heads; ++row) {
    const auto first = static_cast<std::ptrdiff_t>(row % heads / group * d);
    Datapath path(
        uncentered, rom,
        std::vector(signs.begin() + first, signs.begin() + first + static_cast<std::ptrdiff_t>(d)),
        {}, reference_units());
    QueryResult result;
    if (!path.round(queries.at(row), &result)) {
      result.u.assign(d, 0);
      if (expected.rejected++ == 0) expected.first_rejected = static_cast<std::uint32_t>(row);
    }
    u.insert(u.end(), result.u.begin(), result.u.end());
    exponents.push_back(result.exponent);
  }

  Stream stream;
  const Buffer<std::uint16_t> elements(stream, queries.elements);
  const Buffer<std::int8_t> device_signs(stream, signs), device_u8(u.size());
  const Buffer<std::int32_t> device_u(u.size()), device_exponents(exponents.size());
  const Buffer<WriteEvents> events(stream, std::vector<WriteEvents>(1));
  const bool bytes = p.query_bits <= 8;
  round_queries(stream, macro_constants(p, *rom), queries.on_device(elements.data()),
                static_cast<std::int32_t>(group), device_signs.data(),
                {device_u.data(), bytes ? device_u8.data() : nullptr, device_exponents.data()},
                events.data());
  REQUIRE(device_u.download(stream) == u);
  REQUIRE(device_exponents.download(stream) == exponents);
  if (bytes) REQUIRE(device_u8.download(stream) == std::vector<std::int8_t>(u.begin(), u.end()));
  const WriteEvents met = events.download(stream).at(0);
  CHECK(met.rejected == expected.rejected);
  CHECK(met.saturated == 0);
  CHECK(met.first_rejected == expected.first_rejected);
}

}  // namespace

TEST_CASE("queries: rounded as golden does, for every dimension, width and format") {
  std::uint64_t seed = 1;
  for (const int d : {32, 64, 128, 256})
    for (const int query_bits : {6, 8, 9, 16})
      for (const auto format : {ElementFormat::fp16, ElementFormat::bf16}) {
        Parameters p;
        p.head_dim = d;
        p.query_bits = query_bits;
        p.element_format = format;
        p.significand_bits = seed % 3 == 0 ? 20 : seed % 3 == 1 ? 16 : 12;
        p.centered = seed % 2 == 0;  // of no effect on queries
        check_queries(p, 7, 3, 1, 0, seed++);
      }
}

TEST_CASE("queries: the heads of a group share signs; rows need no alignment") {
  const Parameters p;
  check_queries(p, 5, 8, 4, 0, 1);
  check_queries(p, 5, 6, 3, 1, 2);
  check_queries(p, 1, 1, 1, 0, 3);
  check_queries(p, 3, 8, 8, 5, 4);
}

TEST_CASE("queries: what cannot be rounded is rejected by name, and no rows are no work") {
  Stream stream;
  Parameters p;
  const Buffer<std::uint16_t> elements(384);
  const Buffer<std::int8_t> signs(384);
  const ElementRows queries = ElementRows::dense(elements.data(), 1, 3, 128);
  const MacroConstants c = macro_constants(p, codebook_rom(p));
  CHECK_NOTHROW(round_queries(stream, c, {}, 1, nullptr, {}, nullptr));
  CHECK_THROWS_WITH(round_queries(stream, c, queries, 2, signs.data(), {}, nullptr),
                    "round_queries(queries [1, 3, 128]): the group must divide the heads");
  CHECK_THROWS_AS(round_queries(stream, c, queries, 0, signs.data(), {}, nullptr), DeviceError);
  CHECK_THROWS_AS(round_queries(stream, c, queries, 1, nullptr, {}, nullptr), DeviceError);
  MacroConstants wide = c;
  wide.query_bits = 9;
  const Buffer<std::int8_t> u8(384);
  CHECK_THROWS_AS(
      round_queries(stream, wide, queries, 1, signs.data(), {nullptr, u8.data(), nullptr}, nullptr),
      DeviceError);
}
