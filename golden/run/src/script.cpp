#include "axelram/run/script.hpp"

#include <algorithm>
#include <cstring>

#include "axelram/run/golden.hpp"
#include "axelram/run/overloaded.hpp"
#include "axelram/run/result.hpp"
#include "axelram/run/segment_rows.hpp"
#include "axelram/softmax.hpp"
#include "rows.hpp"

namespace axelram::run {
namespace {

using files::AttentionTensors;
using files::SegmentCommand;

/// A macro with attention that carries out the steps of a script, and the tensors of what it does.
class AttentionJob {
 public:
  AttentionJob(const files::Config& config, const files::Trace& vectors, const UnitTable& units,
               ScriptObserver* observer)
      : trace_(vectors),
        d_(static_cast<std::size_t>(config.parameters.head_dim)),
        macro_(config.parameters, config.attention.parameters, files::rotation_rows(config),
               static_cast<std::size_t>(config.store.segments),
               static_cast<std::size_t>(config.max_keys), files::protection(config.ecc), units),
        result_(empty_result(config)),
        rows_(static_cast<std::size_t>(config.max_keys)),
        observer_(observer) {
    result_.tokens = trace_.key_count();
    result_.queries = trace_.query_count();
  }

  /// False if the macro rejects it.
  bool execute(const AttentionStep& step) {
    namespace s = attention_step;
    bool good = true;
    if (observer_ != nullptr) observer_->on_step(macro_, step);
    std::visit(
        Overloaded{
            [&](const s::Take& take) { good = execute(take.command); },
            [&](const s::Score& score) { good = group(score.segment, false); },
            [&](const s::Bad&) { good = macro_.free(macro_.segments().size()); },
            [&](const s::Clear&) { macro_.clear(); }, [](const s::Hold&) {},
            [&](const s::LoadScale& load) { macro_.set_scale(load.scale); },
            [&](const s::LoadRotation& load) { macro_.load_rotation(load.row, load.rotation); },
            [&](const s::ClearErrors&) { clear_errors(); },
            [&](const s::Inject& inject) {
              (inject.of_values ? macro_.values() : macro_.keys()).inject(inject.mode, inject.mask);
            },
            [&](const s::Protect& protect) {
              for (KeyStore* store : {&macro_.keys(), &macro_.values()}) {
                store->set_erasure(protect.erasure);
                store->set_write_back(protect.write_back);
              }
            }},
        step);
    return good;
  }

  GoldenScript finish() {
    if (result_.has_copies) append_copies();
    return {std::move(result_),
            {},
            macro_.counters(),
            macro_.keys().events(),
            macro_.values().events()};
  }

 private:
  AttentionTensors& tensors() { return *result_.attention; }

  bool execute(const SegmentCommand& command) {
    switch (command.kind) {
      case SegmentCommand::Kind::allocate:
        return macro_.allocate(command.segment, command.allocation);
      case SegmentCommand::Kind::append:
        return append_token(command.segment);
      case SegmentCommand::Kind::attend:
        return group(command.segment, true);
      case SegmentCommand::Kind::evict:
        return macro_.evict(command.segment, command.n);
      case SegmentCommand::Kind::free:
        return macro_.free(command.segment);
    }
    return false;
  }

  void clear_errors() {
    macro_.clear_counters();
    macro_.keys().clear_events();
    macro_.values().clear_events();
  }

  bool append_token(std::size_t segment) {
    const std::size_t row = key_++;
    const TokenResult token =
        macro_.append(segment, trace_.keys.data() + row * d_, trace_.values->data() + row * d_);
    if (observer_ != nullptr) observer_->on_token(token);
    const bool stored = token.status == ItemStatus::done;
    if (stored)
      append_key(token.key, &result_);
    else
      append_no_key(&result_);
    append_value(stored ? &token.value : nullptr);
    if (stored) rows_[token.place] = row;
    return stored;
  }

  void append_value(const KeyResult* value) {
    AttentionTensors& a = tensors();
    if (value != nullptr) {
      append(&a.value_indices, value->indices);
      a.value_norms.push_back(value->norm);
      append(&a.value_records, value->record);
      append(&a.value_codewords, value->codeword);
    } else {
      append_zeros(&a.value_indices, d_);
      append_zeros(&a.value_norms, 1);
      append_zeros(&a.value_records, result_.record_bytes());
      append_zeros(&a.value_codewords, result_.codeword_bytes);
    }
  }

