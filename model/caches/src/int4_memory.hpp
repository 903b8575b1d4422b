#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "axelram/caches/place.hpp"
#include "int4_rows.hpp"
#include "row_memory.hpp"

namespace axelram::caches {

/// What the stores of one INT4 specification share.
struct Int4Family {
  Int4 store;
  Int4Layout layout;
  const UnitTable& units;
  std::shared_ptr<const RowCode> code;
};

/// The rows of a key or a value store, quantized, stored and dequantized.
class Int4Memory {
 public:
  Int4Memory(const Int4Family& family, const Place& place);
  Int4Memory(const Int4Memory&) = delete;
  Int4Memory& operator=(const Int4Memory&) = delete;

  void begin(std::uint32_t sequence);
  void inject(double p, std::uint64_t seed) { memory_.inject(p, seed); }
  void write(const float* rows, std::size_t count);

  /// [rows, d]
  const float* data() const { return floats_.data(); }
  /// A row as RowMemory::as_last has it, valid until the next call; null where it is the same.
  const float* as_last(std::size_t row);

  const transformer::MemoryEvents& events() const { return memory_.events(); }
  double bytes_per_row() const;

 private:
  void quantize(const float* row);
  void dequantize(std::size_t token, const std::uint8_t* row, float* x) const;
  Int4Scales scales_of(std::size_t token) const;

  Int4Layout layout_;
  bool reference_;
  Place place_;
  RowMemory memory_;
  std::vector<std::uint16_t> scales_, minima_;  ///< [rows, groups]
  std::vector<std::uint8_t> row_;               ///< as quantized
  std::vector<float> floats_, last_;
};

}  // namespace axelram::caches
