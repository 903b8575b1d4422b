#include "axelram/calibration/queries.hpp"

#include <algorithm>
#include <optional>

#include "moments.hpp"
#include "run_windows.hpp"
#include "tier_collector.hpp"

namespace axelram::calibration {
namespace {

constexpr std::size_t kEvery = 8;  // tokens for one whose queries are kept

Queries places_of(const Source& source) {
  const checkpoints::Architecture& a = source.checkpoint.architecture;
  Queries queries{a.layers, a.kv_heads, a.group(), a.head_dim, a.attention_scale(), {}, {}, {}, {}};
  for (std::size_t layer = 0; layer < a.layers; ++layer) queries.spans.push_back(a.span(layer));
  std::size_t row = 0;
  for (const transformer::Sequence& window : source.windows) {
    for (std::size_t t = kEvery - 1; t < window.ids.size(); t += kEvery)
      queries.places.push_back({row + t, row});
    row += window.ids.size();
  }
  const std::size_t pairs = a.layers * a.kv_heads;
  queries.values.resize(pairs * queries.places.size() * queries.group * a.head_dim);
  queries.moments.resize(pairs * a.head_dim * a.head_dim);
  return queries;
}

void take(const transformer::AttentionInputs& inputs, std::size_t row, Queries* queries) {
  const std::size_t d = queries->head_dim, all = queries->heads * queries->group;
  std::size_t place =
      static_cast<std::size_t>(std::lower_bound(queries->places.begin(), queries->places.end(), row,
                                                [](const Queries::Place& one, std::size_t value) {
                                                  return one.row < value;
                                                }) -
                               queries->places.begin());
  for (std::size_t t = 0; t < inputs.tokens; ++t) {
    const bool kept = place < queries->places.size() && queries->places[place].row == row + t;
    for (std::size_t h = 0; h < all; ++h) {
      const float* const q = inputs.queries + (t * all + h) * d;
      const std::size_t pair = inputs.layer * queries->heads + h / queries->group;
      add_moment(q, d, &queries->moments[pair * d * d]);
      if (kept)
        std::copy_n(q, d,
                    &queries->values[((pair * queries->places.size() + place) * queries->group +
                                      h % queries->group) *
                                     d]);
    }
    if (kept) ++place;
  }
}

/// Sums to means.
void finish(std::size_t rows, Queries* queries) {
  const std::size_t d = queries->head_dim;
  const auto count = static_cast<double>(rows * queries->group);
  for (std::size_t pair = 0; pair < queries->layers * queries->heads; ++pair)
    finish_moment(count, d, &queries->moments[pair * d * d]);
}

}  // namespace

std::size_t Queries::oldest(std::size_t layer, const Place& place) const {
  const std::size_t span = spans[layer];
  return span == 0 || place.row - place.first < span ? place.first : place.row + 1 - span;
}

Keys collect_keys(const Source& source, Queries* queries, TierRows* tiers) {
  const checkpoints::Architecture& a = source.checkpoint.architecture;
  const std::size_t d = a.head_dim;
  Keys keys{a.layers, a.kv_heads, token_count(source), d, {}};
  keys.values.resize(keys.layers * keys.heads * keys.rows * d);
  std::size_t first_row = 0;
  for (const transformer::Sequence& window : source.windows) {
    keys.first_rows.push_back(first_row);
    first_row += window.ids.size();
  }
  if (queries != nullptr) *queries = places_of(source);
  std::optional<TierCollector> collector;
  if (tiers != nullptr) collector.emplace(source, tiers->rope);
  run_windows(source, [&](const transformer::AttentionInputs& inputs, std::size_t row) {
    for (std::size_t head = 0; head < keys.heads; ++head) {
      float* const to =
          keys.values.data() + ((inputs.layer * keys.heads + head) * keys.rows + row) * d;
      for (std::size_t t = 0; t < inputs.tokens; ++t)
        std::copy_n(inputs.keys + (t * keys.heads + head) * d, d, to + t * d);
    }
    if (collector) collector->take(inputs, row);
    if (queries == nullptr) return;
    check_fits(source, inputs, row, {"query", inputs.queries, a.heads});
    take(inputs, row, queries);
  });
  if (queries != nullptr) finish(keys.rows, queries);
  if (collector) *tiers = collector->finish();
  return keys;
}

}  // namespace axelram::calibration
