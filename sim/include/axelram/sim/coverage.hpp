#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace axelram::sim {

/// One corner case that verification should hit.
struct CoverageBin {
  std::string name;     ///< "key: subnormal"
  std::string meaning;  ///< condition of a hit
  std::uint64_t hits = 0;
  bool reachable = true;  ///< false if this configuration has no such case
  bool met() const { return hits > 0 || !reachable; }
};

}  // namespace axelram::sim
