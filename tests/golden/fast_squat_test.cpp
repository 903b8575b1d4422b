#include "axelram/fast_squat.hpp"

#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "golden/fast_inputs.hpp"
#include "golden/float_mode.hpp"
#include "golden/squat_inputs.hpp"

using namespace axelram;

namespace {

using squat_inputs::Row;
using Bytes = std::vector<std::uint8_t>;

void check_block(const KiviLayout& keys, const SquatFeedback& feedback, const Row& x,
                 unsigned mode = 0x1F80U) {
  Bytes expected(keys.bytes());
  encode_squat_ref(keys, feedback, x.data(), expected.data());
  for (const SimdLevel level : fast_test::levels()) {
    CASE(level);
    Bytes block(keys.bytes(), 0xA5);
    run_in_mode(mode, [&] { encode_squat(keys, feedback, x.data(), block.data(), level); });
    REQUIRE_SAME(block, expected);
  }
}

}  // namespace

TEST_CASE("fast SQuat blocks equal golden's") {
  squat_inputs::Rng rng(131);
  for (const std::size_t d : {32, 64, 128, 256})
    for (std::size_t channels = 8; channels <= d; channels *= 2)
      for (const int bits : {2, 3, 4})
        for (const std::size_t group : {8, 16, 64}) {
          if (d == 256 && channels < 64 && group > 8) continue;  // slow
          const KiviLayout keys = kivi_key_layout(bits, d, group);
          const SquatFeedback feedback = squat_inputs::random_feedback(rng, d, channels);
          const Row x = squat_inputs::random_keys(rng, keys);
          CASE(bits, group, d, channels);
          check_block(keys, feedback, x);
        }
}

TEST_CASE("fast SQuat: small heads many times, all exponents, the other groups") {
  squat_inputs::Rng rng(132);
  for (int trial = 0; trial < 300; ++trial) {
    CASE(trial);
    const std::size_t group = trial < 3 ? 256 : trial < 6 ? 128 : 8;
    const KiviLayout keys = kivi_key_layout(2 + trial % 3, 32, group);
    SquatFeedback feedback = squat_inputs::random_feedback(rng, 32, 8);
    for (int& exponent : feedback.exponents) exponent = -(trial % 21);
    const Row x = squat_inputs::random_keys(rng, keys);
    check_block(keys, feedback, x);
  }
}

#ifdef __SSE2__
TEST_CASE("fast SQuat does not feel the caller's rounding and denormal modes") {
  squat_inputs::Rng rng(133);
  for (const unsigned mode : {0x9FC0U, 0x3F80U, 0x5F80U, 0x7F80U})  // flush; down; up; to zero
    for (int trial = 0; trial < 20; ++trial) {
      CASE(mode, trial);
      const KiviLayout keys = kivi_key_layout(2 + trial % 3, 32, 8);
      const SquatFeedback feedback = squat_inputs::random_feedback(rng, 32, 16);
      const Row x = squat_inputs::random_keys(rng, keys);
      check_block(keys, feedback, x, mode);
    }
}
#endif

TEST_CASE("fast SQuat: a sum of 60 bits next to a tie between FP16 numbers") {
  // Errors of 4096 and of 2^-24 at token 2, fed back as 16 and 2^-44: beside 32768 and 32800 the
  // last bit decides, and FP64 does not have it.
  const KiviLayout keys = kivi_key_layout(2, 16, 8);
  for (const int sign : {1, -1}) {
    CASE(sign);
    SquatFeedback feedback{16, 8, std::vector<std::int16_t>(64), {-20}};
    feedback.matrices[0] = 4096;
    feedback.matrices[1] = static_cast<std::int16_t>(sign);
    Row x(keys.elements());
    const auto channel = [&](std::size_t c, std::uint16_t largest, std::uint16_t at_2) {
      x[16 + c] = largest;
      x[32 + c] = at_2;
    };
    channel(0, 0x7600, 0x7200);  // 24576 and 12288, scale 8192: decoded as 16384
    channel(1, 6, 3);            // times 2^-24, scale 2: decoded as 4
    channel(8, 0, sign > 0 ? 0x7800 : 0x7801);
    check_block(keys, feedback, x);
  }
}

TEST_CASE("fast SQuat rejects what golden rejects") {
  const KiviLayout keys = kivi_key_layout(2, 32, 8);
  squat_inputs::Rng rng(134);
  const SquatFeedback feedback = squat_inputs::random_feedback(rng, 32, 8);
  for (const std::size_t at : {0, 31, 255}) {
    CASE(at);
    Row x(keys.elements(), 0x3C00);
    x[at] = 0x7C00;
    Bytes block(keys.bytes());
    for (const SimdLevel level : fast_test::levels()) {
      CASE(level);
      CHECK_THROWS_WITH_AS(encode_squat(keys, feedback, x.data(), block.data(), level),
                           doctest::Contains("not finite"), std::invalid_argument);
    }
  }
}
