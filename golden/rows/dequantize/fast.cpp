
#include <cmath>

#include "axelram/fast_rows.hpp"
#include "axelram/half.hpp"
#include "axelram/record.hpp"
#include "rows/dequantize/arguments.hpp"
#include "simd/float_environment.hpp"
#include "simd/level_units.hpp"

namespace axelram {

void dequantize(const Dequantizer& of, const std::uint8_t* record, float* row, SimdLevel level) {
  const DefaultFloatEnvironment environment;
  const int d = of.words.head_dim;
  RecordQuery query;
  prepare_record(of.words, record, &query);
  constexpr std::size_t kWidest = 256;  // channels of a row
  std::int32_t sums[kWidest];
  for (int i = 0; i < d; ++i) sums[i] = query.words[i];
  hadamard(sums, d, level);
  const std::uint8_t* const norm = record + record_bytes(d, of.words.index_bits) - 2;
  const NormValue value = decode_norm(static_cast<std::uint16_t>(norm[0] | norm[1] << 8));
  const double scale = std::ldexp(double{of.scale}, value.exponent);
  level_units(level).scale_row(
      {sums, of.signs, static_cast<std::size_t>(d), value.significand, scale, row});
}

}  // namespace axelram
