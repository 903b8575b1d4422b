#include "axelram/bit_string.hpp"
#include "axelram/golay.hpp"

namespace axelram {

Decoded decode_golay_algebraic_ref(const Code& code, const Word& received) {
  const std::uint32_t s = syndrome_ref(code, received);
  if (s == 0) return {received, WordStatus::clean};
  const auto found = [&](std::uint32_t data_error, std::uint32_t check_error) {
    return Decoded{{received.data ^ data_error, received.check ^ check_error},
                   WordStatus::corrected};
  };
  // H = [B | I]: s = e_data B + e_check, so s B = e_data + e_check B.
  const std::uint32_t sb = check_bits_ref(code, s);
  if (weight(s) <= 3) return found(0, s);
  if (weight(sb) <= 3) return found(sb, 0);
  for (int i = 0; i < 12; ++i) {
    const std::uint32_t b = code.parity_rows[static_cast<std::size_t>(i)];
    if (weight(s ^ b) <= 2) return found(1U << i, s ^ b);
    if (weight(sb ^ b) <= 2) return found(sb ^ b, 1U << i);
  }
  return {received, WordStatus::detected};
}

}  // namespace axelram
