#include "axelram/center.hpp"
#include "keys/alignment.hpp"

namespace axelram {

bool center_ref(const std::uint16_t* x, const std::uint16_t* c, int d, ElementFormat format,
                int significand_bits, std::int32_t* m, int* e, const std::int8_t* powers) {
  if (!all_finite(x, d, format) || !all_finite(c, d, format)) return false;
  *e = std::max(max_exponent(x, powers, d, format), max_exponent(c, nullptr, d, format)) -
       (significand_bits - 2);
  for (int i = 0; i < d; ++i)
    m[i] = align_element(x[i], format, *e - power(powers, i)) - align_element(c[i], format, *e);
  return true;
}

}  // namespace axelram
