#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/caches/place.hpp"
#include "axelram_units.hpp"

namespace axelram::caches {

/// Floats to elements of a configuration, one row at a time; throws files::InputError, naming the
/// place, for what has no finite element.
class ElementRow {
 public:
  ElementRow(const Place& place, const Parameters& parameters);
  const std::uint16_t* of(const float* row, const char* row_name, std::size_t token);

 private:
  Place place_;
  ElementFormat format_;
  std::vector<std::uint16_t> elements_;
};

/// The write path of a key or a value store: floats to records in a memory.
class AxelramRows {
 public:
  AxelramRows(const AxelramUnits& units, const Place& place);

  void begin(std::uint32_t sequence) { memory_.begin(sequence); }
  void inject(double p, std::uint64_t seed) { memory_.inject(p, seed); }
  /// Returns RowMemory::settle.
  std::size_t write(const float* rows, std::size_t count);

  const RowMemory& memory() const { return memory_; }
  Datapath& datapath() { return datapath_; }
  const Datapath& datapath() const { return datapath_; }
  double bytes_per_row() const { return static_cast<double>(memory_.code().stored_bytes()); }

 private:
  Place place_;
  Datapath datapath_;
  RowMemory memory_;
  ElementRow element_row_;
  KeyResult written_;
};

}  // namespace axelram::caches
