#include "simd/level_units.hpp"
#include "simd/words.hpp"

/// Values times weights: sums of w_t * C[level_ti] over tokens, for each element.

namespace axelram::AXELRAM_LEVEL {
namespace {

/// The sums of a register of elements stay in two registers while the tokens go by.
template <int count>
void weighted_sums_of(const std::uint8_t* levels, const std::uint32_t* weights, std::size_t tokens,
                      int d, const std::int32_t* centroids, std::int64_t* acc) {
  const Words<count> words(centroids);
  for (int i = 0; i < d; i += kLanes32) {
    Integers even = zeros();
    Integers odd = zeros();
    const std::uint8_t* row = levels + i;
    for (std::size_t t = 0; t < tokens; ++t, row += d) {
      const Integers word = words.at(load_indices(row));
      const Integers weight = broadcast32(static_cast<int>(weights[t]));
      even = add64(even, multiply_even(word, weight));
      odd = add64(odd, multiply_even(odd_lanes(word), weight));
    }
    alignas(64) std::int64_t sums[2][kLanes64];
    store(sums[0], even);
    store(sums[1], odd);
    for (int lane = 0; lane < kLanes32; ++lane) acc[i + lane] += sums[lane % 2][lane / 2];
  }
}

}  // namespace

void weighted_sums(const std::uint8_t* levels, const std::uint32_t* weights, std::size_t tokens,
                   int d, const std::int32_t* centroids, int count, std::int64_t* acc) {
  if (count == 4) return weighted_sums_of<4>(levels, weights, tokens, d, centroids, acc);
  if (count == 8) return weighted_sums_of<8>(levels, weights, tokens, d, centroids, acc);
  if (count == 16) return weighted_sums_of<16>(levels, weights, tokens, d, centroids, acc);
  return weighted_sums_of<32>(levels, weights, tokens, d, centroids, acc);
}

}  // namespace axelram::AXELRAM_LEVEL
