#include "axelram/sim/injection.hpp"

#include <algorithm>
#include <bit>

#include "axelram/files/errors.hpp"
#include "axelram/sim/driver.hpp"

namespace axelram::sim {
namespace {

void append(std::vector<std::uint8_t>* to, const std::uint8_t* bytes, std::size_t count) {
  to->insert(to->end(), bytes, bytes + count);
}

/// Collects the records that the first query reads, and all scores.
class InjectionCollector : public Observer {
 public:
  InjectionCollector(const files::Config& config, const rtl::Layout& layout, std::size_t keys)
      : record_bytes_(static_cast<std::size_t>(config.parameters.record_bytes())),
        status_bytes_(status_bytes(static_cast<std::size_t>(layout.code_words))),
        keys_(keys) {}

  void on_decoded(bool scrub, const std::uint8_t* record, const std::uint8_t* statuses) override {
    if (scrub || run.decoded.size() == keys_ * record_bytes_) return;
    append(&run.decoded, record, record_bytes_);
    append(&run.statuses, statuses, status_bytes_);
  }
  void on_lookup(const std::uint8_t* record) override {
    if (run.repaired.size() < keys_ * record_bytes_) append(&run.repaired, record, record_bytes_);
  }
  void on_accumulator(std::int64_t acc) override { run.accumulators.push_back(acc); }
  void on_score(std::uint32_t bits, bool, bool) override {
    run.scores.push_back(std::bit_cast<float>(bits));
  }

  bool complete(std::size_t queries) const {
    return run.decoded.size() == keys_ * record_bytes_ &&
           run.repaired.size() == keys_ * record_bytes_ && run.scores.size() == keys_ * queries;
  }

  InjectionRun run;

 private:
  std::size_t record_bytes_, status_bytes_, keys_;
};

std::vector<std::uint16_t> row(const std::vector<std::uint16_t>& rows, std::size_t d,
                               std::size_t i) {
  const auto first = rows.begin() + static_cast<std::ptrdiff_t>(i * d);
  return {first, first + static_cast<std::ptrdiff_t>(d)};
}

}  // namespace

InjectionRun run_injection(const files::Config& config, const files::Trace& trace, RtlModel& model,
                           const std::vector<std::uint8_t>& masks, ErasurePolicy erasure) {
  const rtl::Layout layout(config);
  if (!layout.code)
    throw files::InputError(config.name +
                            ": a macro without a code has no injection port; choose a code, or the "
                            "golden engine");
  const auto d = static_cast<std::size_t>(config.parameters.head_dim);
  const auto bytes = static_cast<std::size_t>(layout.stored_bits + 7) / 8;
  std::vector<Command> commands;
  commands.push_back(command::Protect{erasure, false});
  for (std::size_t t = 0; t < trace.key_count(); ++t) {
    const auto first = masks.begin() + static_cast<std::ptrdiff_t>(t * bytes);
    std::vector<std::uint8_t> mask(first, first + static_cast<std::ptrdiff_t>(bytes));
    if (std::any_of(mask.begin(), mask.end(), [](auto byte) { return byte != 0; })) {
      // The mask acts on the next write, so all earlier keys must be stored.
      commands.push_back(command::Drain{});
      commands.push_back(command::Inject{Injection::next_write, std::move(mask)});
    }
    commands.push_back(command::Key{row(trace.keys, d, t)});
  }
  for (std::size_t q = 0; q < trace.query_count(); ++q)
    commands.push_back(command::Query{row(trace.queries, d, q)});
  // Only queries read the memory. A trace without queries needs one whose scores are dropped.
  const bool look = trace.query_count() == 0 && trace.key_count() > 0;
  if (look) commands.push_back(command::Query{row(trace.keys, d, 0)});
  commands.push_back(command::Drain{});

  Driver driver(config, model, {}, 1);
  InjectionCollector collector(config, layout, trace.key_count());
  driver.run(commands, collector);
  if (look) collector.run.scores.clear();
  if (!collector.complete(trace.query_count()))
    throw SimulationError("the RTL output too few records or scores");
  return std::move(collector.run);
}

}  // namespace axelram::sim
