#include "axelram/trellis.hpp"
#include "simd/level_units.hpp"

namespace axelram::portable {

std::uint32_t encode_trellis(const std::int32_t* y, int d, const std::int32_t* reconstructions,
                             int index_bits, std::uint32_t root, int states,
                             std::uint8_t* indices) {
  return encode_trellis_ref(y, d, reconstructions, index_bits, root, states, indices);
}

}  // namespace axelram::portable
