#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "axelram/kernels/codes.hpp"
#include "codes/staged_rows.cuh"
#include "codes/visit_coder.cuh"
#include "device/launch.cuh"
#include "units/codewords.cuh"

/// Distribution of coded rows over blocks and threads. Rows are cut into pieces of whole groups of
/// eight words. A block takes one piece of several rows; a thread takes one group.
namespace axelram::kernels {

struct CodedRows {
  std::uint64_t count;       ///< rows
  std::uint64_t words;       ///< of a row
  std::uint64_t bits;        ///< of a row's data
  std::uint64_t row_groups;  ///< of eight words, the last of which may have fewer
  unsigned groups;           ///< of a piece: all groups of a short row
  unsigned rows;             ///< of a block; groups * rows <= 2^16
  std::uint32_t reciprocal;  ///< 2^32 / groups, rounded up

  AXELRAM_HD std::uint64_t first_group(unsigned piece) const {
    return std::uint64_t{piece} * groups;
  }
  /// The row of the block's item; 0 <= item < rows * groups.
  AXELRAM_HD unsigned row_of(unsigned item) const {
    return groups == 1 ? item : static_cast<unsigned>(std::uint64_t{item} * reciprocal >> 32);
  }
};

/// Rows of `group_bytes` bytes a group, `row_bytes` in all; staged piece by piece.
struct CodedArray {
  RowArray rows;
  std::uint64_t row_bytes;
  unsigned group_bytes;

  AXELRAM_HD RowArray piece(const CodedRows& c, unsigned number) const {
    RowArray piece = rows;
    const std::uint64_t first = c.first_group(number) * group_bytes;
    piece.data += first;
    if (row_bytes - first < piece.bytes) piece.bytes = static_cast<unsigned>(row_bytes - first);
    return piece;
  }
  /// The largest of 4, 2 and 1 that divides the address of every group.
  AXELRAM_HD int alignment() const {
    const auto all = reinterpret_cast<std::uintptr_t>(rows.data) | rows.stride | group_bytes;
    return (all & 1) != 0 ? 1 : (all & 2) != 0 ? 2 : 4;
  }
};

constexpr unsigned kCoderThreads = 128;

/// Host side of a call: checks its shapes, cuts the rows and sizes the launch.
class CodedCall {
 public:
  CodedCall(const char* kernel, const DeviceCode& code, std::size_t count, std::size_t bits)
      : kernel_(kernel),
        code_(code),
        shapes_(code.code().name + " [" + std::to_string(count) + " rows of " +
                std::to_string(bits) + " bits]") {
    constexpr std::size_t kPieceBytes = 8192;
    cut_.count = count;
    cut_.bits = bits;
    cut_.words = code.code().words(bits);
    cut_.row_groups = (cut_.words + 7) / 8;
    const std::size_t max_groups = kPieceBytes / static_cast<std::size_t>(code.view().n);
    cut_.groups = static_cast<unsigned>(std::min<std::size_t>(cut_.row_groups, max_groups));
    cut_.reciprocal =
        static_cast<std::uint32_t>(((std::uint64_t{1} << 32) + cut_.groups - 1) / cut_.groups);
  }

  CodedArray to_read(const std::uint8_t* data, std::size_t stride, std::size_t bytes,
                     int group_bytes) {
    return array(const_cast<std::uint8_t*>(data), stride, bytes, group_bytes, 16);
  }
  CodedArray to_write(std::uint8_t* data, std::size_t stride, std::size_t bytes, int group_bytes) {
    return array(data, stride, bytes, group_bytes, 1);
  }

  /// Call it after to_read() and to_write().
  CodedRows cut() {
    // A multiple of 16 rows keeps the address of dense rows modulo 16.
    constexpr std::size_t kStagedBytes = 16384, kMaxItems = 1 << 16;
    const std::size_t rows = std::min(kStagedBytes / pitches_, kMaxItems / cut_.groups);
    cut_.rows = static_cast<unsigned>(rows >= 16 ? rows / 16 * 16 : std::max<std::size_t>(rows, 1));
    return cut_;
  }
  /// As many blocks as the GPU runs at once. Each loops over chunks of rows and so fills its tables
  /// only once.
  Launch launch_over(std::size_t table_bytes) const {
    constexpr std::size_t kBlocks = 16;  // of a multiprocessor
    const std::size_t pieces = (cut_.row_groups + cut_.groups - 1) / cut_.groups;
    const std::size_t chunks = (cut_.count + cut_.rows - 1) / cut_.rows;
    const auto working = static_cast<std::size_t>(code_.multiprocessors()) * kBlocks;
    const std::size_t shared = table_bytes + cut_.rows * pitches_ + arrays_ * RowArray::kMargin;
    return {kernel_, shapes_, std::min(chunks, std::max<std::size_t>(working / pieces, 1)),
            pieces,  1,       kCoderThreads,
            shared};
  }

