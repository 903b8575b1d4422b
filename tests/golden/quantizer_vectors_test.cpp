#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <string>

#include "golden/macro_fixture.hpp"

using namespace axelram;
using macro_fixture::make_macro;

namespace {

/// FP16 elements from the sign words of a seed: 16-bit field i, sign and lower bits of the
/// magnitude kept (bit-contract.md#quantizer-vectors).
std::vector<std::uint16_t> vector_of_seed(std::uint64_t seed, int d) {
  std::vector<std::int8_t> signs(static_cast<std::size_t>(16 * d));
  sign_vector(seed, 0, 0, 16 * d, signs.data());
  std::vector<std::uint16_t> elements(static_cast<std::size_t>(d));
  for (std::size_t bit = 0; bit < signs.size(); ++bit)
    if (signs[bit] < 0)
      elements[bit / 16] = static_cast<std::uint16_t>(elements[bit / 16] | 1 << bit % 16);
  for (std::uint16_t& element : elements)
    element = static_cast<std::uint16_t>((element & 0x8FFF) | 0x3000);
  return elements;
}

/// CRC-32 as in zip.
std::uint32_t crc32(const std::vector<std::uint8_t>& bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320 : 0);
  }
  return ~crc;
}

struct Expected {
  std::size_t bytes;
  std::uint32_t crc;
  std::array<std::uint8_t, 8> first_bytes;
  std::uint16_t norm;
  std::int64_t correlation;
  std::int64_t acc;
  std::uint32_t score;
};

void check_vector(const Parameters& p, const Expected& expected) {
  Macro macro = make_macro(p);
  const KeyResult key = macro.write(vector_of_seed(1, p.head_dim).data());
  CHECK(key.record.size() == expected.bytes);
  CHECK(crc32(key.record) == expected.crc);
  for (std::size_t i = 0; i < expected.first_bytes.size(); ++i)
    CHECK(key.record[i] == expected.first_bytes[i]);
  CHECK(key.norm == expected.norm);
  CHECK(key.correlation == expected.correlation);
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
}
