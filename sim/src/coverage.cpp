#include "coverage.hpp"

#include "axelram/rtl/layout.hpp"

namespace axelram::sim {

void add_coverage(const files::Config& config, const NumericCorners& c, const StallCounts& s,
                  const CodeCorners* code, std::vector<CoverageBin>* bins) {
  const rtl::Layout layout(config);
  const Parameters& p = config.parameters;
  const bool folded = layout.rows > 1;
  const bool centered = p.centered;
  const bool bf16 = p.element_format == ElementFormat::bf16;
  // The center's exponent bounds a key's from below, and with it the smallest norm but zero, 2^e.
  const int smallest_exponent = layout.center_exponent - p.format_bias() - p.significand_bits + 2;
  std::vector<CoverageBin> now = {
      {"key: zero", "every element +0 or -0", c.zero_key},
      {"key: subnormal", "an element below the smallest normal", c.subnormal_key},
      {"key: largest finite", "an element at the format's largest finite value", c.largest_key},
      {"key: NaN", "rejected and counted", c.nan_key},
      {"key: infinity", "rejected and counted", c.infinity_key},
      {"key: equal to the center", "aligned difference all zero", c.key_is_center, centered},
      {"key: tie on the middle boundary", "y_i = T_j = 0", c.tie_at_zero},
      {"key: tie on another boundary", "y_i = T_j != 0", c.tie_elsewhere},
      {"norm: zero", "", c.norm_zero},
      {"norm: subnormal", "FP16 subnormal", c.norm_subnormal, smallest_exponent < -14},
      {"norm: saturated", "N * 2^e > 65504", c.norm_saturated},
      {"query: zero", "every element +0 or -0", c.zero_query},
      {"query: subnormal", "an element below the smallest normal", c.subnormal_query},
      {"query: largest finite", "an element at the format's largest finite value", c.largest_query},
      {"query: NaN", "rejected and counted", c.nan_query},
      {"query: infinity", "rejected and counted", c.infinity_query},
      {"query: u at its limit", "|u_i| = 2^(WQ-1) - 1", c.query_saturated},
      {"score: exact zero", "+0", c.score_zero},
      {"score: subnormal", "FP32 subnormal", c.score_subnormal, bf16},
      {"score: saturated", "magnitude beyond FLT_MAX", c.score_saturated, bf16},
      {"store: full", "a key rejected, nothing overwritten", c.store_full},
      {"store: scored when full", "a query over max_keys keys", c.query_of_full_store},
      {"store: scored when empty", "a query over no keys", c.query_of_empty_store},
      {"stream: back to back", "a vector's first beat right after another's last", s.back_to_back},
      {"stream: gap between vectors", "", s.gap_before_vector},
      {"stream: gap inside a vector", "", s.gap_inside_vector, folded},
      {"stream: held in rotate", "a beat waits while a query is rotated", s.waiting[1]},
      {"stream: held in build", "a beat waits while the table is built", s.waiting[2]},
      {"stream: held in read", "a beat waits while keys are read", s.waiting[3]},
      {"scores: first held", "score_ready low on a query's first score", s.score_held_first},
      {"scores: middle held", "score_ready low in between", s.score_held_middle,
       config.max_keys > 2},
      {"scores: last held", "score_ready low on a query's last score", s.score_held_last,
       config.max_keys > 1},
      {"scores: reads throttled", "no place left in the score FIFO", s.reads_throttled},
      {"scores: taken during accept", "scores drain while the next vectors come in",
       s.scores_during_accept},
      {"clear: waits for keys", "a clear while keys are on their way", s.clear_waited},
      {"reset: in accept", "", s.resets_by_state[0]},
      {"reset: in rotate", "", s.resets_by_state[1]},
      {"reset: in build", "", s.resets_by_state[2]},
      {"reset: in read", "", s.resets_by_state[3]},
  };
  if (code != nullptr) {
    const std::vector<CoverageBin> more = code_bins(config, *code, s);
    now.insert(now.end(), more.begin(), more.end());
  }
  if (bins->empty()) {
    *bins = now;
    return;
  }
  for (std::size_t i = 0; i < now.size(); ++i) (*bins)[i].hits += now[i].hits;
}

}  // namespace axelram::sim
