#include <algorithm>
#include <bit>
#include <random>

#include "axelram/half.hpp"
#include "axelram/norm.hpp"
#include "written_keys.hpp"

using namespace axelram;
using namespace axelram::kernels;
using namespace test;

namespace {

/// Appends a key and its center, so that y_0 is `off` above the threshold of a boundary although
/// its halves are as large as they get: elements of one sign where bit `split` of their number is
/// 0, of the other sign where it is 1, in units of 2^e = 2. Key and center share each element, but
/// the first, where the center makes single units. False if no such key was found.
bool append_balanced_key(const Parameters& p, int split, std::int64_t boundary, int off,
                         std::vector<std::uint16_t>* keys, std::vector<std::uint16_t>* centers) {
  constexpr std::int32_t kLarge = 60000, kFirst = kLarge / 2, kStep = 32;
  const auto d = static_cast<std::size_t>(p.head_dim);
  std::int64_t target = 0;
  for (int tries = 0; tries < 420; ++tries) {
    const std::int32_t sign = target < 0 ? -1 : 1;
    const std::int64_t half = static_cast<std::int64_t>(d) / 2;
    const std::int64_t size = target * sign + kLarge - kFirst;
    const std::int64_t steps = size / kStep, rest = size % kStep;
    std::vector<std::int32_t> m(d, sign * kLarge);
    std::int64_t taken = 0;
    for (std::size_t i = 0; i < d; ++i)
      if ((i >> split & 1) != 0)
        m[i] = -sign * (kLarge - kStep * static_cast<std::int32_t>(
                                             steps / half + (taken++ < steps % half ? 1 : 0)));
    m[0] = sign * (kFirst + static_cast<std::int32_t>(rest));
    std::int64_t y = 0, squares = 0;
    for (const std::int64_t v : m) {
      y += v;
      squares += v * v;
    }
    const std::int64_t root = root_ref(static_cast<std::uint64_t>(squares));
    const std::int64_t wanted = (boundary * root >> p.boundary_fraction_bits) + off;
    if (y == wanted) {
      for (std::size_t i = 0; i < d; ++i) {
        const std::int32_t key = i == 0 ? sign * kFirst : m[i] / 2;
        keys->push_back(double_to_half(2 * key));
        centers->push_back(double_to_half(2 * (key - m[i])));
      }
      return true;
    }
    target = tries < 20 ? wanted : target + (tries == 20 ? -200 : 1);  // near, then one by one
  }
  return false;
}

}  // namespace

TEST_CASE("write: sums that cancel late are exact at the thresholds") {
  for (const int d : {64, 128, 256})
    for (const int b : {3, 4}) {
      CASE(d, b);
      Parameters p{.head_dim = d, .index_bits = b, .centered = true};
      HostRows keys = dense(1, 1, p);
      Heads heads(p, 0, 1);
      std::size_t rows = 0;
      for (int split = 0; split < p.log2_dim(); ++split)
        for (const std::int32_t boundary : codebook_rom(p).boundaries)
          for (const int off : {0, 1})
            rows += append_balanced_key(p, split, boundary, off, &keys.elements, &heads.center);
      REQUIRE(rows >= static_cast<std::size_t>(2 * p.boundaries()));
      keys.heads = rows;
      keys.token_stride = keys.elements.size();
      heads.signs.assign(keys.elements.size(), 1);
      for (const ScaleKind scale : {ScaleKind::norm, ScaleKind::unbiased}) {
        CASE(scale);
        p.scale = scale;
        const Written expected = golden(p, keys, heads);
        check_equal(run(write_keys, p, keys, heads, expected), expected);
        check_equal(run(write_keys_general, p, keys, heads, expected), expected);
      }
    }
}

TEST_CASE("write: elements as large as they get have exact correlations") {
  for (const int d : {64, 128, 256})
    for (const int b : {2, 3, 4})
      for (const int centroid_bits : {8, 16}) {
        CASE(d, b, centroid_bits);
        Parameters p{.head_dim = d,
                     .index_bits = b,
                     .centroid_bits = centroid_bits,
                     .scale = ScaleKind::unbiased,
                     .centered = d < 256};
        const std::size_t rows = 64, width = static_cast<std::size_t>(d);
        HostRows keys = dense(1, rows, p);
        Heads heads(p, 0, 1);
        std::mt19937 random(static_cast<unsigned>(d + b));
        // A row of the Hadamard matrix, but for a few elements: one y_i is all but d * 2^(W' - 1).
        for (std::size_t row = 0; row < rows; ++row)
          for (std::size_t i = 0; i < width; ++i) {
            const bool negative = std::popcount(i & (row * 3)) % 2 != 0;
            double x = negative ? -65504 : 65504;
            if (row % 4 != 0 && random() % 8 == 0) x -= 32 * static_cast<double>(random() % 64);
            x = std::clamp(x, -65504.0, 65504.0);
            keys.elements.push_back(double_to_half(x));
            if (p.centered) heads.center.push_back(double_to_half(negative ? 65504 : -65504));
          }
        keys.token_stride = keys.elements.size();
        heads.signs.assign(keys.elements.size(), 1);
        const Written expected = golden(p, keys, heads);
        check_equal(run(write_keys, p, keys, heads, expected), expected);
        check_equal(run(write_keys_general, p, keys, heads, expected), expected);
      }
}
