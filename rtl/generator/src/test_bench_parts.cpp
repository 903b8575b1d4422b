#include "test_bench_parts.hpp"

#include "axelram/philox.hpp"
#include "generator_internal.hpp"

namespace axelram::rtl {

std::vector<std::uint16_t> BenchVectors::next() {
  constexpr std::uint32_t kSeed = 0x61786c72;
  const auto fraction = static_cast<unsigned>(parameters_.format_fraction_bits());
  const auto special = static_cast<std::uint16_t>(0x7fffU >> fraction << fraction);
  const auto bias = static_cast<unsigned>(parameters_.format_bias());
  std::vector<std::uint16_t> elements(static_cast<std::size_t>(parameters_.head_dim));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto word = philox4x32({static_cast<std::uint32_t>(i), count_, 0, 0}, {kSeed, 0})[0];
    const unsigned sign = word >> 31 << 15, low = word & ((1U << fraction) - 1);
    const unsigned field = bias - 3 + (word >> 16) % 5;  // magnitudes from 1/8 to 4
    unsigned bits = sign | field << fraction | low;
    if (count_ == 3) bits = 0;
    if (count_ == 5) bits = sign | low;
    if (count_ == 7 && i % 4 == 0) bits = sign | (special - 1U);
    if (with_nan_.count(count_) != 0 && i == elements.size() / 2) bits = special | 1U;
    elements[i] = static_cast<std::uint16_t>(bits);
  }
  ++count_;
  return elements;
}

std::string hex_of(const std::uint16_t* elements, std::size_t count) {
  std::string text;
  for (std::size_t i = count; i-- > 0;) text += hex(elements[i], 16);
  return text;
}

std::string error_counts(const std::vector<std::uint64_t>& counts, int errors) {
  std::string text;
  for (int e = 0; e < errors; ++e)
    text = "32'd" + std::to_string(counts[static_cast<std::size_t>(e)]) +
           (text.empty() ? "" : ", ") + text;
  return "{" + text + "}";
}

}  // namespace axelram::rtl
