#include "verify/macro/coverage.hpp"

#include <algorithm>
#include <cctype>

#include "axelram/rtl/layout.hpp"

namespace axelram::sim {
namespace {

/// Bins of a coded memory.
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
  // A scrub that began while a query was rotated is decoded while the query reads.
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

/// Bins of a trellis.
std::vector<CoverageBin> trellis_bins(const Parameters& p, const NumericCorners& c) {
  return {
      {"trellis: levels tie", "two of a subset next to an element", c.levels_tie},
      // The largest element is sqrt(d) N, and delta has 10 bits for N.
      {"trellis: cost limited", "a distance beyond the largest delta", c.cost_limited,
       rtl::part_parameters(p, 0).head_dim >= 64 && !p.centered},
      {"trellis: paths tie", "two paths to a state of equal cost", c.paths_tie},
      {"trellis: best paths tie", "two states end with the least cost", c.best_tie},
  };
}

/// Exponents may make the largest keys small.
bool norms_saturate(const files::Config& config, double least) {
  return config.parameters.element_format == ElementFormat::bf16 || norm_of_ones(config) > least;
}

/// Bins of residuals.
std::vector<CoverageBin> residual_bins(const files::Config& config, const NumericCorners& c) {
  const Parameters& p = config.parameters;
  return {
      {"residual: zero", "rho_i = 0 for every i", c.residual_zero},
      {"residual: z zero", "z_i = 0 of a residual that is not 0", c.z_zero, !p.centered},
      {"residual: saturated", "rho_i at its limit, shifted", c.rho_saturated, !p.centered},
      {"residual: both norms saturated", "", c.both_norms_saturated, norms_saturate(config, 2)},
  };
}

/// Bins of a split.
std::vector<CoverageBin> split_bins(const files::Config& config, const NumericCorners& c) {
  return {
      {"split: half zero", "one sub-vector has norm 0, the other not", c.half_zero},
      {"split: both norms saturated", "", c.both_norms_saturated, norms_saturate(config, 2)},
  };
}

/// Bins of exact tokens.
std::vector<CoverageBin> copy_bins(const Parameters& p, int max_keys, const NumericCorners& c,
                                   const StallCounts& s) {
  return {
      {"copy: of a first token", "", c.first_copy, p.exact_first > 0},
      {"copy: of a newest token", "", c.newest_copy, p.exact_last > 0 && max_keys > p.exact_first},
      {"copy: of a zero key", "", c.zero_copy},
      {"copy: dropped", "its token left the newest ones", c.copy_dropped,
       p.exact_last > 0 && max_keys > p.copies()},
      {"copy: none for a record", "an exact token that came as a record", c.place_without_copy},
      {"copy: awaited by a read", "its accumulator is not there yet", s.copy_awaited},
  };
}

}  // namespace

std::string CoverageBin::label() const {
  std::string label;
  for (const char c : name) {
    const bool kept = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (kept)
      label += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!label.empty() && label.back() != '_')
      label += '_';
  }
  return label;
}

bool scrubs_often(const files::Config& config) {
  return config.ecc.code != "none" && config.ecc.scrub_interval > 0 &&
         config.ecc.scrub_interval <= 4096;
}

void add_coverage(const files::Config& config, const NumericCorners& c, const StallCounts& s,
                  const CodeCorners* code, std::vector<CoverageBin>* bins) {
  const rtl::Layout layout(config);
  const Parameters& p = config.parameters;
  const bool folded = layout.rows > 1;
  const bool centered = p.centered;
  const bool bf16 = p.element_format == ElementFormat::bf16;
  // Exponents of the center and of zeros are lower bounds of the exponent of a key, so 2^e is the
  // smallest norm except zero.
  const std::vector<std::int8_t>& balance = config.head_rotation.balance;
  const int of_zeros = balance.empty() ? 1 : 1 - *std::min_element(balance.begin(), balance.end());
  const int smallest_exponent = std::max(layout.center_exponents.front(), of_zeros) -
                                p.format_bias() - p.significand_bits + 2;
  std::vector<CoverageBin> now = {
      {"key: zero", "every element +0 or -0", c.zero_key},
      {"key: subnormal", "an element below the smallest normal", c.subnormal_key},
      {"key: largest finite", "an element at the format's largest finite value", c.largest_key},
      {"key: NaN", "rejected and counted", c.nan_key},
      {"key: infinity", "rejected and counted", c.infinity_key},
      {"key: equal to the center", "aligned difference all zero", c.key_is_center, centered},
      {"key: tie on the middle boundary", "y_i = T_j = 0", c.tie_at_zero, !p.trellis()},
      {"key: tie on another boundary", "y_i = T_j != 0", c.tie_elsewhere,
       rtl::part_parameters(p, 0).boundaries() > 1},
      {"norm: zero", "", c.norm_zero},
      {"norm: subnormal", "FP16 subnormal", c.norm_subnormal, smallest_exponent < -14},
      {"norm: saturated", "N * 2^e, or the unbiased norm, > 65504", c.norm_saturated,
       norms_saturate(config, 1)},
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
      {"record: stored", "from outside", c.record_stored},
      {"record: rejected", "from outside, and the store is full", c.record_rejected},
      {"record: waits for keys", "that came before it", s.record_waited},
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
  if (p.balanced) {
    add_balance_bins(config, BalancedStream::keys, c.balanced_keys, &now);
    add_balance_bins(config, BalancedStream::queries, c.balanced_queries, &now);
  }
  if (p.scale == ScaleKind::unbiased)
    now.push_back({"norm: tie", "unbiased, half-way between two FP16 values", c.norm_tie,
                   has_scale_tie(config)});
  if (p.trellis()) {
    const std::vector<CoverageBin> more = trellis_bins(p, c);
    now.insert(now.end(), more.begin(), more.end());
  }
  if (layout.key_wait > 0)
    now.push_back(
        {"stream: held behind a key", "a vector waits until a key is quantized", s.key_awaited});
  if (p.prod()) {
    const std::vector<CoverageBin> more = residual_bins(config, c);
    now.insert(now.end(), more.begin(), more.end());
  }
  if (p.split()) {
    const std::vector<CoverageBin> more = split_bins(config, c);
    now.insert(now.end(), more.begin(), more.end());
  }
  if (p.two_parts())
    now.push_back({"score: terms far apart", "24 binary places or more", c.terms_far_apart});
  if (p.copies() != 0) {
    const std::vector<CoverageBin> more = copy_bins(p, config.max_keys, c, s);
    now.insert(now.end(), more.begin(), more.end());
  }
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

void add_covers(const std::map<std::string, std::uint64_t>& covers,
                std::vector<CoverageBin>* bins) {
  for (CoverageBin& bin : *bins)
    if (const auto found = covers.find(bin.label()); found != covers.end())
      bin.rtl_hits = bin.rtl_hits.value_or(0) + found->second;
}

}  // namespace axelram::sim
