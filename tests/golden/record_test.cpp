#include "axelram/record.hpp"

#include <string>

#include "check.hpp"
#include "golden/oracle.hpp"

using namespace axelram;

namespace {

/// The record as a string of bits, bit 0 first, written down from the contract.
std::string bit_string(const std::vector<std::uint8_t>& indices, std::uint16_t norm, int b) {
  std::string bits;
  for (const std::uint8_t index : indices)
    for (int k = 0; k < b; ++k) bits += (index >> k & 1) != 0 ? '1' : '0';
  for (int k = 0; k < 16; ++k) bits += (norm >> k & 1) != 0 ? '1' : '0';
  return bits;
}

}  // namespace

TEST_CASE("records are the bits of the contract, and unpack to what was packed") {
  oracle::Rng rng(13);
  for (const int d : {32, 64, 128, 256})
    for (int b = 1; b <= 4; ++b)
      for (int trial = 0; trial < 20; ++trial) {
        CASE(d, b, trial);
        std::vector<std::uint8_t> indices(static_cast<std::size_t>(d));
        for (std::uint8_t& index : indices)
          index = static_cast<std::uint8_t>(oracle::uniform(rng, 0, (1 << b) - 1));
        const auto norm = static_cast<std::uint16_t>(oracle::uniform(rng, 0, 0xFFFF));
        const auto bytes = static_cast<std::size_t>(record_bytes(d, b));
        std::vector<std::uint8_t> record(bytes + 1, 0xA5);
        pack_record_ref(indices.data(), norm, d, b, record.data());
        CHECK(record[bytes] == 0xA5);

        const std::string bits = bit_string(indices, norm, b);
        REQUIRE(bits.size() == 8 * bytes);
        for (std::size_t i = 0; i < bits.size(); ++i)
          REQUIRE_AT(i, (record[i / 8] >> (i % 8) & 1) == bits[i] - '0');

        std::vector<std::uint8_t> unpacked(indices.size());
        std::uint16_t unpacked_norm = 0;
        unpack_record_ref(record.data(), d, b, unpacked.data(), &unpacked_norm);
        CHECK_SAME(unpacked, indices);
        CHECK(unpacked_norm == norm);
      }
}

TEST_CASE("the default record has 50 bytes") {
  CHECK(record_bytes(128, 3) == 50);
  Parameters p;
  for (const int d : {32, 64, 128, 256})
    for (int b = 2; b <= 4; ++b) {
      CASE(d, b);
      p.head_dim = d;
      p.index_bits = b;
      CHECK(p.record_bits() % 8 == 0);
      CHECK(p.record_bytes() == record_bytes(d, b));
    }
}
