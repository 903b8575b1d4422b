#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram {

// The master of a summary, a mean that forgets (bit-contract.md#memory-blend;
// references.md#coda-gqa-l). It stays beside the record, since reading and writing 3 bits again and
// again stalls.

/// eta = FP32 RNE(blend * gate / 65025), both codes of 0..255. The quotient in FP64 rounds to the
/// same FP32 number for every product.
float blend_rate(int blend, int gate);

/// A master begins as FP16 RNE of a row, saturated at +-65504. row, master: d.
void begin_master_ref(const float* row, std::size_t d, std::uint16_t* master);

/// m_i = FP16 RNE(m_i + eta * (v_i - m_i)), saturated at +-65504. Difference, product and sum are
/// FP32 RNE each, never contracted. master: d, in place.
void blend_ref(float eta, const float* row, std::size_t d, std::uint16_t* master);

/// The same of a master in FP32: without the last rounding.
void blend_wide_ref(float eta, const float* row, std::size_t d, float* master);

}  // namespace axelram
