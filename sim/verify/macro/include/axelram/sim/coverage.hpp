#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace axelram::sim {

/// One corner case that verification should hit.
struct CoverageBin {
  std::string name;        ///< "key: subnormal"
  std::string meaning;     ///< condition of a hit
  std::uint64_t hits = 0;  ///< counted by the golden model and the driver
  bool reachable = true;   ///< false if this configuration has no such case
  /// Hits of the RTL's cover with the label of this bin. Empty: not counted, or no such cover.
  std::optional<std::uint64_t> rtl_hits = std::nullopt;
  bool hit() const { return hits > 0 && rtl_hits.value_or(1) > 0; }
  bool met() const { return hit() || !reachable; }
  std::string label() const;  ///< "key_subnormal"
};

}  // namespace axelram::sim
