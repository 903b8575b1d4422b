#include "axelram/run/script.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "axelram/run/golden.hpp"
#include "axelram/run/overloaded.hpp"
#include "axelram/run/result.hpp"
#include "axelram/run/segment_rows.hpp"
#include "rows.hpp"

namespace axelram::run {
namespace {

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
        result_(empty_result(config, vectors)),
        rows_(static_cast<std::size_t>(config.max_keys)),
        observer_(observer) {}

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
    if (result_.has_copies()) append_copies();
    return {std::move(result_),
            {},
            macro_.counters(),
            macro_.keys().events(),
            macro_.values().events()};
  }

 private:
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
    if (!stored) return false;
    fill_key(token.key, row, &result_);
    fill_value(token.value, row);
    rows_[token.place] = row;
    return true;
  }

  void fill_value(const KeyResult& value, std::size_t token) {
    files::Result& r = result_;
    const auto row = [&](auto& tensor) { return files::row_of(tensor, token, r.tokens); };
    fill(row(r.value_indices), value.indices);
    fill(row(r.value_norms), {value.norm});
    fill(row(r.value_records), value.record);
    fill(row(r.value_codewords), value.codeword);
  }

  /// The next group, filled up with zero vectors behind the last query.
  bool group(std::size_t segment, bool attends) {
    const auto heads = static_cast<std::size_t>(macro_.attention().group);
    const std::size_t here = std::min(heads, trace_.query_count() - query_);
    std::vector<std::uint16_t> queries(heads * d_);
    std::copy_n(trace_.queries.data() + query_ * d_, here * d_, queries.data());
    const std::size_t first = std::exchange(query_, query_ + here);
    const GroupResult group =
        attends ? macro_.attend(segment, queries.data()) : macro_.score(segment, queries.data());
    if (observer_ != nullptr) observer_->on_group(group);
    const bool good = group.status == ItemStatus::done;
    for (std::size_t g = 0; good && g < here; ++g) {
      fill_query(group.places, group.queries[g], first + g);
      if (attends) fill_output(group.places, group.outputs[g], first + g);
    }
    return good;
  }

  /// Fills columns of the row of a query: values[i] for the key in places[i].
  template <class T, class From>
  void fill_tokens(const std::vector<std::uint32_t>& places, const std::vector<From>& values,
                   std::span<T> row) {
    for (std::size_t i = 0; i < values.size(); ++i)
      row[rows_[places[i]]] = static_cast<T>(values[i]);
  }

  void fill_query(const std::vector<std::uint32_t>& places, const QueryResult& query,
                  std::size_t number) {
    fill_rotated_query(query, number, &result_);
    fill_tokens(places, query.acc, files::row_of(result_.accumulators, number, result_.queries));
    fill_tokens(places, query.scores, files::row_of(result_.scores, number, result_.queries));
  }

  void fill_output(const std::vector<std::uint32_t>& places, const AttentionResult& output,
                   std::size_t number) {
    files::Result& r = result_;
    const auto row = [&](auto& tensor) { return files::row_of(tensor, number, r.queries); };
    fill_tokens(places, output.logits, row(r.logits));
    fill_tokens(places, output.weights, row(r.weights));
    fill_tokens(places, output.weight_references, row(r.weight_references));
    r.maxima[number] = output.maximum;
    r.denominators[number] = output.denominator;
    fill(row(r.sums), output.sums);
    r.output_shifts[number] = output.output_shift;
    fill(row(r.rotated_outputs), output.rotated);
    r.reciprocals[number] = output.reciprocal;
    for (std::size_t i = 0; i < d_; ++i) r.set_output(number * d_ + i, output.outputs[i]);
  }

  /// Copies of the tokens that stand in a segment now.
  void append_copies() {
    std::vector<const KeyCopy*> copies(result_.tokens);
    for (std::size_t s = 0; s < macro_.segments().size(); ++s)
      if (const Segment* const segment = macro_.segments().find(s))
        for (std::uint32_t t = 0; t < segment->count; ++t)
          copies[rows_[segment->place(t)]] = macro_.copy_of(s, t);
    for (std::size_t token = 0; token < copies.size(); ++token)
      if (copies[token] != nullptr) append_copy(*copies[token], token, &result_);
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
  if (trace.commands) done.result.refused = std::move(done.refused);
  return {std::move(done.result), done.events};
}

}  // namespace axelram::run
