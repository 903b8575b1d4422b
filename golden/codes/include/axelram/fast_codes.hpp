#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "axelram/code.hpp"
#include "axelram/codewords.hpp"
#include "axelram/simd.hpp"

namespace axelram {

struct CodeTables;

/// A code with the tables of its fast units, prepared once for many short strings. The shape (n, k)
/// chooses the coder, not the name. The methods are the fast twins of encode_bulk_ref,
/// decode_bulk_ref and correct_bulk_ref: same arguments, same results bit for bit, on every level
/// and for every code. Copies share the tables. A level above best_simd_level() is lowered to it.
class BulkCode final : public BulkCoder {
 public:
  explicit BulkCode(const Code& code, SimdLevel level = simd_level());

  void encode(const std::uint8_t* data, std::size_t bits, std::uint8_t* codewords) const override;
  DecodeCounts decode(const std::uint8_t* codewords, std::size_t bits, std::uint8_t* data,
                      std::uint8_t* statuses) const override;
  std::uint64_t correct(std::uint8_t* codewords, std::size_t bits) const override;

 private:
  std::shared_ptr<const CodeTables> tables_;
};

/// The same for one string; the tables take some microseconds.
inline void encode_bulk(const Code& code, const std::uint8_t* data, std::size_t bits,
                        std::uint8_t* codewords, SimdLevel level = simd_level()) {
  BulkCode(code, level).encode(data, bits, codewords);
}

inline DecodeCounts decode_bulk(const Code& code, const std::uint8_t* codewords, std::size_t bits,
                                std::uint8_t* data, std::uint8_t* statuses,
                                SimdLevel level = simd_level()) {
  return BulkCode(code, level).decode(codewords, bits, data, statuses);
}

inline std::uint64_t correct_bulk(const Code& code, std::uint8_t* codewords, std::size_t bits,
                                  SimdLevel level = simd_level()) {
  return BulkCode(code, level).correct(codewords, bits);
}

}  // namespace axelram
