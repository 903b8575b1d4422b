#include "axelram/blend.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "axelram/codebook.hpp"
#include "axelram/dequantize.hpp"
#include "axelram/half.hpp"
#include "axelram/int128.hpp"
#include "axelram/memory_records.hpp"
#include "check.hpp"

using namespace axelram;

namespace {

using Halfs = std::vector<std::uint16_t>;

MemoryHead head_of(int d, int bits) {
  MemoryHead head;
  head.parameters.head_dim = d;
  head.parameters.index_bits = bits;
  head.memory = memory_parameters({}, head.parameters);
  head.rom = std::make_shared<const CodebookRom>(codebook_rom(head.parameters));
  head.signs.assign(static_cast<std::size_t>(d), 1);
  head.signs[1] = -1;
  return head;
}

std::vector<float> read_back(const MemoryHead& head, const Halfs& row, bool negate_norm = false) {
  MemoryRecords records(head);
  std::vector<std::uint8_t> record(records.record_bytes());
  REQUIRE(records.write(true, row.data(), 0, record.data()));
  if (negate_norm) record.back() ^= 0x80;
  std::vector<float> x(row.size());
  dequantize_ref(records.dequantizer(), record.data(), x.data());
  return x;
}

std::uint16_t blended(int gate, std::uint16_t master, float v) {
  blend_ref(blend_rate(12, gate), &v, 1, &master);
  return master;
}

}  // namespace

TEST_CASE("a master keeps the sign of a zero, and of what rounds to one") {
  constexpr std::uint16_t kMinusZero = 0x8000;
  for (const float x : {-0.0F, -1e-9F}) {
    CASE(x);
    std::uint16_t master = 0;
    begin_master_ref(&x, 1, &master);
    CHECK(master == kMinusZero);
  }
  CHECK(blended(0, kMinusZero, -1) == kMinusZero);  // -0 + 0 * -1
  CHECK(blended(255, kMinusZero, 0) == 0);          // -0 + eta * 0
  CHECK(blended(255, 0, -1e-7F) == kMinusZero);
}

TEST_CASE("rows read back: the scale of the contract, and a row beyond FP16") {
  CHECK(dequantization_scale(*head_of(128, 3).rom) == std::ldexp(13119285.0F, -36));
  Halfs row(32, 0);
  row[0] = kHalfMax;
  const std::vector<float> x = read_back(head_of(32, 2), row);
  CHECK(std::lround(x[0]) == 98938);
  Halfs master(32);
  begin_master_ref(x.data(), 32, master.data());
  CHECK(master[0] == kHalfMax);
}

TEST_CASE("a zero read back is +0 in a row and in a master") {
  for (const bool negate_norm : {false, true}) {
    CASE(negate_norm);
    const std::vector<float> x = read_back(head_of(32, 3), Halfs(32, 0), negate_norm);
    Halfs master(32, 0xFFFF);
    begin_master_ref(x.data(), 32, master.data());
    for (std::size_t i = 0; i < 32; ++i) {
      CASE(i);
      CHECK(test::Bitwise(x[i]) == test::Bitwise(0.0F));
      CHECK(master[i] == 0);
    }
  }
  // A sum that is zero is +0 as well.
  CHECK(blended(0, 0x0000, -0.0F) == 0x0000);
}

TEST_CASE("rows read back differ from the rows that were written by the codebook's distortion") {
  std::mt19937_64 random(2501);
  std::normal_distribution<double> normal;
  for (const int d : {32, 64, 128, 256})
    for (const int bits : {2, 3, 4}) {
      CASE(d, bits);
      const MemoryHead head = head_of(d, bits);
      const double expected =
          distortion(solve_codebook(CodebookKind::gaussian, d, bits), CodebookKind::gaussian, d);
      double error = 0, energy = 0;
      for (int trial = 0; trial < 4000 / d; ++trial) {
        CASE(trial);
        Halfs row;
        for (int i = 0; i < d; ++i) row.push_back(double_to_half(3 * normal(random)));
        const std::vector<float> x = read_back(head, row);
        for (std::size_t i = 0; i < row.size(); ++i) {
          error += std::pow(x[i] - half_to_double(row[i]), 2);
          energy += std::pow(half_to_double(row[i]), 2);
        }
      }
      CHECK(error / energy == doctest::Approx(expected).epsilon(0.15));
    }
}

TEST_CASE("a blend rounds difference, product and sum, and is never contracted") {
  // A fused multiply-add gives the neighbour of each.
  CHECK(blended(153, 0x3860, -18.9375F) == 0x9AB4);
  CHECK(blended(137, 0xB753, 17.765625F) == 0x1A16);
  CHECK(blended(164, 0xB9A8, 22.640625F) == 0x8EAE);
  CHECK(blended(109, 0xB81D, 24.0F) == 0xA564);
}

TEST_CASE("masters saturate at 65504, and keep subnormals") {
  std::uint16_t master = kHalfMax;
  float v = 98938;
  blend_ref(1.0F, &v, 1, &master);
  CHECK(master == kHalfMax);
  v = -98938;
  blend_ref(1.0F, &v, 1, &master);
  CHECK(master == (kHalfMax | 0x8000));
  master = 0x0003;
  v = std::ldexp(1.0F, -24);
  blend_ref(1.0F, &v, 1, &master);
  CHECK(master == 0x0001);
  v = 0;
  blend_ref(0.4F, &v, 1, &master);
  CHECK(master == 0x0001);
}

TEST_CASE("a blend rate is the FP32 number nearest to the quotient, for all products") {
  CHECK(blend_rate(0, 255) == 0);
  CHECK(blend_rate(255, 255) == 1);
  for (int blend = 1; blend <= 255; ++blend)
    for (int gate = blend; gate <= 255; ++gate) {
      CASE(blend, gate);
      const float rate = blend_rate(blend, gate);
      REQUIRE(rate == blend_rate(gate, blend));
      // Distances to the quotient and to half a unit, as multiples of 2^-60 / 65025.
      const auto scaled = [](float x) {
        return static_cast<std::int64_t>(std::ldexp(x, 60)) * Int128{65025};
      };
      const Int128 exact = Int128{blend * gate} << 60;
      const Int128 below = scaled(std::nextafter(rate, 0.0F)),
                   above = scaled(std::nextafter(rate, 2.0F));
      REQUIRE(2 * exact > scaled(rate) + below);
      REQUIRE(2 * exact < scaled(rate) + above);
    }
}
