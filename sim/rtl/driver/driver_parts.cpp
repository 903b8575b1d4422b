#include <algorithm>
#include <array>

#include "axelram/sim/driver.hpp"

// What the parts of a key show, and the rows of a query.

namespace axelram::sim {
namespace {

/// Words of 32 bits.
std::vector<std::int32_t> words_of(const PortValue& port, int count) {
  std::vector<std::int32_t> words(static_cast<std::size_t>(count));
  for (int j = 0; j < count; ++j)
    words[static_cast<std::size_t>(j)] = port.signed_field(j * 32, 32);
  return words;
}

}  // namespace

void Driver::observe_part(std::size_t j, Observer& observer) {
  Part& part = parts_[j];
  const auto parts = static_cast<std::size_t>(layout_.parts);
  if (part.norm_valid.get() != 0)
    turns_.norms.add(j, static_cast<std::uint16_t>(part.norm.get()), parts,
                     [&](std::uint16_t norm) { observer.on_norm(norm); });
  if (config_.parameters.scale == ScaleKind::unbiased && part.correlation_valid.get() != 0)
    turns_.correlations.add(j, part.correlation.get_signed(), parts,
                            [&](std::int64_t a) { observer.on_correlation(a); });
  if (config_.parameters.trellis())
    observe_search(j, observer);
  else
    observe_nearest(j, observer);
}

void Driver::observe_nearest(std::size_t j, Observer& observer) {
  Part& part = parts_[j];
  const auto parts = static_cast<std::size_t>(layout_.parts);
  const Parameters p = rtl::part_parameters(config_.parameters, static_cast<int>(j));
  if (part.thresholds_valid.get() != 0)
    turns_.thresholds.add(j, words_of(part.thresholds, p.boundaries()), parts,
                          [&](const std::vector<std::int32_t>& values) {
                            observer.on_thresholds(values.data(), static_cast<int>(values.size()));
                          });
  if (part.indices_valid.get() == 0) return;
  const int lanes = config_.microarchitecture.key_lanes / layout_.parts;
  const int bits = p.codebook_bits();
  for (int i = 0; i < lanes; ++i)
    part.traced_indices.push_back(static_cast<std::uint8_t>(part.indices.field(i * bits, bits)));
  if (parts > 1 && part.traced_indices.size() < static_cast<std::size_t>(p.head_dim)) return;
  turns_.indices.add(j, std::move(part.traced_indices), parts,
                     [&](const std::vector<std::uint8_t>& values) {
                       observer.on_indices(values.data(), static_cast<int>(values.size()));
                     });
  part.traced_indices.clear();
}

void Driver::observe_reconstructions(std::size_t j, Observer& observer) {
  if (parts_[j].reconstructions_valid.get() == 0) return;
  const Parameters p = rtl::part_parameters(config_.parameters, static_cast<int>(j));
  turns_.reconstructions.add(
      j, words_of(parts_[j].reconstructions, p.levels() / 2),
      static_cast<std::size_t>(layout_.parts), [&](const std::vector<std::int32_t>& values) {
        observer.on_reconstructions(values.data(), static_cast<int>(values.size()));
      });
}

void Driver::observe_search(std::size_t j, Observer& observer) {
  Part& part = parts_[j];
  const auto parts = static_cast<std::size_t>(layout_.parts);
  const Parameters p = rtl::part_parameters(config_.parameters, static_cast<int>(j));
  observe_reconstructions(j, observer);
  if (part.path_cost_valid.get() != 0)
    turns_.path_costs.add(j, static_cast<std::uint32_t>(part.path_cost.get()), parts,
                          [&](std::uint32_t cost) { observer.on_path_cost(cost); });
  if (part.index_valid.get() == 0) return;
  part.traced_indices.push_back(static_cast<std::uint8_t>(part.index.get()));
  part.traced_levels.push_back(static_cast<std::uint8_t>(part.level.get()));
  if (part.traced_indices.size() != static_cast<std::size_t>(p.head_dim)) return;
  std::reverse(part.traced_indices.begin(), part.traced_indices.end());
  std::reverse(part.traced_levels.begin(), part.traced_levels.end());
  const auto values_of = [](const std::vector<std::uint8_t>& values) {
    return std::pair{values.data(), static_cast<int>(values.size())};
  };
  // Levels and indices of a vector are observed one after the other.
  std::vector<std::uint8_t> both = std::move(part.traced_levels);
  both.insert(both.end(), part.traced_indices.begin(), part.traced_indices.end());
  turns_.indices.add(j, std::move(both), parts, [&](const std::vector<std::uint8_t>& all) {
    const auto [values, count] = values_of(all);
    observer.on_levels(values, count / 2);
    observer.on_indices(values + count / 2, count / 2);
  });
  part.traced_indices.clear();
  part.traced_levels.clear();
}

void Driver::observe_residual(Observer& observer) {
  observe_reconstructions(0, observer);
  if (residual_shift_valid_.get() != 0)
    observer.on_residual_shift(static_cast<int>(residual_shift_.get()));
  if (residual_norm_valid_.get() != 0)
    observer.on_residual_norm(static_cast<std::uint16_t>(residual_norm_.get()));
  if (residual_signs_valid_.get() == 0) return;
  std::array<std::uint8_t, 256> values{};
  const int lanes = config_.microarchitecture.key_lanes;
  for (int i = 0; i < lanes; ++i)
    values[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(residual_signs_.field(i, 1));
  observer.on_residual_signs(values.data(), lanes);
}

void Driver::observe_query(Observer& observer) {
  const bool second_pass = config_.parameters.prod() && residual_query_valid_.get() != 0;
  if (query_valid_.get() == 0 && !second_pass) return;
  std::array<std::int32_t, 256> values{};
  const int lanes = config_.microarchitecture.key_lanes;
  const int bits = config_.parameters.query_bits;
  for (int i = 0; i < lanes; ++i)
    values[static_cast<std::size_t>(i)] = query_row_.signed_field(i * bits, bits);
  const auto exponent = static_cast<int>(query_exponent_.get_signed());
  if (second_pass) {
    observer.on_residual_query_row(values.data(), lanes, exponent);
    return;
  }
  if (!config_.parameters.split()) {
    observer.on_query_row(values.data(), lanes, exponent);
    return;
  }
  query_elements_.insert(query_elements_.end(), values.begin(), values.begin() + lanes);
  if (query_elements_.size() < static_cast<std::size_t>(config_.parameters.head_dim)) return;
  const std::vector<int> order = rtl::element_order(config_);
  std::vector<std::int32_t> ordered(query_elements_.size());
  for (std::size_t place = 0; place < ordered.size(); ++place)
    ordered[static_cast<std::size_t>(order[place])] = query_elements_[place];
  observer.on_query_row(ordered.data(), static_cast<int>(ordered.size()), exponent);
  query_elements_.clear();
}

}  // namespace axelram::sim
