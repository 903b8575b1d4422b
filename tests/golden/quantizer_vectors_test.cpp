#include <array>
#include <bit>

#include "check.hpp"
#include "golden/contract_vectors.hpp"
#include "golden/macro_fixture.hpp"

using namespace axelram;
using namespace contract_vectors;
using macro_fixture::make_macro;

namespace {

struct Expected {
  std::size_t bytes;
  std::uint32_t crc;
  std::array<std::uint8_t, 8> first_bytes;
  std::uint16_t norm;
  std::int64_t correlation;
  std::int64_t acc;
  std::uint32_t score;
  std::uint32_t path_cost = 0;
};

void check_vector(const Parameters& p, const Expected& expected) {
  Macro macro = make_macro(p);
  const KeyResult key = macro.write(vector_of_seed(1, p.head_dim).data());
  CHECK(key.record.size() == expected.bytes);
  CHECK(crc32(key.record) == expected.crc);
  for (std::size_t i = 0; i < expected.first_bytes.size(); ++i)
    CHECK_AT(i, key.record[i] == expected.first_bytes[i]);
  CHECK(key.norm == expected.norm);
  CHECK(key.correlation == expected.correlation);
  CHECK(key.path_cost == expected.path_cost);
  const QueryResult query = macro.query(vector_of_seed(2, p.head_dim).data());
  CHECK(query.acc[0] == expected.acc);
  CHECK(std::bit_cast<std::uint32_t>(query.scores[0]) == expected.score);
}

struct ExpectedCopy {
  int bits;
  int exponent;
  std::array<std::int16_t, 8> first_elements;
  std::uint32_t crc;
  std::int64_t acc;
  std::uint32_t score;
};

void check_copy(Parameters p, const ExpectedCopy& expected) {
  p.exact_last = 1;
  p.exact_bits = expected.bits;
  Macro macro = make_macro(p);
  const KeyResult key = macro.write(vector_of_seed(1, p.head_dim).data());
  CHECK(crc32(key.record) == 0x1AE8BAD8);
  CHECK(key.copy.exponent == expected.exponent);
  for (std::size_t i = 0; i < expected.first_elements.size(); ++i)
    CHECK_AT(i, key.copy.elements[i] == expected.first_elements[i]);
  std::vector<std::uint8_t> bytes;
  for (const std::int16_t element : key.copy.elements)
    for (const int shift : {0, 8}) bytes.push_back(static_cast<std::uint8_t>(element >> shift));
  CHECK(crc32(bytes) == expected.crc);
  const QueryResult query = macro.query(vector_of_seed(2, p.head_dim).data());
  CHECK(query.acc[0] == expected.acc);
  CHECK(std::bit_cast<std::uint32_t>(query.scores[0]) == expected.score);
}

}  // namespace

TEST_CASE("quantizers: vectors of the contract") {
  const std::vector<std::uint16_t> key = vector_of_seed(1, 128), query = vector_of_seed(2, 128);
  CHECK(key[0] == 0x311E);
  CHECK(key[3] == 0x3E41);
  CHECK(query[0] == 0xB4B4);
  CHECK(query[3] == 0x3468);
  Parameters p;
  check_vector(p, {50,
                   0xE90878AD,
                   {0xA4, 0x56, 0x9A, 0xA2, 0x93, 0xCC, 0x0B, 0x50},
                   0x493C,
                   0,
                   10912,
                   0x46DF1D80});
  p.scale = ScaleKind::unbiased;
  check_vector(p, {50,
                   0x1AE8BAD8,
                   {0xA4, 0x56, 0x9A, 0xA2, 0x93, 0xCC, 0x0B, 0x50},
                   0x4C40,
                   864825748,
                   10912,
                   0x47352800});

  check_copy(
      p, {16, -9, {673, 75, -3940, -148, 4614, 118, 7818, 41}, 0x1C26E118, 1469791, 0x47336AF8});
  check_copy(p, {12, -5, {42, 5, -246, -9, 288, 7, 489, 3}, 0x96184B23, 91936, 0x47339000});

  Parameters trellis = p;
  trellis.kind = QuantizerKind::trellis;
  trellis.index_bits = 2;
  trellis.states = 4;
  check_vector(trellis, {34,
                         0x7477685C,
                         {0x5A, 0xA3, 0x75, 0x85, 0x02, 0xC3, 0xBA, 0x3A},
                         0x497B,
                         1341274416,
                         18677,
                         0x4747EB5C,
                         5107929});
  trellis.states = 8;
  check_vector(trellis, {34,
                         0xAF33C391,
                         {0xDA, 0x27, 0x78, 0x81, 0x02, 0x86, 0xAE, 0x26},
                         0x497C,
                         1340077368,
                         18955,
                         0x474B0A2A,
                         4883368});
  trellis.scale = ScaleKind::norm;
  trellis.index_bits = 4;
  trellis.states = 16;
  check_vector(trellis, {66,
                         0x19498C8C,
                         {0x88, 0x95, 0x6B, 0x8D, 0x95, 0x2C, 0x22, 0xC8},
                         0x493C,
                         0,
                         11067,
                         0x46E248D4,
                         376448});
}
