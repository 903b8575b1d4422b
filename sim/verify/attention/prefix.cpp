#include "verify/attention/prefix.hpp"

#include <algorithm>
#include <map>

#include "axelram/half.hpp"
#include "axelram/run/overloaded.hpp"
#include "axelram/run/script.hpp"
#include "axelram/sim/command.hpp"

namespace axelram::sim {
namespace {

using files::SegmentCommand;
using Kind = SegmentCommand::Kind;

/// Vectors of a script, taken in order.
struct Position {
  std::size_t token = 0, query = 0;
};

void advance(const run::AttentionStep& step, std::size_t group, Position* at) {
  const auto* take = std::get_if<run::attention_step::Take>(&step);
  if (take != nullptr && take->command.kind == Kind::append) ++at->token;
  if (std::holds_alternative<run::attention_step::Score>(step) ||
      (take != nullptr && take->command.kind == Kind::attend))
    at->query += group;
}

/// Writes the trace of a script.
class Writer {
 public:
  Writer(const files::Config& config, const run::AttentionScript& script)
      : config_(config),
        from_(script.vectors),
        d_(static_cast<std::size_t>(config.parameters.head_dim)),
        group_(static_cast<std::size_t>(config.attention.parameters.group)),
        segments_(static_cast<std::size_t>(config.store.segments),
                  static_cast<std::size_t>(config.store.rotations),
                  static_cast<std::size_t>(config.max_keys)) {
    trace_.element_format = from_.element_format;
    trace_.head_dim = from_.head_dim;
    trace_.values.emplace();
    for (const run::AttentionStep& step : script.steps) {
      write(step);
      advance(step, group_, &at_);
    }
  }

  TraceOfScript done() {
    trace_.commands = std::move(commands_);
    std::string text;
    for (const auto& [what, count] : left_out_)
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what;
    return {std::move(trace_), text};
  }

 private:
  void write(const run::AttentionStep& step) {
    namespace s = run::attention_step;
    const auto leave = [this](const char* what) { ++left_out_[what]; };
    std::visit(run::Overloaded{
                   [&](const s::Take& take) { write(take.command); },
                   [&](const s::Score& score) {
                     leave("groups that ask for scores");
                     write_group(score.segment);
                   },
                   [&](const s::Bad&) { leave("unknown items or commands"); },
                   [&](const s::Clear&) { write_clear(); }, [](const s::Hold&) {},
                   [&](const s::LoadScale&) { leave("loads of the softmax scale"); },
                   [&](const s::LoadRotation&) { leave("loads of the rotations"); },
                   [](const s::ClearErrors&) {}, [&](const s::Inject&) { leave("injections"); },
                   [&](const s::Protect&) { leave("loads of the policy for erasures"); }},
               step);
  }

  void write(const SegmentCommand& command) {
    switch (command.kind) {
      case Kind::append:
        return write_token(command.segment);
      case Kind::attend:
        return write_group(command.segment);
      case Kind::allocate:
        if (segments_.allocate(command.segment, command.allocation))
          standing_[command.segment] = command.allocation;
        break;
      case Kind::free:
        if (segments_.free(command.segment)) standing_.erase(command.segment);
        break;
      case Kind::evict:
        break;
    }
    commands_.push_back(command);
  }

  bool finite(const std::uint16_t* vectors, std::size_t count) {
    const bool all = std::all_of(vectors, vectors + count * d_, [this](std::uint16_t element) {
      return is_finite(element, config_.parameters.element_format);
    });
    if (!all) ++left_out_["items with a NaN or an infinity"];
    return all;
  }

  void write_token(std::uint32_t segment) {
    const std::uint16_t* const key = from_.keys.data() + at_.token * d_;
    const std::uint16_t* const value = from_.values->data() + at_.token * d_;
    if (!finite(key, 1) || !finite(value, 1)) return;
    commands_.push_back({Kind::append, segment});
    trace_.keys.insert(trace_.keys.end(), key, key + d_);
    trace_.values->insert(trace_.values->end(), value, value + d_);
  }

  void write_group(std::uint32_t segment) {
    const std::size_t here = std::min(group_, from_.query_count() - at_.query);
    const std::uint16_t* const queries = from_.queries.data() + at_.query * d_;
    if (!finite(queries, here)) return;
    commands_.push_back({Kind::attend, segment});
    trace_.queries.insert(trace_.queries.end(), queries, queries + here * d_);
    trace_.queries.resize(trace_.queries.size() + (group_ - here) * d_);
  }

  void write_clear() {
    for (const auto& [segment, allocation] : standing_) {
      commands_.push_back({Kind::free, segment});
      commands_.push_back({Kind::allocate, segment, allocation});
    }
  }

  const files::Config& config_;
  const files::Trace& from_;
  std::size_t d_, group_;
  Segments segments_;
  std::map<std::uint32_t, Allocation> standing_;
  Position at_;
  files::Trace trace_;
  std::vector<SegmentCommand> commands_;
  std::map<std::string, int> left_out_;
};

}  // namespace

run::AttentionScript prefix_of(const files::Config& config, const run::AttentionScript& script,
                               std::size_t steps) {
  Position end;
  run::AttentionScript prefix;
  prefix.steps.assign(script.steps.begin(),
                      script.steps.begin() + static_cast<std::ptrdiff_t>(steps));
  for (const run::AttentionStep& step : prefix.steps)
    advance(step, static_cast<std::size_t>(config.attention.parameters.group), &end);
  prefix.vectors = script.vectors;
  const auto d = static_cast<std::size_t>(config.parameters.head_dim);
  prefix.vectors.keys.resize(end.token * d);
  prefix.vectors.values->resize(end.token * d);
  if (end.query < prefix.vectors.query_count()) prefix.vectors.queries.resize(end.query * d);
  return prefix;
}

TraceOfScript trace_of(const files::Config& config, const run::AttentionScript& script) {
  return Writer(config, script).done();
}

}  // namespace axelram::sim
