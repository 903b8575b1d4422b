#include "axelram/memory_records.hpp"

#include <algorithm>

namespace axelram {

MemoryRecords::MemoryRecords(const MemoryHead& head, const UnitTable& units)
    : head_(head),
      units_(&units),
      keys_(head.parameters, head.rom, head.key_rotation(), head.center, units),
      values_(head.parameters.of_values(), head.rom, head.signs, {}, units),
      store_(head.parameters, 1, head.protection, units) {}

bool MemoryRecords::write(bool values, const std::uint16_t* row, std::int32_t position,
                          std::uint8_t* stored) {
  if (!(values ? values_ : keys_).write(row, &written_)) return false;
  store_.write_at(0, written_.record.data());
  std::copy_n(store_.stored(0), stored_bytes(), stored);
  if (head_.corrupt) head_.corrupt(values, position, stored);
  return true;
}

const std::uint8_t* MemoryRecords::read(const std::uint8_t* stored) {
  if (store_.code() == nullptr) return stored;
  if (store_.size() == 0) store_.write_at(0, std::vector<std::uint8_t>(record_bytes()).data());
  store_.set_stored(0, stored);
  return store_.read();
}

}  // namespace axelram
