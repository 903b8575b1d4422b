#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/attention.hpp"
#include "axelram/simd.hpp"

namespace axelram {

/// The fast twin of attend_ref: same arguments, same result on every level.
void attend(const AttentionParameters& attention, const Parameters& parameters,
            const CodebookRom& rom, const std::int8_t* signs, const float* scores,
            const std::uint8_t* records, std::size_t count, AttentionResult* result,
            SimdLevel level = simd_level());

}  // namespace axelram
