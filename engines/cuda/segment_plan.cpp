#include "segment_plan.hpp"

#include <algorithm>

#include "axelram/run/segment_rows.hpp"

namespace axelram::engines {
namespace {

using files::SegmentCommand;
using Kind = SegmentCommand::Kind;

class Planner {
 public:
  Planner(const files::Config& config, std::size_t queries)
      : group_(static_cast<std::size_t>(config.attention.parameters.group)),
        queries_(queries),
        rows_(config) {
    plan_.keys.resize(static_cast<std::size_t>(config.store.rotations));
  }

  void execute(const SegmentCommand& command) {
    const bool done = rows_.take(command, key_);
    plan_.refused.push_back(done ? 0 : 1);
    if (command.kind == Kind::append) append(command.segment, done);
    if (command.kind == Kind::attend) attend(command.segment, done);
  }

  SegmentPlan finish() {
    plan_.left = rows_.all();
    std::sort(plan_.left.begin(), plan_.left.end(),
              [](const run::VisibleToken& a, const run::VisibleToken& b) { return a.row < b.row; });
    return std::move(plan_);
  }

 private:
  std::size_t rotation(std::size_t segment) const {
    return rows_.segments().find(segment)->rotation;
  }

  void append(std::size_t segment, bool done) {
    const std::size_t row = key_++;
    if (done) plan_.keys[rotation(segment)].push_back(row);
  }

  void attend(std::size_t segment, bool done) {
    const std::size_t first = query_, count = std::min(group_, queries_ - query_);
    query_ += count;
    if (done) plan_.groups.push_back({first, count, rotation(segment), rows_.visible(segment)});
  }

  std::size_t group_, queries_;
  run::SegmentRows rows_;
  std::size_t key_ = 0, query_ = 0;
  SegmentPlan plan_;
};

}  // namespace

SegmentPlan segment_plan(const files::Config& config, const files::Trace& trace) {
  Planner planner(config, trace.query_count());
  for (const SegmentCommand& command : run::segment_commands(config, trace))
    planner.execute(command);
  return planner.finish();
}

}  // namespace axelram::engines
