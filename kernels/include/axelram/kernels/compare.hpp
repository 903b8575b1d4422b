#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/kernels/device.hpp"

namespace axelram::kernels {

/// *miscorrected += the words that a decoder passed as good though their data is not what was
/// written: bits j * k .. j * k + k - 1 (k <= 64) of row r of `decoded`, whose status is not
/// WordStatus::detected, differ from those of `written`, which has zeros from `written_bits` on.
/// Rows begin every stride bytes; statuses: [rows, status_bytes(words)], two bits a word. All in
/// device memory.
void count_miscorrected(Stream& stream, int k, std::size_t words, std::size_t rows,
                        const std::uint8_t* written, std::size_t written_bits,
                        std::size_t written_stride, const std::uint8_t* decoded,
                        std::size_t decoded_stride, const std::uint8_t* statuses,
                        unsigned long long* miscorrected);

}  // namespace axelram::kernels
