#include "verify/attention/corners.hpp"

#include <algorithm>

#include "axelram/half.hpp"
#include "axelram/run/script.hpp"
#include "axelram/softmax.hpp"

namespace axelram::sim {

// ---- Vectors

void AttentionCorners::note_class(const std::uint16_t* vector, Classes* classes) const {
  const auto d = static_cast<std::size_t>(config_.parameters.head_dim);
  const int fraction = config_.parameters.format_fraction_bits();
  const unsigned top = 0x7fffU >> fraction, mask = (1U << fraction) - 1;
  bool zero = true, subnormal = false, largest = false, nan = false, infinity = false;
  for (std::size_t i = 0; i < d; ++i) {
    const unsigned magnitude = vector[i] & 0x7fffU, exponent = magnitude >> fraction;
    zero = zero && magnitude == 0;
    subnormal = subnormal || (magnitude != 0 && exponent == 0);
    largest = largest || magnitude == (top << fraction) - 1;
    nan = nan || (exponent == top && (magnitude & mask) != 0);
    infinity = infinity || (exponent == top && (magnitude & mask) == 0);
  }
  classes->zero += zero ? 1 : 0;
  classes->subnormal += subnormal ? 1 : 0;
  classes->largest += largest ? 1 : 0;
  classes->nan += nan ? 1 : 0;
  classes->infinity += infinity ? 1 : 0;
}

void AttentionCorners::note_vectors(const run::AttentionScript& script) {
  const auto d = static_cast<std::size_t>(config_.parameters.head_dim);
  const auto group = static_cast<std::size_t>(config_.attention.parameters.group);
  const auto finite = [&](const std::uint16_t* vector) {
    return std::all_of(vector, vector + d, [&](std::uint16_t element) {
      return is_finite(element, config_.parameters.element_format);
    });
  };
  const files::Trace& trace = script.vectors;
  for (std::size_t t = 0; t < trace.key_count(); ++t) {
    const std::uint16_t *key = trace.keys.data() + t * d, *value = trace.values->data() + t * d;
    note_class(key, &keys_);
    note_balance(config_, key, BalancedStream::keys, &balanced_keys_);
    note_class(value, &values_);
    key_alone_ += finite(key) && !finite(value) ? 1 : 0;
    value_alone_ += !finite(key) && finite(value) ? 1 : 0;
  }
  for (std::size_t q = 0; q < trace.query_count(); ++q) {
    const std::uint16_t* query = trace.queries.data() + q * d;
    note_class(query, &queries_);
    note_balance(config_, query, BalancedStream::queries, &balanced_queries_);
    group_partly_ += q % group != 0 && finite(query - d) && !finite(query) ? 1 : 0;
  }
}

// ---- Steps

void AttentionCorners::note_order(const AttentionMacro& macro,
                                  const files::SegmentCommand& command) {
  using Kind = files::SegmentCommand::Kind;
  const Segments& segments = macro.segments();
  const Segment* const of = segments.find(command.segment);
  switch (command.kind) {
    case Kind::allocate: {
      Segments after = segments;
      if (of != nullptr)
        ++taken_;
      else if (!after.allocate(command.segment, command.allocation))
        ++out_of_range_;
      return;
    }
    case Kind::evict:
      if (of == nullptr)
        ++of_free_;
      else if (of->count > of->sinks)
        ++(command.n >= of->count - of->sinks ? evicts_all_ : evicts_some_);
      return;
    case Kind::free:
      if (of == nullptr)
        ++of_free_;
      else
        frees_tokens_ += of->count > 0 ? 1 : 0;
      return;
    default:
      item_of_free_ += of == nullptr ? 1 : 0;
      if (of == nullptr || of->count < of->capacity) return;
      // The token itself may be rejected.
      if (command.kind == Kind::append) ++(of->wrap && of->ring() > 0 ? wraps_ : full_);
  }
}

void AttentionCorners::on_step(const AttentionMacro& macro, const run::AttentionStep& step) {
  namespace s = run::attention_step;
  if (const auto* take = std::get_if<s::Take>(&step)) note_order(macro, take->command);
  if (const auto* bad = std::get_if<s::Bad>(&step)) ++(bad->item ? bad_item_ : bad_order_);
  if (const auto* score = std::get_if<s::Score>(&step)) {
    const Segment* const of = macro.segments().find(score->segment);
    scores_ += of != nullptr && of->count > 0 ? 1 : 0;
    scores_of_none_ += of != nullptr && of->count == 0 ? 1 : 0;
    item_of_free_ += of == nullptr ? 1 : 0;
  }
  clears_ += std::holds_alternative<s::Clear>(step) ? 1 : 0;
  scales_ += std::holds_alternative<s::LoadScale>(step) ? 1 : 0;
  rotations_ += std::holds_alternative<s::LoadRotation>(step) ? 1 : 0;
  if (std::holds_alternative<s::ClearErrors>(step)) {
    note_counters(macro.counters());
    ++cleared_counters_;
  }
  if (const auto* protect = std::get_if<s::Protect>(&step))
    ++policies_[static_cast<std::size_t>(protect->erasure)];
  if (const auto* inject = std::get_if<s::Inject>(&step))
    ++injected_[inject->of_values ? 1 : 0][static_cast<std::size_t>(inject->mode)];
}

void AttentionCorners::on_token(const TokenResult& token) {
  if (token.status != ItemStatus::done) return;
  for (const std::uint16_t norm : {token.key.norm, token.value.norm}) {
    norm_zero_ += norm == 0 ? 1 : 0;
    norm_subnormal_ += norm != 0 && norm < 0x400 ? 1 : 0;
  }
  last_place_ += token.place + 1 == static_cast<std::uint32_t>(config_.max_keys) ? 1 : 0;
}

void AttentionCorners::on_group(const GroupResult& group) {
  if (group.status != ItemStatus::done) return;
  no_token_ += group.places.empty() ? 1 : 0;
  for (std::size_t t = 2; t < group.places.size(); ++t)
    if (group.places[t] < group.places[t - 1]) {
      ++reads_wrap_;
      break;
    }
  const std::int32_t limit = (1 << (config_.parameters.query_bits - 1)) - 1;
  for (const QueryResult& query : group.queries) {
    query_limit_ += std::any_of(query.u.begin(), query.u.end(),
                                [&](std::int32_t u) { return u == limit || u == -limit; })
                        ? 1
                        : 0;
    score_zero_ +=
        static_cast<std::uint64_t>(std::count(query.scores.begin(), query.scores.end(), 0.0F));
  }
  for (const AttentionResult& output : group.outputs) note_softmax(output);
}

void AttentionCorners::note_softmax(const AttentionResult& output) {
  const std::size_t count = output.logits.size();
  const std::vector<std::int32_t>& z = output.logits;
  std::size_t rises = 0, falls = 0, same = 0;
  std::int32_t highest = count > 0 ? z[0] : 0;
  for (std::size_t t = 1; t < count; ++t) {
    // Maxima are whole exponents.
    rises += z[t] > highest ? 1 : 0;
    falls += z[t] < z[t - 1] ? 1 : 0;
    same += z[t] == z[t - 1] ? 1 : 0;
    highest = std::max(highest, z[t]);
  }
  softmax_.rises += rises;
  if (count >= 4) {
    softmax_.rises_always += rises == count - 1 ? 1 : 0;
    softmax_.falls_always += falls == count - 1 ? 1 : 0;
    softmax_.stays += same == count - 1 ? 1 : 0;
  }
  bool any = false;
  for (std::size_t t = 0; t < count; ++t) {
    const bool has = output.weight_references[t] != kNoReference;
    softmax_.no_weight += has ? 0 : 1;
    softmax_.weight_zero += has && output.weights[t] == 0 ? 1 : 0;
    softmax_.reference_rises +=
        any && output.weight_references[t] > output.weight_references[t - 1] ? 1 : 0;
    any = has;
    logit_zero_ += z[t] == 0 ? 1 : 0;
  }
  all_zero_ += count > 0 && !any ? 1 : 0;
  output_zero_ += std::all_of(output.outputs.begin(), output.outputs.end(),
                              [](std::uint32_t bits) { return bits == 0; })
                      ? 1
                      : 0;
}

void AttentionCorners::note_counters(const AttentionCounters& counters) {
  norms_saturated_ += counters.norms_saturated;
  scores_saturated_ += counters.scores_saturated;
  logits_saturated_ += counters.logits_saturated;
  outputs_saturated_ += counters.outputs_saturated;
}

void AttentionCorners::note_events(const run::GoldenScript& golden) {
  note_counters(golden.events);
  corrected_keys_ += golden.key_events.corrected;
  corrected_values_ += golden.value_events.corrected;
  detected_keys_ += golden.key_events.detected;
  detected_values_ += golden.value_events.detected;
  written_back_ += golden.key_events.scrubbed + golden.value_events.scrubbed;
}

void AttentionCorners::note_reset(AttentionState state, bool inside_item) {
  ++resets_[static_cast<std::size_t>(state)];
  resets_inside_ += inside_item ? 1 : 0;
}

}  // namespace axelram::sim
