#include "axelram/kernels/scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "check.hpp"
#include "golden_scores.hpp"
#include "tiles.hpp"
#include "units/norm.cuh"
#include "units/score.cuh"

using namespace axelram;
using namespace axelram::kernels;

namespace {

using namespace test;

void check_records(const Parameters& p, std::size_t queries, std::size_t tokens) {
  Stream stream;
  const CodebookRom rom = codebook_rom(p);
  const auto d = static_cast<std::size_t>(p.head_dim);
  const auto bytes = static_cast<std::size_t>(p.record_bytes());
  const std::vector<std::uint8_t> records = test::random_bytes(tokens * bytes, 3);
  const auto u = random_queries<std::int32_t>(queries * d, p.query_bits, 4);
  const std::vector<std::int32_t> exponents = exponents_of(queries, false);
  std::vector<std::int64_t> accumulators;
  std::vector<float> scores;
  std::uint32_t saturated = 5;
  for (std::size_t q = 0; q < queries; ++q)
    for (std::size_t t = 0; t < tokens; ++t) {
      const Scored s = golden_score(p, rom, u.data() + q * d, std::clamp(exponents[q], -9999, 9999),
                                    records.data() + t * bytes);
      accumulators.push_back(s.acc);
      scores.push_back(s.score);
      saturated += s.saturated ? 1 : 0;
    }
  const Buffer<std::uint8_t> device_records(stream, records);
  const Buffer<std::int32_t> device_u(stream, u), device_exponents(stream, exponents);
  const Buffer<std::int64_t> device_accumulators(queries * tokens);
  const Buffer<float> device_scores(queries * tokens);
  const Buffer<std::uint32_t> device_saturated(stream, std::vector<std::uint32_t>{5});
  score_records(stream, macro_constants(p, rom), device_u.data(), device_exponents.data(), queries,
                device_records.data(), tokens, device_accumulators.data(), device_scores.data(),
                device_saturated.data());
  CHECK_SAME(device_accumulators.download(stream), accumulators);
  CHECK(test::same_bits(device_scores.download(stream), scores));
  CHECK(device_saturated.download(stream)[0] == saturated);
  score_records(stream, macro_constants(p, rom), device_u.data(), device_exponents.data(), queries,
                device_records.data(), tokens, nullptr, device_scores.data(), nullptr);
  CHECK(test::same_bits(device_scores.download(stream), scores));
}

}  // namespace

TEST_CASE("scores: the unit is golden's at every norm and at the ends of the exponents") {
  std::mt19937_64 random(1);
  const std::int64_t most = (std::int64_t{1} << 39) - 1;
  for (std::uint32_t norm = 0; norm < 65536; ++norm)
    for (const std::int32_t e_u : {-12, -150, -160, -190, 60, 78, 100, 9999, -9999}) {
      CASE(norm, e_u);
      const int width = static_cast<int>(random() % 40);
      std::int64_t acc = static_cast<std::int64_t>(random() & ((std::uint64_t{1} << width) - 1));
      if (random() % 16 == 0) acc = most;
      if (random() % 2 == 0) acc = -acc;
      const auto bits = static_cast<std::uint16_t>(norm);
      bool golden_saturated = false, saturated = false;
      const float golden = axelram::score_ref(acc, bits, e_u, &golden_saturated);
      const float score = kernels::score_ref(acc, bits, e_u, &saturated);
      REQUIRE(std::bit_cast<std::uint32_t>(score) == std::bit_cast<std::uint32_t>(golden));
      REQUIRE(saturated == golden_saturated);
      const std::int64_t small = acc % (1 << 22);
      for (const std::int32_t plain : {-100, -12, 3, 80}) {
        CASE(plain);
        const float expected = axelram::score_ref(small, bits, plain, &saturated);
        const float fast =
            plain_score(static_cast<float>(small), norm_value(bits), std::ldexp(1.0F, plain));
        REQUIRE(std::bit_cast<std::uint32_t>(fast) == std::bit_cast<std::uint32_t>(expected));
        REQUIRE(!saturated);
      }
    }
  CHECK(plain_exponent(-100));
  CHECK(plain_exponent(80));
  CHECK(!plain_exponent(-101));
  CHECK(!plain_exponent(81));
}

TEST_CASE("scores: the unit saturates beyond FLT_MAX, not at it") {
  const std::int64_t ulp = 0xFFFFFF;  // FLT_MAX = ulp * 2^104
  for (const std::int64_t acc : {ulp << 14, (ulp << 14) + 1, (ulp << 14) + (1 << 13) - 1}) {
    CASE(acc);
    bool golden_saturated = false, saturated = false;
    const std::uint16_t one = 0x3C00;  // 1024 * 2^-10
    const float golden = axelram::score_ref(-acc, one, 90, &golden_saturated);
    CHECK(kernels::score_ref(-acc, one, 90, &saturated) == golden);
    CHECK(saturated == golden_saturated);
    CHECK(saturated == (acc != ulp << 14));
    CHECK(golden == -std::numeric_limits<float>::max());
  }
}

TEST_CASE("scores: natural records, every width") {
  for (const int d : {32, 64, 128, 256})
    for (const int b : {2, 3, 4})
      for (const int bits : {6, 8, 16}) {
        CASE(d, b, bits);
        check_records(parameters_of(d, b, bits, bits), 3, 20);
      }
}

TEST_CASE("scores: natural records, ragged and empty sizes, many blocks") {
  const Parameters p = parameters_of(128, 3, 8, 8);
  check_records(p, 17, 129);
  check_records(p, 8, 256);
  check_records(p, 1, 1);
  check_records(p, 0, 100);
  check_records(p, 100, 0);
}

TEST_CASE("scores: extreme accumulators fit their sums") {
  Stream stream;
  for (const int bits : {8, 12, 13, 16}) {
    CASE(bits);
    const Parameters p = parameters_of(256, 3, bits, bits);
    const CodebookRom rom = codebook_rom(p);
    const std::int32_t most = (1 << (bits - 1)) - 1;
    const std::vector<std::int32_t> u(256, -most), exponents(1, 0);
    std::vector<std::uint8_t> record(static_cast<std::size_t>(p.record_bytes()), 0xFF);
    const Buffer<std::uint8_t> records(stream, record);
    const Buffer<std::int32_t> device_u(stream, u), device_exponents(stream, exponents);
    const Buffer<std::int64_t> accumulators(1);
    const Buffer<float> scores(1);
    score_records(stream, macro_constants(p, rom), device_u.data(), device_exponents.data(), 1,
                  records.data(), 1, accumulators.data(), scores.data(), nullptr);
    CHECK(accumulators.download(stream)[0] == -std::int64_t{256} * most * rom.centroids.back());
  }
}
