#include "segment_plan.hpp"

#include <algorithm>

#include "axelram/exact.hpp"
#include "axelram/segments.hpp"
#include "axelram/sim/engine.hpp"

namespace axelram::engines {
namespace {

using files::SegmentCommand;
using Kind = SegmentCommand::Kind;

class Planner {
 public:
  Planner(const files::Config& config, std::size_t queries)
      : parameters_(config.parameters),
        group_(static_cast<std::size_t>(config.attention.parameters.group)),
        queries_(queries),
        segments_(static_cast<std::size_t>(config.store.segments),
                  static_cast<std::size_t>(config.store.rotations),
                  static_cast<std::size_t>(config.max_keys)),
        arrived_(segments_.size()),
        rows_(static_cast<std::size_t>(config.max_keys)) {
    plan_.keys.resize(static_cast<std::size_t>(config.store.rotations));
  }

  void execute(const SegmentCommand& command) { plan_.refused.push_back(done(command) ? 0 : 1); }

  SegmentPlan finish() {
    for (std::size_t s = 0; s < segments_.size(); ++s)
      if (segments_.find(s) != nullptr)
        for (const VisibleToken& token : visible(s)) plan_.left.push_back(token);
    std::sort(plan_.left.begin(), plan_.left.end(),
              [](const VisibleToken& a, const VisibleToken& b) { return a.row < b.row; });
    return std::move(plan_);
  }

 private:
  bool done(const SegmentCommand& command) {
    switch (command.kind) {
      case Kind::allocate:
        if (!segments_.allocate(command.segment, command.allocation)) return false;
        arrived_[command.segment] = 0;
        return true;
      case Kind::append:
        return append(command.segment);
      case Kind::attend:
        return attend(command.segment);
      case Kind::evict:
        return segments_.evict(command.segment, command.n);
      case Kind::free:
        return segments_.free(command.segment);
    }
    return false;
  }

  bool append(std::size_t segment) {
    const std::size_t row = key_++;
    std::uint32_t place = 0;
    if (segments_.append(segment, &place) != Segments::Append::stored) return false;
    rows_[place] = row;
    ++arrived_[segment];
    plan_.keys[segments_.find(segment)->rotation].push_back(row);
    return true;
  }

  bool attend(std::size_t segment) {
    const std::size_t first = query_, count = std::min(group_, queries_ - query_);
    query_ += count;
    const Segment* const of = segments_.find(segment);
    if (of == nullptr) return false;
    plan_.groups.push_back({first, count, of->rotation, visible(segment)});
    return true;
  }

  /// Tokens of a segment count by their arrival (bit-contract.md#segments).
  std::vector<VisibleToken> visible(std::size_t segment) const {
    const Segment& of = *segments_.find(segment);
    const std::size_t arrived = arrived_[segment];
    std::vector<VisibleToken> tokens;
    for (std::uint32_t t = 0; t < of.count; ++t) {
      const bool exact = is_exact(of.arrival(t, arrived), arrived, parameters_);
      tokens.push_back({rows_[of.place(t)], exact});
    }
    return tokens;
  }

  const Parameters& parameters_;
  std::size_t group_, queries_;
  Segments segments_;
  std::vector<std::size_t> arrived_;  ///< at each segment, since it was allocated
  std::vector<std::size_t> rows_;     ///< of each place, the row of its key
  std::size_t key_ = 0, query_ = 0;
  SegmentPlan plan_;
};

}  // namespace

SegmentPlan segment_plan(const files::Config& config, const files::Trace& trace) {
  Planner planner(config, trace.query_count());
  for (const SegmentCommand& command : sim::segment_commands(config, trace))
    planner.execute(command);
  return planner.finish();
}

}  // namespace axelram::engines
