#include "axelram/power_of_two.hpp"

#include <cmath>

#include "axelram/logit.hpp"

namespace axelram {

// No word is near a tie of its rounding, so that doubles give it
// (tests/golden/softmax_test.cpp).
const PowerOfTwoRom& power_of_two_rom() {
  static const PowerOfTwoRom rom = [] {
    PowerOfTwoRom made{};
    for (int i = 0; i < 64; ++i) {
      const double here = std::exp2(24 - i / 64.0), next = std::exp2(24 - (i + 1) / 64.0);
      const auto at = static_cast<std::size_t>(i);
      made.base[at] = static_cast<std::int32_t>(std::lrint(here));
      made.slope[at] = static_cast<std::int32_t>(std::lrint((here - next) / 64));
    }
    return made;
  }();
  return rom;
}

PowerOfTwo power_of_two_ref(std::int32_t z) {
  const PowerOfTwoRom& rom = power_of_two_rom();
  constexpr std::int32_t kOne = 1 << kLogitFractionBits;
  const std::int32_t exponent = (z + kOne - 1) >> kLogitFractionBits;
  const std::int32_t below = exponent * kOne - z;  // f, 12 bits
  const auto row = static_cast<std::size_t>(below >> 6);
  return {(rom.base[row] - rom.slope[row] * (below & 63) + 128) >> 8, exponent};
}

}  // namespace axelram
