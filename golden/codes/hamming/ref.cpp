#include "axelram/hamming.hpp"

namespace axelram {

Decoded decode_hamming84_ref(const Code& code, const Word& received) {
  const std::uint32_t parity_bit = 8;
  const std::uint32_t z = syndrome_ref(code, received) & 7;
  std::uint32_t ones = 0;
  for (int i = 0; i < 4; ++i)
    ones += static_cast<std::uint32_t>(received.data >> i & 1) + (received.check >> i & 1);
  const bool odd = ones % 2 == 1;
  if (z == 0 && !odd) return {received, WordStatus::clean};
  if (z == 0) return {{received.data, received.check ^ parity_bit}, WordStatus::parity_only};
  if (!odd) return {received, WordStatus::detected};
  // Columns of H: the rows of P for data bits, then the identity.
  for (int i = 0; i < 4; ++i)
    if ((code.parity_rows[static_cast<std::size_t>(i)] & 7) == z)
      return {{received.data ^ 1U << i, received.check}, WordStatus::corrected};
  return {{received.data, received.check ^ z}, WordStatus::corrected};
}

}  // namespace axelram
