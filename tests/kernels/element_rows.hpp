#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "axelram/kernels/rows.hpp"
#include "axelram/parameters.hpp"

/// Vectors of FP16 or BF16 elements that stress ALIGN and what follows.
namespace test {

using Random = std::mt19937_64;

inline int between(Random& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
}

enum class Kind {
  gaussian_like,
  any_finite,
  zero,
  tiny,     ///< a few of the smallest subnormals: ties of the quantizer
  largest,  ///< longest rotated vectors, saturated norms
  one_hot,
  mixed_extremes,
  close_exponents,  ///< ties of the alignment
  not_finite,       ///< NaN or infinity somewhere
  count
};

inline std::uint16_t element(Random& random, Kind kind, axelram::ElementFormat format, bool hot) {
  const bool fp16 = format == axelram::ElementFormat::fp16;
  const int fraction_bits = fp16 ? 10 : 7, bias = fp16 ? 15 : 127;
  const int infinity = fp16 ? 0x7C00 : 0x7F80;
  const int sign = between(random, 0, 1) << 15;
  const int fraction = between(random, 0, (1 << fraction_bits) - 1);
  const auto of_exponents = [&](int low, int high) {
    return between(random, low, high) << fraction_bits;
  };
  int magnitude = 0;
  switch (kind) {
    case Kind::any_finite:
      magnitude = between(random, 0, infinity - 1);
      break;
    case Kind::zero:
      break;
    case Kind::tiny:
      magnitude = between(random, 0, 3) == 0 ? between(random, 1, 2) : 0;
      break;
    case Kind::largest:
      return static_cast<std::uint16_t>(infinity - 1);
    case Kind::one_hot:
      magnitude = hot ? infinity - 1 - between(random, 0, 3) : 0;
      break;
    case Kind::mixed_extremes:
      magnitude = between(random, 0, 1) != 0 ? infinity - 1 : between(random, 0, 3);
      break;
    case Kind::close_exponents:
      magnitude = of_exponents(bias - 14, bias) | (fraction & ~31);
      break;
    default:
      magnitude = of_exponents(bias - 6, bias + 1) | fraction;
      if (kind == Kind::not_finite && hot)
        magnitude = infinity + (between(random, 0, 1) != 0 ? fraction : 0);
  }
  return static_cast<std::uint16_t>(sign | magnitude);
}

inline void fill_row(Random& random, Kind kind, axelram::ElementFormat format, std::uint16_t* x,
                     int d) {
  const int hot = between(random, 0, d - 1);
  for (int i = 0; i < d; ++i) x[i] = element(random, kind, format, i == hot);
}

/// Rows of every kind in turn, with strides as given; what lies between rows is not finite.
struct HostRows {
  std::size_t tokens, heads, head_stride, token_stride, offset = 0;
  std::vector<std::uint16_t> elements{};

  void fill(const axelram::Parameters& p, std::uint64_t seed) {
    Random random(seed);
    elements.assign(offset + tokens * token_stride + heads * head_stride, 0xFFFF);
    auto kind = static_cast<int>(seed % static_cast<std::uint64_t>(Kind::count));
    for (std::size_t row = 0; row < tokens * heads; ++row) {
      fill_row(random, static_cast<Kind>(kind), p.element_format, at(row), p.head_dim);
      kind = (kind + 1) % static_cast<int>(Kind::count);
    }
  }
  std::uint16_t* at(std::size_t row) {
    return elements.data() + offset + row / heads * token_stride + row % heads * head_stride;
  }
  axelram::kernels::ElementRows on_device(const std::uint16_t* data) const {
    return {data + offset, tokens, heads, token_stride, head_stride};
  }
};

inline std::vector<std::int8_t> random_signs(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  std::vector<std::int8_t> signs;
  for (std::size_t i = 0; i < count; ++i) signs.push_back(between(random, 0, 1) != 0 ? 1 : -1);
  return signs;
}

}  // namespace test
