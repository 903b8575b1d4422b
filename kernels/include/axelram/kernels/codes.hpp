#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/code.hpp"
#include "axelram/int4.hpp"
#include "axelram/interpolate.hpp"
#include "axelram/kernels/device.hpp"
#include "axelram/record.hpp"

namespace axelram::kernels {

/// A row of the table by syndrome of CodeKernel::table.
struct CodePattern {
  std::uint64_t data;
  std::uint32_t check;
  std::uint32_t status;  ///< WordStatus
};

/// A code as kernels receive it, by value. Pointers are to device memory.
struct CodeView {
  CodeKernel kernel;  ///< of the code's row in code_families(); table for a code made by hand
  std::int32_t n, k;
  /// Check bits by data. golay24: twice their value, [4096]. table: by byte of the data,
  /// [ceil(k/8), 256].
  const std::uint16_t* parity;
  /// golay24: by syndrome, [4096]: the error's data bits, WordStatus from bit 12 on.
  const std::uint16_t* errors;
  const CodePattern* patterns;  ///< table: by syndrome, [2^(n-k)]
};

/// A code of golden's make_code with its tables in device memory.
class DeviceCode {
 public:
  DeviceCode(Stream& stream, const Code& code);

  const CodeView& view() const { return view_; }
  const Code& code() const { return code_; }
  /// Multiprocessors of the device, from which grids are sized.
  int multiprocessors() const { return multiprocessors_; }

 private:
  Code code_;
  Buffer<std::uint16_t> parity_, errors_;
  Buffer<CodePattern> patterns_;
  CodeView view_{};
  int multiprocessors_ = 0;
};

/// Numbers of words by status, in device memory; kernels add to them. See DecodeCounts.
struct CodeCounts {
  unsigned long long clean, corrected, parity_only, detected;
};

/// Rows of `bits` bits in device memory, each coded on its own: row i begins at data + i * stride.
/// bits * rows may be 0. Strides are in bytes, at least the bytes of what they separate (anything
/// if count < 2); bytes between rows are neither read for their value nor written. Rows may
/// begin at any byte; a dense array at a multiple of 16 is fastest. A row may have some
/// 2^28 bits; more throws DeviceError, as does a stride that is too small. Outputs must not overlap
/// inputs.

/// Twin of encode_bulk_ref. rows: ceil(bits/8) bytes each, of which `bits` bits count. codewords:
/// code.codeword_bytes(bits) bytes each, overwritten.
void encode_rows(Stream& stream, const DeviceCode& code, const std::uint8_t* rows,
                 std::size_t count, std::size_t bits, std::size_t row_stride,
                 std::uint8_t* codewords, std::size_t codeword_stride);

/// Twin of decode_bulk_ref. rows: overwritten, zeros beyond `bits`. statuses: [count,
/// status_bytes(words)] without gaps, overwritten, or null. counts: added to, or null.
void decode_rows(Stream& stream, const DeviceCode& code, const std::uint8_t* codewords,
                 std::size_t count, std::size_t bits, std::size_t codeword_stride,
                 std::uint8_t* rows, std::size_t row_stride, std::uint8_t* statuses,
                 CodeCounts* counts);

/// Twin of correct_bulk_ref: scrubs the codewords in place. counts: as decode_rows, or null; the
/// words replaced are counts->corrected + counts->parity_only.
void correct_rows(Stream& stream, const DeviceCode& code, std::uint8_t* codewords,
                  std::size_t count, std::size_t bits, std::size_t codeword_stride,
                  CodeCounts* counts);

/// Rows [sequences, tokens, heads], heads fastest: the row before and after one is that of the
/// same sequence and head, one token earlier or later.
struct TokenRows {
  std::size_t sequences = 1, tokens = 0, heads = 1;
  bool each_last = false;  ///< repair_rows treats every row as the last of its sequence
  std::size_t count() const { return sequences * tokens * heads; }
};

/// Twin of repair_record_ref for every record: decoded and statuses as decode_rows writes them with
/// the bits of a record. fields: record_fields() of one or two parts. repaired: records at the same
/// stride; it may be `decoded` itself (then only rows with erasures move), and must not overlap it
/// otherwise. A multiple of 8 indices in a field, at most 4096, of 1..4 bits; otherwise
/// DeviceError.
void repair_rows(Stream& stream, const DeviceCode& code, ErasurePolicy policy,
                 const std::vector<RecordField>& fields, const TokenRows& rows,
                 const std::uint8_t* decoded, std::size_t row_stride, const std::uint8_t* statuses,
                 std::uint8_t* repaired);

/// decode_rows and repair_rows in one pass over records: codewords of row i from codewords + i *
/// codeword_stride on, both multiples of 4, repaired records as repair_rows has them. For
/// hamming74, hamming84 and golay24, d = 32, 64, 128 or 256; DeviceError otherwise. counts: added
/// to, or null.
void recover_records(Stream& stream, const DeviceCode& code, ErasurePolicy policy, int d,
                     int index_bits, const TokenRows& rows, const std::uint8_t* codewords,
                     std::size_t codeword_stride, std::uint8_t* records, std::size_t row_stride,
                     CodeCounts* counts);

/// The scales and minima of Int4Rows in device memory. Only erased asymmetric values that become
/// zero need them.
struct Int4Scales {
  Int4Format format;
  const std::uint16_t* scales = nullptr;
  const std::uint16_t* minima = nullptr;  ///< null if symmetric
};

/// Twin of the repair in decode_int4_ref: rows of d 4-bit values, d a multiple of 8, at most 4096.
/// One sequence of one head if the format is asymmetric and the policy zero; DeviceError
/// otherwise.
void repair_int4_rows(Stream& stream, const DeviceCode& code, ErasurePolicy policy, int d,
                      const Int4Scales& scales, const TokenRows& rows, const std::uint8_t* decoded,
                      std::size_t row_stride, const std::uint8_t* statuses, std::uint8_t* repaired);

}  // namespace axelram::kernels
