#include "axelram/kernels/constants.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace axelram::kernels {

MacroConstants macro_constants(const Parameters& p, const CodebookRom& rom) {
  if (p.two_parts()) throw std::invalid_argument("the kernels take no records of two parts");
  MacroConstants c{};
  c.head_dim = p.head_dim;
  c.log2_dim = p.log2_dim();
  c.index_bits = p.index_bits;
  c.significand_bits = p.significand_bits;
  c.aligned_bits = p.aligned_bits();
  c.boundary_fraction_bits = p.boundary_fraction_bits;
  c.query_bits = p.query_bits;
  c.centroid_bits = p.centroid_bits;
  c.exact_bits = p.exact_bits;
  c.bf16 = p.element_format == ElementFormat::bf16;
  c.centered = p.centered;
  c.unbiased = p.scale == ScaleKind::unbiased;
  c.states = p.trellis() ? p.states : 0;
  const std::vector<std::int32_t>& levels = rom.reconstructions;
  std::copy(rom.boundaries.begin(), rom.boundaries.end(), c.boundaries);
  std::copy(levels.begin() + static_cast<std::ptrdiff_t>(levels.size() / 2), levels.end(),
            c.boundaries);
  std::copy(rom.centroids.begin(), rom.centroids.end(), c.centroids);
  c.score_scale = rom.score_scale;
  return c;
}

}  // namespace axelram::kernels
