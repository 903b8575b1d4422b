#include "axelram/calibration/tier_rows.hpp"

#include <algorithm>

#include "axelram/tier_row.hpp"
#include "moments.hpp"
#include "run_windows.hpp"
#include "tier_collector.hpp"

namespace axelram::calibration {

TierCollector::TierCollector(const Source& source, files::Rope rope) : source_(source) {
  const checkpoints::Architecture& a = source.checkpoint.architecture;
  rows_.rope = rope;
  rows_.layers = a.layers, rows_.heads = a.kv_heads, rows_.d = a.head_dim;
  rows_.rows = token_count(source);
  const std::size_t pairs = rows_.layers * rows_.heads;
  rows_.keys.resize(pairs * rows_.rows * rows_.d);
  rows_.values.resize(rows_.keys.size());
  rows_.moments.resize(pairs * rows_.d * rows_.d);
  std::size_t longest = 0;
  for (const transformer::Sequence& window : source.windows)
    longest = std::max(longest, window.ids.size());
  const bool interleaved = a.positions == checkpoints::Positions::rotary_interleaved;
  for (const checkpoints::Rotary* const rotary : {&a.rotary, &a.local_rotary})
    rotary_.emplace_back(*rotary, interleaved, longest);
}

void TierCollector::take(const transformer::AttentionInputs& inputs, std::size_t row) {
  const checkpoints::Architecture& a = source_.checkpoint.architecture;
  const std::size_t d = rows_.d, group = a.group();
  const bool before = rows_.rope == files::Rope::pre && inputs.keys_before != nullptr;
  const float* const keys = before ? inputs.keys_before : inputs.keys;
  check_fits(source_, inputs, row, {"key", keys, a.kv_heads, true});
  check_fits(source_, inputs, row, {"value", inputs.values, a.kv_heads, true});
  check_fits(source_, inputs, row, {"query", inputs.queries, a.heads, true});
  for (std::size_t head = 0; head < rows_.heads; ++head) {
    const std::size_t pair = inputs.layer * rows_.heads + head;
    for (std::size_t t = 0; t < inputs.tokens; ++t) {
      const std::size_t from = (t * rows_.heads + head) * d, to = (pair * rows_.rows + row + t) * d;
      hot_row_ref(keys + from, d, &rows_.keys[to]);
      hot_row_ref(inputs.values + from, d, &rows_.values[to]);
    }
  }
  source_.workers.run(rows_.heads, [&](std::size_t, std::size_t head) {
    double* const moment = &rows_.moments[(inputs.layer * rows_.heads + head) * d * d];
    const float* const queries = inputs.queries + head * group * d;
    if (rows_.rope == files::Rope::pre)
      return add_moments_before(queries, inputs.tokens, a.heads * d, group, d, a.span(inputs.layer),
                                rotary_[a.has_local_rotary(inputs.layer) ? 1 : 0], moment);
    for (std::size_t t = 0; t < inputs.tokens; ++t)
      for (std::size_t of_group = 0; of_group < group; ++of_group)
        add_moment(queries + t * a.heads * d + of_group * d, d, moment);
  });
}

TierRows TierCollector::finish() {
  const checkpoints::Architecture& a = source_.checkpoint.architecture;
  for (std::size_t layer = 0; layer < rows_.layers; ++layer) {
    // Counts queries, or with rope pre pairs of a query and a token that it sees.
    std::size_t count = 0;
    for (const transformer::Sequence& window : source_.windows)
      for (std::size_t t = 0; t < window.ids.size(); ++t)
        count += rows_.rope == files::Rope::pre ? t + 1 - a.oldest(layer, t) : 1;
    const auto pairs = static_cast<double>(count) * static_cast<double>(a.group());
    for (std::size_t head = 0; head < rows_.heads; ++head)
      finish_moment(pairs, rows_.d,
                    &rows_.moments[(layer * rows_.heads + head) * rows_.d * rows_.d]);
  }
  return std::move(rows_);
}

TierRows collect_tier_rows(const Source& source, files::Rope rope) {
  TierCollector collector(source, rope);
  run_windows(source, [&](const transformer::AttentionInputs& inputs, std::size_t row) {
    collector.take(inputs, row);
  });
  return collector.finish();
}

}  // namespace axelram::calibration
