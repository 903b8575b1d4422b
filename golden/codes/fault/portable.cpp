#include "axelram/philox.hpp"
#include "codes/fault/arguments.hpp"
#include "simd/level_units.hpp"

namespace axelram::portable {

void fault_blocks(const FaultStream& stream, std::uint32_t first, std::size_t blocks,
                  std::uint8_t* mask) {
  for (std::size_t byte = 0; byte < blocks * kFaultBlockBytes; ++byte) {
    unsigned bits = 0;
    for (std::uint32_t half = 0; half < 2; ++half) {
      const auto words =
          philox4x32({first++, stream.counter[0], stream.counter[1], stream.counter[2]},
                     {stream.key[0], stream.key[1]});
      for (std::uint32_t i = 0; i < 4; ++i)
        bits |= (words[i] < stream.threshold ? 1U : 0U) << (4 * half + i);
    }
    mask[byte] = static_cast<std::uint8_t>(bits);
  }
}

}  // namespace axelram::portable
