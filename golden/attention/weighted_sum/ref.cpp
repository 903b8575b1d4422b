#include "axelram/rounding.hpp"
#include "axelram/weighted_sum.hpp"

namespace axelram {

void weighted_sum_ref(std::int64_t* acc, int d, const TokenWeight& token, const std::int32_t* words,
                      const std::uint8_t* levels) {
  if (!token.present) return;
  for (int i = 0; i < d; ++i) {
    const std::int64_t before = token.first ? 0 : shift_right_half_up(acc[i], token.shift);
    acc[i] = before + std::int64_t{token.weight} * words[levels[i]];
  }
}

}  // namespace axelram
