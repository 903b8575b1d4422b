#include "axelram/align.hpp"
#include "keys/alignment.hpp"

namespace axelram {

bool align_ref(const std::uint16_t* x, int d, ElementFormat format, int significand_bits,
               std::int32_t* m, int* e, const std::int8_t* powers) {
  if (!all_finite(x, d, format)) return false;
  *e = max_exponent(x, powers, d, format) - (significand_bits - 2);
  for (int i = 0; i < d; ++i) m[i] = align_element(x[i], format, *e - power(powers, i));
  return true;
}

}  // namespace axelram
