#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace test {

/// Ids of a text, by a formula: neighbours differ. The reference checkpoints have 96.
inline std::vector<std::int32_t> some_ids(std::size_t count, std::size_t vocabulary = 96,
                                          std::size_t seed = 3) {
  std::vector<std::int32_t> ids;
  for (std::size_t t = 0; t < count; ++t)
    ids.push_back(static_cast<std::int32_t>((t * t * 5 + t * 11 + seed) % vocabulary));
  return ids;
}

}  // namespace test
