#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/kernels/codes.hpp"
#include "axelram/kernels/constants.hpp"
#include "axelram/kernels/device.hpp"
#include "axelram/kernels/pages.hpp"

namespace bench {

/// A decode step: `batch` sequences of `context` tokens; each KV head serves `group` query heads.
struct Shape {
  std::size_t batch = 1, heads = 8, group = 4, context = 1024, d = 128;
};

/// N(0, 1) as FP16 bits.
std::vector<std::uint16_t> random_elements(std::size_t count, std::uint64_t seed);
std::vector<std::uint8_t> random_bytes(std::size_t count, std::uint64_t seed);

/// A device buffer of `bytes` that repeats `pattern`.
axelram::kernels::Buffer<std::uint8_t> repeated(axelram::kernels::Stream& stream,
                                                const std::vector<std::uint8_t>& pattern,
                                                std::size_t bytes);

/// Elements of N(0, 1), the first 2^19 of them over and over.
axelram::kernels::Buffer<std::uint16_t> many_elements(axelram::kernels::Stream& stream,
                                                      std::size_t count, std::uint64_t seed);

/// Constants of the paper's macro.
axelram::kernels::MacroConstants paper_constants(int index_bits);
/// The same with unbiased norms, and a trellis of `states`; 0: none.
axelram::Parameters unbiased_parameters(int index_bits, int states);
axelram::kernels::MacroConstants unbiased_constants(int index_bits, int states);
/// Parameters of records of two parts: of residual signs, and of a split (states 0: no trellis).
axelram::Parameters prod_parameters(int index_bits);
axelram::Parameters split_parameters(int high, int low, int states);
/// The parameters, balanced.
axelram::Parameters balanced(axelram::Parameters parameters);
/// Exponents of every head of a shape, all of -8..7.
std::vector<std::int8_t> every_exponent(const Shape& shape);
/// States of the trellis that is timed: the default.
constexpr int kStates = 8;

/// Format of the rows of a cache: FP16 elements, records or codewords.
struct RowFormat {
  axelram::kernels::RowKind kind = axelram::kernels::RowKind::fp16;
  int index_bits = 3;
  const axelram::kernels::DeviceCode* code = nullptr;  ///< of codewords
  int second_bits = 0;  ///< of records of two parts, as Pages has them
  bool split = false;

  /// Format of the records of a macro.
  static RowFormat records_of(const axelram::kernels::MacroConstants& c) {
    return {axelram::kernels::RowKind::records, c.index_bits, nullptr, c.second.index_bits,
            c.split};
  }
  std::size_t bytes(std::size_t d) const;   ///< of a row
  std::size_t stride(std::size_t d) const;  ///< of a row in a page: of fp16 and codewords
};

/// Keys or values of `sets` batches in pages that lie in random order: random elements, or records
/// of random indices and plausible norms, coded and hit by bit errors if they are codewords.
class PagedRows {
 public:
  PagedRows(axelram::kernels::Stream& stream, const RowFormat& format, bool values,
            const Shape& shape, std::size_t sets);

  const axelram::kernels::Pages& pages() const { return pages_; }
  /// Bytes that one set reads.
  static std::size_t bytes(const RowFormat& format, const Shape& shape) {
    return shape.batch * shape.heads * shape.context * format.bytes(shape.d);
  }

 private:
  axelram::kernels::Pages pages_;
  axelram::kernels::Buffer<std::uint8_t> memory_;
};

/// The table that keys and values share.
class PagedTables {
 public:
  PagedTables(axelram::kernels::Stream& stream, const Shape& shape, std::size_t sets);
  axelram::kernels::BlockTable of_set(std::size_t set) const;

 private:
  Shape shape_;
  std::int32_t max_pages_;
  axelram::kernels::Buffer<std::int32_t> table_;
};

/// Error rate of stored bits of codewords: the middle of the paper's sweeps.
constexpr double kErrorRate = 1e-3;

/// Number of batches to cycle through so that none finds its bytes in the GPU's cache.
std::size_t sets_beyond_cache(std::size_t bytes_of_set);

}  // namespace bench
