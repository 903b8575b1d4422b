#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace axelram::sim {

/// One corner that verification should have met.
struct CoverageBin {
  std::string name;     ///< "key: subnormal"
  std::string meaning;  ///< what counts as a hit
  std::uint64_t hits = 0;
  bool reachable = true;  ///< false where this configuration has no such corner
  bool met() const { return hits > 0 || !reachable; }
};

}  // namespace axelram::sim