  /// The next group, filled up with zero vectors behind the last query.
  bool group(std::size_t segment, bool attends) {
    const auto heads = static_cast<std::size_t>(macro_.attention().group);
    const std::size_t here = std::min(heads, trace_.query_count() - query_);
    std::vector<std::uint16_t> queries(heads * d_);
    std::copy_n(trace_.queries.data() + query_ * d_, here * d_, queries.data());
    query_ += here;
    const GroupResult group =
        attends ? macro_.attend(segment, queries.data()) : macro_.score(segment, queries.data());
    if (observer_ != nullptr) observer_->on_group(group);
    const bool good = group.status == ItemStatus::done;
    QueryResult rejected;
    rejected.u.resize(d_);
    for (std::size_t g = 0; g < here; ++g) {
      append_query(group.places, good ? group.queries[g] : rejected);
      append_output(group.places, good && attends ? group.outputs[g] : no_output());
    }
    return good;
  }

  /// Appends a row of one number for each key: values[i] for that in places[i], `none` for others.
  template <class T, class From>
  void append_tokens(const std::vector<std::uint32_t>& places, const std::vector<From>& values,
                     T none, std::vector<T>* to) {
    const std::size_t begin = to->size();
    to->resize(begin + result_.tokens, none);
    for (std::size_t i = 0; i < values.size(); ++i)
      (*to)[begin + rows_[places[i]]] = static_cast<T>(values[i]);
  }

  void append_query(const std::vector<std::uint32_t>& places, const QueryResult& query) {
    append_rotated_query(query, &result_);
    append_tokens(places, query.acc, std::int64_t{0}, &result_.accumulators);
    append_tokens(places, query.scores, 0.0F, &result_.scores);
  }

  void append_output(const std::vector<std::uint32_t>& places, const AttentionResult& output) {
    AttentionTensors& a = tensors();
    append_tokens(places, output.logits, 0, &a.logits);
    append_tokens(places, output.weights, 0, &a.weights);
    append_tokens(places, output.weight_references, kNoReference, &a.weight_references);
    a.maxima.push_back(output.maximum);
    a.denominators.push_back(output.denominator);
    append(&a.sums, output.sums);
    a.output_shifts.push_back(output.output_shift);
    append(&a.rotated_outputs, output.rotated);
    a.reciprocals.push_back(output.reciprocal);
    for (const std::uint32_t bits : output.outputs) append_element(bits);
  }

  void append_element(std::uint32_t bits) {
    AttentionTensors& a = tensors();
    if (a.output == OutputFormat::fp16) {
      a.half_outputs.push_back(static_cast<std::uint16_t>(bits));
    } else {
      float value = 0;
      std::memcpy(&value, &bits, sizeof value);
      a.float_outputs.push_back(value);
    }
  }

  /// Of a query whose group was rejected, or asks for scores.
  AttentionResult no_output() const {
    AttentionResult output;
    output.sums.resize(d_);
    output.rotated.resize(d_);
    output.outputs.resize(d_);
    output.maximum = kNoReference;
    return output;
  }

  /// Copies of the tokens that stand in a segment now.
  void append_copies() {
    std::vector<const KeyCopy*> copies(result_.tokens);
    for (std::size_t s = 0; s < macro_.segments().size(); ++s)
      if (const Segment* const segment = macro_.segments().find(s))
        for (std::uint32_t t = 0; t < segment->count; ++t)
          copies[rows_[segment->place(t)]] = macro_.copy_of(s, t);
    for (const KeyCopy* copy : copies) append_copy(copy, &result_);
  }

  const files::Trace& trace_;
  std::size_t d_;
  AttentionMacro macro_;
  files::Result result_;
  std::vector<std::size_t> rows_;  ///< of each place, the row of its key
  std::size_t key_ = 0, query_ = 0;
  ScriptObserver* observer_;  ///< may be null
};

}  // namespace

AttentionScript script_of(const files::Config& config, const files::Trace& trace) {
  AttentionScript script{trace, {}};
  for (const SegmentCommand& command : segment_commands(config, trace))
    script.steps.emplace_back(attention_step::Take{command});
  return script;
}

GoldenScript golden_script(const files::Config& config, const AttentionScript& script,
                           const UnitTable& units, ScriptObserver* observer) {
  AttentionJob job(config, script.vectors, units, observer);
  std::vector<std::uint8_t> refused;
  for (const AttentionStep& step : script.steps) refused.push_back(job.execute(step) ? 0 : 1);
  GoldenScript done = job.finish();
  done.refused = std::move(refused);
  return done;
}

AttentionRun golden_attention(const files::Config& config, const files::Trace& trace,
                              const UnitTable& units) {
  GoldenScript done = golden_script(config, script_of(config, trace), units);
  if (trace.commands) {
    done.result.command_count = done.refused.size();
    done.result.attention->refused = std::move(done.refused);
  }
  return {std::move(done.result), done.events};
}

}  // namespace axelram::run
