#include "axelram/kernels/queries.hpp"

#include <memory>

#include "axelram/datapath.hpp"
#include "check.hpp"
#include "two_parts.hpp"
#include "written_keys.hpp"

using namespace axelram;
using namespace axelram::kernels;
using test::HostRows;

namespace {

void check_queries(const Parameters& p, std::size_t tokens, std::size_t heads, std::size_t group,
                   std::size_t gap, std::uint64_t seed) {
  CASE(p.head_dim, p.two_parts() ? test::text_of(p) : "one part", p.query_bits, p.significand_bits,
       static_cast<int>(p.element_format));
  const auto d = static_cast<std::size_t>(p.head_dim);
  HostRows queries{tokens, heads, d + gap, heads * (d + gap)};
  queries.fill(p, seed);
  const Parameters uncentered = [&] {
    Parameters other = p;
    other.centered = false;
    return other;
  }();
  const test::Heads kv_heads(uncentered, heads / group, seed);

  const auto rom = std::make_shared<const CodebookRom>(codebook_rom(p));
  std::vector<std::int32_t> u, exponents, v, residual_exponents;
  WriteEvents expected;
  for (std::size_t row = 0; row < tokens * heads; ++row) {
    Datapath path(uncentered, rom, kv_heads.rotation(p, row % heads / group), {},
                  reference_units());
    QueryResult result;
    if (!path.round(queries.at(row), &result)) {
      result.u.assign(d, 0);
      result.v.assign(p.prod() ? d : 0, 0);
      if (expected.rejected++ == 0) expected.first_rejected = static_cast<std::uint32_t>(row);
    }
    test::append(&u, result.u);
    exponents.push_back(result.exponent);
    if (!p.prod()) continue;
    test::append(&v, result.v);
    residual_exponents.push_back(result.residual_exponent);
  }

  Stream stream;
  const Buffer<std::uint16_t> elements(stream, queries.elements);
  const test::DeviceHeads on_device(stream, kv_heads);
  const Buffer<std::int8_t> device_u8(u.size()), device_v8(v.size());
  const Buffer<std::int32_t> device_u(u.size()), device_exponents(exponents.size()),
      device_v(v.size()), device_residual_exponents(residual_exponents.size());
  const Buffer<WriteEvents> events(stream, std::vector<WriteEvents>(1));
  const bool bytes = p.query_bits <= 8;
  round_queries(
      stream, macro_constants(p, *rom), queries.on_device(elements.data()),
      static_cast<std::int32_t>(group), on_device.rotations(),
      {device_u.data(), bytes ? device_u8.data() : nullptr, device_exponents.data(),
       device_v.data(), bytes ? device_v8.data() : nullptr, device_residual_exponents.data()},
      events.data());
  const auto as_bytes = [](const std::vector<std::int32_t>& words) {
    return std::vector<std::int8_t>(words.begin(), words.end());
  };
  REQUIRE_SAME(device_u.download(stream), u);
  REQUIRE_SAME(device_exponents.download(stream), exponents);
  REQUIRE_SAME(device_v.download(stream), v);
  REQUIRE_SAME(device_residual_exponents.download(stream), residual_exponents);
  if (bytes) REQUIRE_SAME(device_u8.download(stream), as_bytes(u));
  if (bytes) REQUIRE_SAME(device_v8.download(stream), as_bytes(v));
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
        CASE(d, query_bits, format);
        Parameters p;
        p.head_dim = d;
        p.query_bits = query_bits;
        p.element_format = format;
        p.significand_bits = seed % 3 == 0 ? 20 : seed % 3 == 1 ? 16 : 12;
        p.centered = seed % 2 == 0;  // of no effect on queries
        p.balanced = seed % 5 < 2;
        check_queries(p, 7, 3, 1, 0, seed++);
      }
}

TEST_CASE("queries: of two parts, rounded as golden does") {
  std::uint64_t seed = 1;
  for (const int d : {32, 64, 128, 256})
    for (const int query_bits : {6, 8, 16})
      for (Parameters p : test::some_two_parts(d, query_bits / 8)) {
        CASE(d, query_bits, p);
        p.query_bits = query_bits;
        p.balanced = seed % 5 < 2;
        p.element_format = seed % 2 == 0 ? ElementFormat::fp16 : ElementFormat::bf16;
        p.significand_bits = seed % 3 == 0 ? 20 : seed % 3 == 1 ? 16 : 12;
        check_queries(p, 7, 4, 2, seed % 3, seed);
        ++seed;
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
