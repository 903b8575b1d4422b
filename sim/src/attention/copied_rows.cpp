#include "copied_rows.hpp"

#include "axelram/segments.hpp"

namespace axelram::sim {
namespace {

using Kind = files::SegmentCommand::Kind;

/// Where the tokens of a script lie, and how many have arrived in each segment.
class Tokens {
 public:
  explicit Tokens(const files::Config& config)
      : parameters_(config.parameters),
        segments_(static_cast<std::size_t>(config.store.segments),
                  static_cast<std::size_t>(config.store.rotations),
                  static_cast<std::size_t>(config.max_keys)),
        arrived_(static_cast<std::size_t>(config.store.segments)),
        rows_(static_cast<std::size_t>(config.max_keys)) {}

  void clear() {
    segments_.clear();
    arrived_.assign(arrived_.size(), 0);
  }
  void take(const files::SegmentCommand& command, std::size_t row) {
    switch (command.kind) {
      case Kind::allocate:
        segments_.allocate(command.segment, command.allocation);
        arrived_[command.segment] = 0;
        return;
      case Kind::append: {
        std::uint32_t place = 0;
        segments_.append(command.segment, &place);
        rows_[place] = row;
        ++arrived_[command.segment];
        return;
      }
      case Kind::evict:
        segments_.evict(command.segment, command.n);
        return;
      case Kind::free:
        segments_.free(command.segment);
        return;
      case Kind::attend:
        return;
    }
  }

  /// Calls function(row) for every token with a copy.
  template <class Function>
  void for_each_copied(Function&& function) const {
    for (std::size_t s = 0; s < segments_.size(); ++s) {
      const Segment* const segment = segments_.find(s);
      for (std::uint32_t t = 0; segment != nullptr && t < segment->count; ++t)
        if (is_exact(segment->arrival(t, arrived_[s]), arrived_[s], parameters_))
          function(rows_[segment->place(t)]);
    }
  }

 private:
  const Parameters& parameters_;
  Segments segments_;
  std::vector<std::size_t> arrived_;
  std::vector<std::size_t> rows_;  ///< of each place
};

}  // namespace

std::vector<std::optional<std::size_t>> copied_rows(const files::Config& config,
                                                    const AttentionScript& script,
                                                    const std::vector<std::uint8_t>& refused) {
  Tokens tokens(config);
  std::size_t row = 0;
  for (std::size_t i = 0; i < script.steps.size(); ++i) {
    if (std::holds_alternative<attention_step::Clear>(script.steps[i])) tokens.clear();
    const auto* const take = std::get_if<attention_step::Take>(&script.steps[i]);
    if (take == nullptr) continue;
    if (refused[i] == 0) tokens.take(take->command, row);
    row += take->command.kind == Kind::append ? 1 : 0;
  }
  std::vector<std::optional<std::size_t>> copied(script.vectors.key_count());
  tokens.for_each_copied([&](std::size_t of) { copied[of] = of; });
  return copied;
}

}  // namespace axelram::sim
