#include "axelram/signs.hpp"

namespace axelram {
namespace {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;

std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

}  // namespace

void sign_vector(std::uint64_t seed, int layer, int head, int d, std::int8_t* signs) {
  const std::uint64_t stream =
      (static_cast<std::uint64_t>(layer) << 20) + static_cast<std::uint64_t>(head) + 1;
  std::uint64_t x = mix(seed + kGolden * stream);
  std::uint64_t word = 0;
  for (int i = 0; i < d; ++i) {
    if (i % 64 == 0) {
      x += kGolden;
      word = mix(x);
    }
    signs[i] = ((word >> (i % 64)) & 1) != 0 ? std::int8_t{-1} : std::int8_t{1};
  }
}

}  // namespace axelram