 private:
  /// gap: rows with smaller gaps are staged as one piece with what lies between.
  CodedArray array(std::uint8_t* data, std::size_t stride, std::size_t bytes, int group_bytes,
                   std::size_t gap) {
    if (cut_.count > 1 && stride < bytes)
      throw DeviceError(std::string(kernel_) + "(" + shapes_ + "): a stride of " +
                        std::to_string(stride) + " bytes; rows of " + std::to_string(bytes) +
                        " bytes need as many");
    if (cut_.count < 2) stride = bytes;
    const auto step = static_cast<unsigned>(group_bytes);
    const std::size_t staged = std::min<std::size_t>(bytes, std::size_t{cut_.groups} * step);
    const RowArray rows = row_array(data, stride, staged, gap);
    pitches_ += rows.pitch;
    ++arrays_;
    return {rows, bytes, step};
  }

  const char* kernel_;
  const DeviceCode& code_;
  std::string shapes_;
  CodedRows cut_{};
  std::size_t pitches_ = 0, arrays_ = 0;
};

/// The groups of a row's piece, the last of which may have fewer than eight words.
struct PieceGroups {
  unsigned count;
  int whole_bits;             ///< data bits of eight words
  int last_words, last_bits;  ///< of group count - 1

  struct Size {
    int words, bits;
  };
  AXELRAM_HD Size size(unsigned group) const {
    return group + 1 == count ? Size{last_words, last_bits} : Size{8, whole_bits};
  }
};

/// work(row, group, size) for every group of the block's `here` rows of a piece, by its threads.
template <class Work>
AXELRAM_DEVICE void for_groups(const CodedRows& c, const PieceGroups& shape, unsigned here,
                               const Work& work) {
  for (unsigned item = thread_index(); item < here * c.groups; item += kCoderThreads) {
    const unsigned row = c.row_of(item), group = item - row * c.groups;
    if (group < shape.count) work(row, group, shape.size(group));
  }
}
AXELRAM_HD PieceGroups piece_groups(const CodedRows& c, unsigned piece, int data_bytes) {
  const std::uint64_t first = c.first_group(piece), left = c.row_groups - first;
  const int whole = 8 * data_bytes;
  if (left > c.groups) return {c.groups, whole, 8, whole};
  const std::uint64_t before = c.row_groups - 1;  // groups before the row's last
  return {static_cast<unsigned>(left), whole, static_cast<int>(c.words - 8 * before),
          static_cast<int>(c.bits - before * static_cast<unsigned>(whole))};
}

/// Adds what the block's threads counted, and the launch's words once.
AXELRAM_DEVICE void add_counts(const CodedRows& c, const StatusCounts& counted,
                               CodeCounts* counts) {
  const auto sum = [](std::uint32_t value) {
    for (unsigned mask = 16; mask > 0; mask >>= 1) value += shuffle_xor(value, mask);
    return static_cast<unsigned long long>(value);
  };
  const auto corrected = sum(counted.corrected), parity_only = sum(counted.parity_only),
             detected = sum(counted.detected);
  const auto add = [](unsigned long long* to, unsigned long long value) {
    if (value != 0) atomic_add(to, value);
  };
  if (lane_index() == 0) {
    add(&counts->corrected, corrected);
    add(&counts->parity_only, parity_only);
    add(&counts->detected, detected);
    add(&counts->clean, 0ULL - corrected - parity_only - detected);
  }
  if (block_x() == 0 && block_y() == 0 && thread_index() == 0)
    add(&counts->clean, static_cast<unsigned long long>(c.count) * c.words);
}

}  // namespace axelram::kernels
