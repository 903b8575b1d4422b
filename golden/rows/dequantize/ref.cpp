#include <cmath>
#include <vector>

#include "axelram/dequantize.hpp"
#include "axelram/hadamard.hpp"
#include "axelram/half.hpp"
#include "axelram/record.hpp"

namespace axelram {

void dequantize_ref(const Dequantizer& of, const std::uint8_t* record, float* row) {
  const int d = of.words.head_dim;
  std::vector<std::uint8_t> indices(static_cast<std::size_t>(d));
  std::vector<std::int32_t> sums(indices.size());
  std::uint16_t bits = 0;
  unpack_record_ref(record, d, of.words.index_bits, indices.data(), &bits);
  const NormValue norm = decode_norm(bits);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = of.words.centroids[indices[i]];
  hadamard_ref(sums.data(), d);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    // An integer product has no -0. It has 26 bits, and 24 of the scale make 50.
    const std::int32_t integer = of.signs[i] * sums[i] * norm.significand;
    row[i] = static_cast<float>(std::ldexp(integer * double{of.scale}, norm.exponent));
  }
}

}  // namespace axelram
