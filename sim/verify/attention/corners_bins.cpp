#include <algorithm>

#include "axelram/rtl/layout.hpp"
#include "verify/attention/corners.hpp"

namespace axelram::sim {

void AttentionCorners::add_bins(const char* what, const Classes& c,
                                std::vector<CoverageBin>* bins) const {
  const std::string of = std::string(what) + ": ";
  bins->push_back({of + "zero", "every element +0 or -0", c.zero});
  bins->push_back({of + "subnormal", "an element below the smallest normal", c.subnormal});
  bins->push_back(
      {of + "largest finite", "an element at the format's largest finite value", c.largest});
  bins->push_back({of + "NaN", "rejected and counted", c.nan});
  bins->push_back({of + "infinity", "rejected and counted", c.infinity});
}

std::vector<CoverageBin> AttentionCorners::bins(const AttentionStreams& s) const {
  const rtl::Layout layout(config_);
  const Parameters& p = config_.parameters;
  const bool bf16 = p.element_format == ElementFormat::bf16;
  const bool half = config_.attention.parameters.output == OutputFormat::fp16;
  const bool groups = layout.group > 1;
  const bool rows = layout.rows > 1;
  std::vector<CoverageBin> bins;
  add_bins("key", keys_, &bins);
  add_bins("value", values_, &bins);
  add_bins("query", queries_, &bins);
  const std::vector<CoverageBin> more = {
      {"token: key alone", "its value is rejected", key_alone_},
      {"token: value alone", "its key is rejected", value_alone_},
      {"group: partly rejected", "a query behind good ones", group_partly_, groups},
      {"norm: zero", "", norm_zero_},
      {"norm: subnormal", "FP16 subnormal", norm_subnormal_, bf16 || !p.centered},
      {"norm: saturated", "N * 2^e, or the unbiased norm, > 65504", norms_saturated_},
      {"query: u at its limit", "|u_i| = 2^(WQ-1) - 1", query_limit_},
      {"score: exact zero", "+0", score_zero_},
      {"score: saturated", "magnitude beyond FLT_MAX", scores_saturated_, bf16},
      {"logit: zero", "", logit_zero_},
      {"logit: saturated", "|z| at its limit", logits_saturated_},
      {"softmax: maximum rises", "a logit above all before", softmax_.rises},
      {"softmax: rises always", "at every token of four or more", softmax_.rises_always},
      {"softmax: falls always", "at every token of four or more", softmax_.falls_always},
      {"softmax: stays", "equal logits of four tokens or more", softmax_.stays},
      {"softmax: reference rises", "sums are shifted", softmax_.reference_rises},
      {"softmax: weight zero", "too small beside those before", softmax_.weight_zero},
      {"softmax: no weight", "tokens whose values, and those before, have norm 0",
       softmax_.no_weight},
      {"reciprocal: of no token", "a group over an empty segment", no_token_},
      {"group: of zero values", "every value has norm 0", all_zero_},
      {"output: zero", "every element +0", output_zero_},
      {"output: saturated", "beyond the output format", outputs_saturated_, half},
      {"segment: full", "a token for it rejected", full_},
      {"segment: wraps", "its oldest token forgotten for a new one", wraps_},
      {"segment: last place", "a token in the last place of the store", last_place_},
      {"reads: wrap", "a group reads beyond the end of a ring", reads_wrap_},
      {"command: of a taken segment", "allocate, rejected", taken_},
      {"command: out of range", "allocate, rejected", out_of_range_},
      {"command: of a free segment", "evict or free, rejected", of_free_},
      {"command: unknown", "rejected", bad_order_},
      {"command: evicts all", "tokens behind the sinks", evicts_all_},
      {"command: evicts some", "", evicts_some_},
      {"command: frees tokens", "", frees_tokens_},
      {"command: waits for tokens", "that are on their way", s.order_waits_for_tokens},
      {"command: inside an item", "offered behind its first beat", s.command_inside_item},
      {"command: in front of an item", "that is offered already", s.command_before_item},
      {"clear: of tokens", "", clears_},
      {"clear: in front of an item", "that is offered already", s.clear_before_item},
      {"item: of a free segment", "rejected", item_of_free_},
      {"item: unknown", "rejected", bad_item_},
      {"stream: back to back", "an item's first beat two cycles behind another's last",
       s.back_to_back},
      {"stream: gap between vectors", "", s.gap_between_vectors},
      {"stream: gap inside a vector", "", s.gap_inside_vector, rows},
      {"stream: held in rotate", "a beat waits while a group is rotated", s.waiting[1]},
      {"stream: held in build", "a beat waits while tables are built", s.waiting[2]},
      {"stream: held in read", "a beat waits while tokens are read", s.waiting[3]},
      {"stream: held in tail", "a beat waits for outputs", s.waiting[4]},
      {"stream: held in command", "a beat waits for a command", s.waiting[5]},
      {"group: waits for room", "outputs of another group are held", s.group_waits_for_room},
      {"outputs: first held", "output_ready low on the first beat of a head", s.output_held_first},
      {"outputs: middle held", "output_ready low in between", s.output_held_middle,
       p.head_dim > 2 * config_.attention.output_lanes},
      {"outputs: last held", "output_ready low on the last beat of a head", s.output_held_last},
      {"outputs: held for long", "for 9000 cycles", s.output_held_long},
      {"outputs: tokens behind", "stored while a beat is held", s.tokens_while_held},
      {"outputs: commands behind", "taken while a beat is held", s.commands_while_held},
      {"scores: asked for", "in place of outputs", scores_},
      {"scores: of no token", "a group over an empty segment", scores_of_none_},
      {"scores: held", "score_ready low", s.score_held},
      {"scores: behind outputs", "a group asks for them with outputs still held",
       s.groups_overlapping},
      {"softmax scale: loaded", "", scales_},
      {"rotation: loaded", "a row of signs, and of a center", rotations_, layout.rotation_ram},
      {"counters: cleared", "", cleared_counters_},
      {"reset: in accept", "", resets_[0]},
      {"reset: in rotate", "", resets_[1]},
      {"reset: in build", "", resets_[2]},
      {"reset: in read", "", resets_[3]},
      {"reset: in tail", "", resets_[4]},
      {"reset: in a command", "", resets_[5]},
      {"reset: inside an item", "", resets_inside_},
  };
  bins.insert(bins.end(), more.begin(), more.end());
  // Of several rotations each has exponents of its own.
  if (p.balanced && config_.store.rotations == 1 && !layout.rotation_ram) {
    add_balance_bins(config_, BalancedStream::keys, balanced_keys_, &bins);
    add_balance_bins(config_, BalancedStream::queries, balanced_queries_, &bins);
  }
  if (!layout.code) return bins;
  const Code& code = *layout.code;
  const bool detects = std::any_of(
      code.patterns.begin(), code.patterns.end(),
      [](const ErrorPattern& pattern) { return pattern.status == WordStatus::detected; });
  const bool scrubs = config_.ecc.scrub_interval > 0;
  const std::vector<CoverageBin> coded = {
      {"word: corrected of a key", "", corrected_keys_},
      {"word: corrected of a value", "", corrected_values_},
      {"word: detected of a key", "beyond correction, an erasure", detected_keys_, detects},
      {"word: detected of a value", "beyond correction, an erasure", detected_values_, detects},
      {"write-back: of a group", "", written_back_},
      {"erasure: kept", "", policies_[0]},
      {"erasure: zero", "", policies_[1]},
      {"erasure: interpolated", "", policies_[2]},
      {"injection: next write of a key", "", injected_[0][1]},
      {"injection: next write of a value", "", injected_[1][1]},
      {"injection: next read", "of either", injected_[0][2] + injected_[1][2], !scrubs},
      {"injection: every read", "of either", injected_[0][3] + injected_[1][3], !scrubs},
  };
  bins.insert(bins.end(), coded.begin(), coded.end());
  return bins;
}

}  // namespace axelram::sim
