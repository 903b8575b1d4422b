#include "axelram/fast_squat.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

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
    CAPTURE(simd_level_name(level));
    Bytes block(keys.bytes(), 0xA5);
    run_in_mode(mode, [&] { encode_squat(keys, feedback, x.data(), block.data(), level); });
    REQUIRE(block == expected);
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
          CAPTURE(d);
          CAPTURE(channels);
          check_block(keys, feedback, x);
        }
}

TEST_CASE("fast SQuat: small heads many times, all exponents, the other groups") {
  squat_inputs::Rng rng(132);
  for (int trial = 0; trial < 300; ++trial) {
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
      const KiviLayout keys = kivi_key_layout(2 + trial % 3, 32, 8);
      const SquatFeedback feedback = squat_inputs::random_feedback(rng, 32, 16);
      const Row x = squat_inputs::random_keys(rng, keys);
      check_block(keys, feedback, x, mode);
    }
}
#endif

TEST_CASE("fast SQuat rejects what golden rejects") {
  const KiviLayout keys = kivi_key_layout(2, 32, 8);
  squat_inputs::Rng rng(134);
  const SquatFeedback feedback = squat_inputs::random_feedback(rng, 32, 8);
  for (const std::size_t at : {0, 31, 255}) {
    Row x(keys.elements(), 0x3C00);
    x[at] = 0x7C00;
    Bytes block(keys.bytes());
    for (const SimdLevel level : fast_test::levels())
      CHECK_THROWS_WITH_AS(encode_squat(keys, feedback, x.data(), block.data(), level),
                           doctest::Contains("not finite"), std::invalid_argument);
  }
}
