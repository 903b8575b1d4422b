#pragma once

#include "axelram/simd.hpp"

namespace axelram::transformer {

/// While it exists, all threads compute at another level (or the highest that the CPU has): it
/// shows how far results depend on the level. One at a time, and not while products are computed.
class OtherLevel {
 public:
  explicit OtherLevel(SimdLevel level);
  ~OtherLevel();
  OtherLevel(const OtherLevel&) = delete;
  OtherLevel& operator=(const OtherLevel&) = delete;
};

}  // namespace axelram::transformer
