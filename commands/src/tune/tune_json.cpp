#include "../json.hpp"
#include "axelram/caches/tuned.hpp"
#include "axelram/commands/tune.hpp"

namespace axelram::commands {
namespace {

Json scores_json(const TuneScores& of) {
  return {{"predictions", of.predictions},
          {"kl", of.kl},
          {"kl_error", of.kl_error},
          {"nll", of.nll},
          {"top1", of.top1}};
}

Json bytes_json(const engines::CacheBytes& of) {
  return {{"token", of.per_token}, {"sequence", of.per_sequence}};
}

Json candidate_json(const TuneCandidate& of) {
  return {{"name", of.name},
          {"what", of.what},
          {"key_bits", of.bits.keys},
          {"value_bits", of.bits.values},
          {"bytes", bytes_json(of.bytes)},
          {"scores", scores_json(of.scores)},
          {"noise", of.noise},
          {"chosen", of.chosen},
          {"rejected", or_null(of.rejected)}};
}

Json head_json(const TunedHead& head, std::size_t layer, std::size_t number) {
  return {{"layer", layer},
          {"head", number},
          {"gain", head.gain},
          {"balanced", head.balanced},
          {"plain_noise", head.plain_noise},
          {"plain_divergence", head.plain_divergence},
          {"noise", head.chosen_noise},
          {"divergence", head.chosen_divergence}};
}

}  // namespace

std::string to_json(const TuneResult& r) {
  Json candidates = Json::array(), heads = Json::array();
  for (const TuneCandidate& one : r.candidates) candidates.push_back(candidate_json(one));
  for (std::size_t i = 0; i < r.heads.size(); ++i)
    heads.push_back(head_json(r.heads[i], i / r.kv_heads, i % r.kv_heads));
  return text_of(
      {{caches::kTunedKey, 1},
       {"model",
        {{"name", r.model},
         {"digest", r.digest},
         {"layers", r.layers},
         {"kv_heads", r.kv_heads},
         {"head_dim", r.head_dim}}},
       {"text",
        {{"name", r.text},
         {"ids_digest", r.ids_digest},
         {"tokens", r.tokens},
         {"window", r.window},
         {"windows", r.text_windows},
         {"calibration_part", r.calibration_part},
         {"calibration", r.calibration},
         {"held_out", r.held_out}}},
       {"part", name_of(r.options.part)},
       {"bits", or_null(r.options.bits)},
       {"bytes", r.options.bytes},
       {"seed", r.options.seed},
       {"cache", r.cache},
       {"needs_nothing", r.needs_nothing()},
       {"chosen", r.candidates[r.chosen].name},
       {"plain", r.candidates[r.plain].name},
       {"baseline", {{"scores", scores_json(r.baseline)}, {"bytes", bytes_json(r.baseline_bytes)}}},
       {"candidates", candidates},
       {"heads", heads}});
}

}  // namespace axelram::commands
