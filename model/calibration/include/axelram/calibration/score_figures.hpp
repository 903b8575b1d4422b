#pragma once

#include <cstddef>
#include <vector>

#include "axelram/calibration/queries.hpp"
#include "axelram/transformer/kv_cache.hpp"

namespace axelram::calibration {

/// Scores of a head from a cache against exact ones, over the kept queries and all keys that each
/// sees. Scores are those that enter softmax, in nats. A number added to all scores of a query does
/// not change its softmax: means over the keys of a query are left out of all figures.
struct ScoreFigures {
  double slope = 1;           ///< of the line through the origin from exact to measured scores
  double deviation = 0;       ///< root mean square of what the line leaves
  double error = 0;           ///< root mean square of the errors
  double weighted_error = 0;  ///< the same under the attention weights, the means too
  double divergence = 0;      ///< KL of the softmax from the exact one, mean over queries
  double first_weight = 0;    ///< attention of the first tokens of a sequence, mean over queries
  double newest_weight = 0;   ///< of the newest ones that are not among the first
};

/// Tokens whose weights are summed.
struct ExactRange {
  std::size_t first = 1, newest = 16;
};

/// Figures of every layer and KV head, [layers, heads]. Results do not depend on the number of
/// workers.
std::vector<ScoreFigures> score_figures(const Keys& keys, const Queries& queries,
                                        const transformer::KvCache& cache, const ExactRange& range,
                                        transformer::Workers& workers);

}  // namespace axelram::calibration
