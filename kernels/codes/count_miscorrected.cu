#include "axelram/codewords.hpp"
#include "axelram/kernels/compare.hpp"
#include "common/reductions.cuh"
#include "common/row_launch.hpp"

namespace axelram::kernels {
namespace {

/// True if `count` bits from `first` on agree; `written` continues with zeros.
AXELRAM_DEVICE bool same_bits(const std::uint8_t* written, std::size_t written_bits,
                              const std::uint8_t* decoded, std::size_t first, int count) {
  for (std::size_t bit = first; bit < first + static_cast<std::size_t>(count); ++bit) {
    const int want = bit < written_bits ? written[bit / 8] >> (bit % 8) & 1 : 0;
    if ((decoded[bit / 8] >> (bit % 8) & 1) != want) return false;
  }
  return true;
}

/// One block per row. It compares bit by bit: its time is negligible.
AXELRAM_KERNEL void count_miscorrected_kernel(
    int k, std::uint32_t words, const std::uint8_t* written, std::size_t written_bits,
    std::size_t written_stride, const std::uint8_t* decoded, std::size_t decoded_stride,
    const std::uint8_t* statuses, unsigned long long* miscorrected) {
  written += block_x() * written_stride;
  decoded += block_x() * decoded_stride;
  statuses += block_x() * status_bytes(words);
  unsigned long long wrong = 0;
  for (std::uint32_t word = thread_index(); word < words; word += kRowThreads) {
    const int status = statuses[word / 4] >> (2 * (word % 4)) & 3;
    if (status == static_cast<int>(WordStatus::detected)) continue;
    const std::size_t first = static_cast<std::size_t>(k) * word;
    if (!same_bits(written, written_bits, decoded, first, k)) ++wrong;
  }
  wrong = over_warp(wrong, Sum());
  if (lane_index() == 0 && wrong != 0) atomic_add(miscorrected, wrong);
}

}  // namespace

void count_miscorrected(Stream& stream, int k, std::size_t words, std::size_t rows,
                        const std::uint8_t* written, std::size_t written_bits,
                        std::size_t written_stride, const std::uint8_t* decoded,
                        std::size_t decoded_stride, const std::uint8_t* statuses,
                        unsigned long long* miscorrected) {
  launch(stream, row_launch("count_miscorrected", rows, words), count_miscorrected_kernel, k,
         static_cast<std::uint32_t>(words), written, written_bits, written_stride, decoded,
         decoded_stride, statuses, miscorrected);
}

}  // namespace axelram::kernels
