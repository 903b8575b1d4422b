#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "axelram/fault.hpp"
#include "axelram/philox.hpp"
#include "check.hpp"
#include "golden/oracle.hpp"

using namespace axelram;

namespace {

using Words = std::array<std::uint32_t, 4>;

std::vector<std::uint8_t> mask(const FaultSite& site, std::size_t bits, std::uint64_t threshold) {
  std::vector<std::uint8_t> bytes((bits + 7) / 8 + 1, 0xA5);
  fault_mask_ref(site, bits, threshold, bytes.data());
  CHECK(bytes.back() == 0xA5);
  bytes.pop_back();
  return bytes;
}

}  // namespace

TEST_CASE("Philox4x32-10 gives the known answers of Random123") {
  CHECK_SAME(philox4x32({0, 0, 0, 0}, {0, 0}),
             Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  constexpr std::uint32_t ones = 0xffffffff;
  CHECK_SAME(philox4x32({ones, ones, ones, ones}, {ones, ones}),
             Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK_SAME(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
             Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("a bit flips where its word is below the threshold") {
  // Key: the seed, low word first. Counter: bit / 4, token, layer * 2^16 + head * 2 + (1 for
  // values), trial.
  FaultSite site{.seed = 0x299f31d0'a4093822,
                 .token = 0x85a308d3,
                 .layer = 0xFEDC,
                 .head = 0x7ABC,
                 .trial = 0x03707344};
  for (const bool value : {false, true}) {
    CASE(value);
    site.value = value;
    const std::uint32_t place = 0xFEDCF578U + (value ? 1 : 0);
    for (const std::size_t bits : {1U, 3U, 4U, 7U, 8U, 9U, 400U, 816U})
      for (const std::uint64_t threshold :
           {std::uint64_t{0}, std::uint64_t{1} << 28, std::uint64_t{1} << 31,
            std::uint64_t{0xFFFFFFFF}, std::uint64_t{1} << 32}) {
        CASE(bits, threshold);
        const std::vector<std::uint8_t> flips = mask(site, bits, threshold);
        for (std::size_t bit = 0; bit < 8 * flips.size(); ++bit) {
          CASE(bit);
          const Words words =
              philox4x32({static_cast<std::uint32_t>(bit / 4), 0x85a308d3, place, 0x03707344},
                         {0xa4093822, 0x299f31d0});
          const bool expected = bit < bits && words[bit % 4] < threshold;
          REQUIRE((flips[bit / 8] >> (bit % 8) & 1) == (expected ? 1 : 0));
        }
      }
  }
}

TEST_CASE("words equal to the threshold do not flip; those below do") {
  FaultSite site;  // counter and key zero
  CHECK(mask(site, 4, 0x6627e8d5)[0] == 0b0000);
  CHECK(mask(site, 4, 0x6627e8d6)[0] == 0b0001);
  CHECK(mask(site, 4, 0x9b00dbd9)[0] == 0b1001);
  CHECK(mask(site, 4, 0xe169c58e)[0] == 0b1111);
}

TEST_CASE("masks of shorter strings are prefixes, and sites are told apart") {
  FaultSite site{.seed = 5};
  const std::vector<std::uint8_t> whole = mask(site, 800, std::uint64_t{1} << 31);
  const std::vector<std::uint8_t> part = mask(site, 400, std::uint64_t{1} << 31);
  CHECK_SAME(part, std::span(whole).first(part.size()));
  const auto differs = [&](auto change) {
    FaultSite other = site;
    change(other);
    return mask(other, 800, std::uint64_t{1} << 31) != whole;
  };
  CHECK(differs([](FaultSite& s) { s.seed = 6; }));
  CHECK(differs([](FaultSite& s) { s.seed += std::uint64_t{1} << 32; }));
  CHECK(differs([](FaultSite& s) { s.token = 1; }));
  CHECK(differs([](FaultSite& s) { s.layer = 1; }));
  CHECK(differs([](FaultSite& s) { s.head = 1; }));
  CHECK(differs([](FaultSite& s) { s.value = true; }));
  CHECK(differs([](FaultSite& s) { s.trial = 1; }));
}

TEST_CASE("a bit error rate becomes floor(p * 2^32)") {
  CHECK(fault_threshold(0) == 0);
  CHECK(fault_threshold(-0.0) == 0);
  CHECK(fault_threshold(1) == (std::uint64_t{1} << 32));
  CHECK(fault_threshold(0.5) == (std::uint64_t{1} << 31));
  CHECK(fault_threshold(1e-2) == 42949672);  // .96
  CHECK(fault_threshold(1e-4) == 429496);    // .73
  CHECK(fault_threshold(0x1p-32) == 1);
  CHECK(fault_threshold(std::nextafter(0x1p-32, 0)) == 0);
  CHECK(fault_threshold(std::nextafter(1.0, 0)) == 0xFFFFFFFF);
  for (const double p :
       {-1e-300, -0.5, std::nextafter(1.0, 2), 2.0, std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    CASE(p);
    CHECK_THROWS_WITH_AS(fault_threshold(p), doctest::Contains("0..1"), std::invalid_argument);
  }
}
