#include "rtl/attention/collector.hpp"

namespace axelram::sim {

/// Keys and values, in the order in which they were taken.
void AttentionCollector::observe_quantizer() {
  const Parameters& p = config_.parameters;
  if (ports_.norm_valid.get() != 0) {
    const Vector vector = next_of(&norms_, "norms");
    auto& norms = vector.is_value ? result_.value_norms : result_.norms;
    norms[vector.row] = static_cast<std::uint16_t>(ports_.norm.get());
  }
  if (p.scale == ScaleKind::unbiased && ports_.correlation_valid.get() != 0) {
    const Vector vector = next_of(&correlations_, "correlations");
    if (!vector.is_value) result_.correlations[vector.row] = ports_.correlation.get_signed();
  }
  if (!p.trellis()) {
    if (ports_.thresholds_valid.get() != 0) {
      const Vector vector = next_of(&thresholds_, "thresholds");
      const auto count = static_cast<std::size_t>(p.boundaries());
      for (std::size_t j = 0; j < count && !vector.is_value; ++j)
        result_.thresholds[vector.row * count + j] =
            ports_.thresholds.signed_field(static_cast<int>(j) * 32, 32);
    }
    if (ports_.indices_valid.get() == 0) return;
    const Vector vector = indices_.empty() ? next_of(&indices_, "indices") : indices_.front();
    auto& indices = vector.is_value ? result_.value_indices : result_.indices;
    const int lanes = config_.microarchitecture.key_lanes, bits = p.codebook_bits();
    for (int i = 0; i < lanes; ++i)
      indices[vector.row * d_ + index_row_++] =
          static_cast<std::uint8_t>(ports_.indices.field(i * bits, bits));
    if (index_row_ < d_) return;
    index_row_ = 0;
    indices_.pop_front();
    return;
  }
  if (ports_.reconstructions_valid.get() != 0) {
    const Vector vector = next_of(&reconstructions_, "reconstructions");
    const auto half = static_cast<std::size_t>(p.levels() / 2);
    std::int32_t* row = result_.reconstructions.data() + vector.row * 2 * half;
    for (std::size_t j = 0; j < half && !vector.is_value; ++j) {
      row[half + j] = ports_.reconstructions.signed_field(static_cast<int>(j) * 32, 32);
      row[half - 1 - j] = -row[half + j];
    }
  }
  if (ports_.path_cost_valid.get() != 0) {
    const Vector vector = next_of(&costs_, "path costs");
    if (!vector.is_value)
      result_.path_costs[vector.row] = static_cast<std::uint32_t>(ports_.path_cost.get());
  }
  if (ports_.index_valid.get() == 0) return;
  // The last element comes first.
  const Vector vector = paths_.empty() ? next_of(&paths_, "indices") : paths_.front();
  const std::size_t at = vector.row * d_ + d_ - 1 - index_row_++;
  auto& indices = vector.is_value ? result_.value_indices : result_.indices;
  indices[at] = static_cast<std::uint8_t>(ports_.index.get());
  if (!vector.is_value) result_.levels[at] = static_cast<std::uint8_t>(ports_.level.get());
  if (index_row_ < d_) return;
  index_row_ = 0;
  paths_.pop_front();
}

}  // namespace axelram::sim
