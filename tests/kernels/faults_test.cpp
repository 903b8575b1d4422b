#include "axelram/kernels/faults.hpp"

#include <vector>

#include "axelram/fault.hpp"
#include "axelram/philox.hpp"
#include "check.hpp"

using namespace axelram;
using namespace axelram::kernels;

namespace {

using Bytes = std::vector<std::uint8_t>;

void check_flips(const FaultSite& site, double p, std::size_t rows, std::size_t bits,
                 std::size_t offset, std::size_t gap) {
  CASE(p, bits, gap);
  Stream stream;
  const std::size_t bytes = (bits + 7) / 8, stride = bytes + gap;
  Bytes expected(offset + rows * stride + 5, 0x5A), mask(bytes);
  const Buffer<std::uint8_t> stored(stream, expected);
  Buffer<unsigned long long> flipped(1);
  flipped.fill(stream, 0);
  unsigned long long ones = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    FaultSite here = site;
    here.token += static_cast<std::uint32_t>(row);
    fault_mask_ref(here, bits, fault_threshold(p), mask.data());
    for (std::size_t i = 0; i < bytes; ++i) {
      std::uint8_t& byte = expected[offset + row * stride + i];
      byte = static_cast<std::uint8_t>(byte ^ mask[i]);
      for (int bit = 0; bit < 8; ++bit) ones += mask[i] >> bit & 1U;
    }
  }
  flip_bits(stream, site, fault_threshold(p), stored.data() + offset, rows, bits, stride,
            flipped.data());
  CHECK_SAME(stored.download(stream), expected);
  CHECK(flipped.download(stream)[0] == ones);
  flip_bits(stream, site, fault_threshold(p), stored.data() + offset, rows, bits, stride, nullptr);
  CHECK_SAME(stored.download(stream), Bytes(expected.size(), 0x5A));
}

}  // namespace

TEST_CASE("faults: the same bits flip as in the references") {
  const FaultSite key{0x123456789ABCDEF0, 7, 3, 5, false, 2};
  const FaultSite last{~std::uint64_t{0}, 0xFFFFFFFE, 0xFFFF, 0x7FFF, true, 0xFFFFFFFF};
  for (const double p : {0.0, 1e-9, 1e-3, 0.03, 0.5, 1.0})
    for (const FaultSite& site : {key, last}) {
      CASE(p, site.seed, site.token, site.layer, site.head, site.value, site.trial);
      check_flips(site, p, 5, 816, 0, 0);
      check_flips(site, p, 4, 400, 0, 2);
      check_flips(site, p, 3, 97, 1, 3);
      check_flips(site, p, 3, 1, 0, 0);
      check_flips(site, p, 1, 31, 4, 0);
    }
}

TEST_CASE("faults: a bit flips where its word is below the threshold, not where it is equal") {
  Stream stream;
  const FaultSite site{77, 5, 2, 1, false, 3};
  for (std::uint32_t bit = 0; bit < 64; bit += 7) {
    CASE(bit);
    const std::uint32_t word =
        philox4x32({bit / 4, site.token, site.layer << 16 | site.head << 1, site.trial},
                   {static_cast<std::uint32_t>(site.seed), 0})[bit % 4];
    for (const std::uint64_t above : {0, 1}) {
      CASE(above);
      Bytes expected(8);
      fault_mask_ref(site, 64, word + above, expected.data());
      REQUIRE((expected[bit / 8] >> (bit % 8) & 1U) == above);
      const Buffer<std::uint8_t> stored(stream, Bytes(8));
      flip_bits(stream, site, word + above, stored.data(), 1, 64, 8, nullptr);
      CHECK_SAME(stored.download(stream), expected);
    }
  }
}

TEST_CASE("faults: many rows, and rows longer than a block's share") {
  check_flips({42, 0, 1, 2, true, 0}, 0.01, 300, 816, 0, 0);
  check_flips({43, 9, 1, 2, false, 1}, 0.01, 2, 70001, 0, 1);
}

TEST_CASE("faults: what is rejected, and nothing to do") {
  Stream stream;
  const Buffer<std::uint8_t> bytes(100);
  CHECK_THROWS_WITH(
      flip_bits(stream, {}, 1, bytes.data(), 2, 100, 12, nullptr),
      "flip_bits([2 rows of 100 bits]): a stride of 12 bytes; rows of 13 bytes need as many");
  flip_bits(stream, {}, 1, nullptr, 0, 100, 12, nullptr);
  flip_bits(stream, {}, 1, nullptr, 5, 0, 0, nullptr);
}
