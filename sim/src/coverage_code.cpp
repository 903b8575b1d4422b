#include <algorithm>

#include "axelram/rtl/layout.hpp"
#include "coverage.hpp"

namespace axelram::sim {

bool scrubs_often(const files::Config& config) {
  return config.ecc.code != "none" && config.ecc.scrub_interval > 0 &&
         config.ecc.scrub_interval <= 4096;
}

std::vector<CoverageBin> code_bins(const files::Config& config, const CodeCorners& c,
                                   const StallCounts& s) {
  const rtl::Layout layout(config);
  const Code& code = *layout.code;
  const bool parity = code.parity_bit >= 0;
  const bool detects = std::any_of(
      code.patterns.begin(), code.patterns.end(),
      [](const ErrorPattern& pattern) { return pattern.status == WordStatus::detected; });
  const bool neighbours = detects && config.max_keys > 2;
  const bool scrubs = scrubs_often(config);
  // A scrub that began in a query's rotation is decoded when the query already reads.
  const bool overtaken = scrubs && layout.code_stages > layout.build_cycles;
  return {
      {"word: corrected", "", c.corrected},
      {"word: parity bit only", "", c.parity_only, parity},
      {"word: detected", "beyond correction, an erasure", c.detected, detects},
      {"word: wrong and undetected", "a record read wrong, no word detected", c.undetected},
      {"erasure: index kept", "", c.erased_index[0], detects},
      {"erasure: norm kept", "", c.erased_norm[0], detects},
      {"erasure: index zero", "", c.erased_index[1], detects},
      {"erasure: norm zero", "", c.erased_norm[1], detects},
      {"erasure: index interpolated", "", c.erased_index[2], detects},
      {"erasure: norm interpolated", "", c.erased_norm[2], detects},
      {"interpolation: index of both", "the mean of both neighbours", c.index_both, neighbours},
      {"interpolation: index of the left", "only token t-1 has it", c.index_left, neighbours},
      {"interpolation: index of the right", "only token t+1 has it", c.index_right, neighbours},
      {"interpolation: index of neither", "kept", c.index_none, neighbours},
      {"interpolation: index tie", "the mean lies between two indices", c.index_tie, neighbours},
      {"interpolation: norm of both", "", c.norm_both, neighbours},
      {"interpolation: norm of the left", "", c.norm_left, neighbours},
      {"interpolation: norm of the right", "", c.norm_right, neighbours},
      {"interpolation: norm of neither", "kept", c.norm_none, neighbours},
      {"interpolation: norm tie", "the mean lies between two FP16 values", c.norm_tie, neighbours},
      {"interpolation: norm saturated", "the mean is 65520 or more", c.norm_saturated, neighbours},
      {"decoder: full rate", "records as fast as queries read them", c.full_rate,
       config.max_keys > 1},
      {"write-back: of a query", "", c.written_by_query},
      {"write-back: of a scrub", "", c.written_by_scrub, scrubs},
      {"write-back: lost to a key", "a scrub's, in the cycle a key is stored", c.lost_to_key,
       scrubs},
      {"write-back: lost to a read", "a scrub's, in the cycle a query reads its word",
       c.lost_to_read, overtaken},
      {"scrub: round", "key 0 again after the last", c.scrubs_round, scrubs && config.max_keys > 1},
      {"scrub: a query reads", "with a scrub under way", s.queries_scrubbing, overtaken},
      {"scrub: a clear", "with a scrub under way", s.clears_scrubbing, scrubs},
      {"scrub: a reset", "with a scrub under way", s.resets_scrubbing, scrubs},
      {"injection: taken back", "mode off", c.injected[0]},
      {"injection: next write", "", c.injected[1]},
      {"injection: next read", "", c.injected[2]},
      {"injection: every read", "", c.injected[3]},
      {"injection: beyond correction", "words with more errors than are corrected",
       c.injected_beyond},
      {"counters: first error", "its key known", c.first_error},
      {"counters: cleared in flight", "events in the cycle of the clear, and the one before",
       c.events_at_clear},
      {"initialisation: a vector waits", "a beat offered before the memory is initialised",
       s.waiting_initialised},
      {"initialisation: a reset", "before the memory is initialised", s.resets_initialising},
  };
}

}  // namespace axelram::sim
