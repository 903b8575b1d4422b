#pragma once

#include <memory>

#include "axelram/caches/axelram_family.hpp"
#include "axelram/datapath.hpp"
#include "row_memory.hpp"

namespace axelram::caches {

/// A family with the units that compute its stores on the CPU.
class AxelramUnits {
 public:
  AxelramUnits(const Axelram& store, const Shape& shape, const UnitTable& units);

  Datapath datapath(int layer, int head, bool value) const;
  RowMemory memory(int layer, int head, bool value) const;
  const AxelramFamily& family() const { return family_; }

 private:
  AxelramFamily family_;
  const UnitTable& units_;
  std::shared_ptr<const RowCode> code_;
};

}  // namespace axelram::caches
