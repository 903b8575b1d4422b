#include "axelram/run/segment_rows.hpp"

#include <algorithm>

#include "axelram/exact.hpp"

namespace axelram::run {

std::vector<files::SegmentCommand> segment_commands(const files::Config& config,
                                                    const files::Trace& trace) {
  if (trace.commands) return *trace.commands;
  return files::default_commands(config, trace.key_count(), trace.query_count());
}

SegmentRows::SegmentRows(const files::Config& config)
    : parameters_(config.parameters),
      segments_(static_cast<std::size_t>(config.store.segments),
                static_cast<std::size_t>(config.store.rotations),
                static_cast<std::size_t>(config.max_keys)),
      arrived_(segments_.size()),
      rows_(static_cast<std::size_t>(config.max_keys)) {}

bool SegmentRows::take(const files::SegmentCommand& command, std::size_t row) {
  using Kind = files::SegmentCommand::Kind;
  switch (command.kind) {
    case Kind::allocate:
      if (!segments_.allocate(command.segment, command.allocation)) return false;
      arrived_[command.segment] = 0;
      return true;
    case Kind::append: {
      std::uint32_t place = 0;
      if (segments_.append(command.segment, &place) != Segments::Append::stored) return false;
      rows_[place] = row;
      ++arrived_[command.segment];
      return true;
    }
    case Kind::attend:
      return segments_.find(command.segment) != nullptr;
    case Kind::evict:
      return segments_.evict(command.segment, command.n);
    case Kind::free:
      return segments_.free(command.segment);
  }
  return false;
}

void SegmentRows::clear() {
  segments_.clear();
  std::fill(arrived_.begin(), arrived_.end(), 0);
}

std::vector<VisibleToken> SegmentRows::visible(std::size_t segment) const {
  const Segment& of = *segments_.find(segment);
  const std::size_t arrived = arrived_[segment];
  std::vector<VisibleToken> tokens;
  for (std::uint32_t t = 0; t < of.count; ++t)
    tokens.push_back({rows_[of.place(t)], is_exact(of.arrival(t, arrived), arrived, parameters_)});
  return tokens;
}

std::vector<VisibleToken> SegmentRows::all() const {
  std::vector<VisibleToken> tokens;
  for (std::size_t s = 0; s < segments_.size(); ++s)
    if (segments_.find(s) != nullptr)
      for (const VisibleToken& token : visible(s)) tokens.push_back(token);
  return tokens;
}

}  // namespace axelram::run
