#include "rtl/attention/copied_rows.hpp"

#include "axelram/run/script.hpp"
#include "axelram/run/segment_rows.hpp"

namespace axelram::sim {

std::vector<std::optional<std::size_t>> copied_rows(const files::Config& config,
                                                    const run::AttentionScript& script,
                                                    const std::vector<std::uint8_t>& refused) {
  run::SegmentRows rows(config);
  std::size_t row = 0;
  for (std::size_t i = 0; i < script.steps.size(); ++i) {
    if (std::holds_alternative<run::attention_step::Clear>(script.steps[i])) rows.clear();
    const auto* const take = std::get_if<run::attention_step::Take>(&script.steps[i]);
    if (take == nullptr) continue;
    if (refused[i] == 0) rows.take(take->command, row);
    row += take->command.kind == files::SegmentCommand::Kind::append ? 1 : 0;
  }
  std::vector<std::optional<std::size_t>> copied(script.vectors.key_count());
  for (const run::VisibleToken& token : rows.all())
    if (token.exact) copied[token.row] = token.row;
  return copied;
}

}  // namespace axelram::sim
