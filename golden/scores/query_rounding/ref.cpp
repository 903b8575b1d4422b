#include "axelram/query_rounding.hpp"
#include "numbers/element_rounding.hpp"

namespace axelram {

int round_query_ref(const std::int32_t* y, int d, int query_bits, std::int32_t* u) {
  return round_to_bits(y, d, query_bits, u);
}

}  // namespace axelram
