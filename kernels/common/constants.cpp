#include "axelram/kernels/constants.hpp"

#include <algorithm>
#include <vector>

namespace axelram::kernels {
namespace {

void copy_upper_half(const std::vector<std::int32_t>& words, std::int32_t* to) {
  std::copy(words.begin() + static_cast<std::ptrdiff_t>(words.size() / 2), words.end(), to);
}

CodebookConstants codebook_constants(const Parameters& p, const CodebookRom& rom) {
  CodebookConstants c{};
  c.index_bits = p.codebook_bits();
  std::copy(rom.boundaries.begin(), rom.boundaries.end(), c.boundaries);
  if (p.trellis()) copy_upper_half(rom.reconstructions, c.boundaries);
  std::copy(rom.centroids.begin(), rom.centroids.end(), c.centroids);
  return c;
}

}  // namespace

MacroConstants macro_constants(const Parameters& p, const CodebookRom& rom) {
  MacroConstants c{};
  static_cast<CodebookConstants&>(c) = codebook_constants(p.split() ? p.part(0) : p, rom);
  c.head_dim = p.head_dim;
  c.log2_dim = p.log2_dim();
  c.significand_bits = p.significand_bits;
  c.aligned_bits = p.aligned_bits();
  c.boundary_fraction_bits = p.boundary_fraction_bits;
  c.query_bits = p.query_bits;
  c.centroid_bits = p.centroid_bits;
  c.exact_bits = p.exact_bits;
  c.bf16 = p.element_format == ElementFormat::bf16;
  c.centered = p.centered;
  c.unbiased = p.scale == ScaleKind::unbiased;
  c.prod = p.prod();
  c.split = p.split();
  c.balanced = p.balanced;
  c.states = p.trellis() ? p.states : 0;
  c.score_scale = rom.score_scale;
  if (p.split()) c.second = codebook_constants(p.part(1), *rom.second);
  if (p.prod()) {
    c.second.index_bits = 1;
    c.second.centroids[0] = 1;
    c.second.centroids[1] = -1;
    copy_upper_half(rom.reconstructions, c.residual_levels);
    c.residual_scale = rom.residual_scale;
  }
  return c;
}

}  // namespace axelram::kernels
