#include <cstdint>

#include "axelram/kernels/write.hpp"
#include "common/row_checks.hpp"
#include "write/write_fast.cuh"

namespace axelram::kernels {
namespace {

bool aligned(const void* address, std::uintptr_t bytes) {
  return reinterpret_cast<std::uintptr_t>(address) % bytes == 0;
}

/// See write.hpp. Boundaries below 2.8 keep every A_j below 2^22, as N <= 2^(23 - n/2), n >= 6.
bool fits(const MacroConstants& c, const ElementRows& keys, const KeyRotations& rotations,
          const std::uint16_t* center, const WrittenRows& out) {
  const int count = (1 << c.index_bits) - 1;
  for (int j = 0; j <= count / 2; ++j)
    if (c.boundaries[j] != -c.boundaries[count - 1 - j] || c.boundaries[j] > 0) return false;
  for (int j = 0; j <= count / 2; ++j)
    if (c.centroids[j] != -c.centroids[count - j] || c.centroids[j] >= 0) return false;
  if (c.balanced && !(aligned(rotations.signs, 16) && aligned(rotations.balance, 16))) return false;
  return !out.has_copies() && c.states == 0 && !c.two_parts() && c.head_dim >= 64 &&
         c.aligned_bits - 1 + c.log2_dim <= 23 &&
         5 * c.boundaries[count - 1] < 14 << c.boundary_fraction_bits && aligned(keys.data, 16) &&
         keys.token_stride % 8 == 0 && keys.head_stride % 8 == 0 && aligned(center, 16) &&
         aligned(out.records, 16) && aligned(out.indices, 16);
}

}  // namespace

void write_keys(Stream& stream, const MacroConstants& c, const ElementRows& keys,
                const KeyRotations& rotations, const std::uint16_t* center,
                const WrittenRows& out) {
  check_keys("write_keys", c, keys, rotations, center, out);
  if (keys.rows() == 0) return;
  const auto run = !fits(c, keys, rotations, center, out) ? write_keys_general
                   : c.balanced                           ? write_fast_balanced
                                                          : launch_fast<false>;
  run(stream, c, keys, rotations, center, out);
}

}  // namespace axelram::kernels
