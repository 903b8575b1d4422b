#include "axelram/sim/engine.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string>

#include "axelram/codebook.hpp"
#include "axelram/exact.hpp"
#include "axelram/macro.hpp"
#include "axelram/record.hpp"
#include "axelram/run/result.hpp"
#include "rtl/driver/stored_copy.hpp"

namespace axelram::sim {
namespace {

/// Fills the tensors of a result in the order of the RTL, which is that of the trace.
class Collector : public Observer {
 public:
  Collector(const files::Config& config, const files::Trace& trace)
      : result(run::empty_result(config, trace)) {}

  void on_thresholds(const std::int32_t* values, int count) override {
    take(&result.thresholds, values, count);
  }
  void on_norm(std::uint16_t norm) override { take(&result.norms, &norm, 1); }
  void on_correlation(std::int64_t correlation) override {
    take(&result.correlations, &correlation, 1);
  }
  void on_indices(const std::uint8_t* values, int count) override {
    take(&result.indices, values, count);
  }
  void on_reconstructions(const std::int32_t* upper, int count) override {
    for (int j = count; j-- > 0;) {
      const std::int32_t lower = -upper[j];
      take(&result.reconstructions, &lower, 1);
    }
    take(&result.reconstructions, upper, count);
  }
  void on_residual_shift(int shift) override { take(&result.residual_shifts, &shift, 1); }
  void on_residual_signs(const std::uint8_t* values, int count) override {
    take(&result.residual_signs, values, count);
  }
  void on_residual_norm(std::uint16_t norm) override { take(&result.residual_norms, &norm, 1); }
  void on_residual_query_row(const std::int32_t* values, int count, int exponent) override {
    take(&result.residual_queries, values, count);
    if (taken(result.residual_queries) % result.head_dim() == 0)
      take(&result.residual_query_exponents, &exponent, 1);
  }
  void on_residual_accumulator(std::int64_t acc) override {
    take(&result.residual_accumulators, &acc, 1);
  }
  void on_path_cost(std::uint32_t cost) override { take(&result.path_costs, &cost, 1); }
  void on_levels(const std::uint8_t* values, int count) override {
    take(&result.levels, values, count);
  }
  void on_record(const std::uint8_t* record) override {
    take(&result.records, record, static_cast<int>(result.record_bytes()));
  }
  void on_query_row(const std::int32_t* values, int count, int exponent) override {
    take(&result.rotated_queries, values, count);
    if (taken(result.rotated_queries) % result.head_dim() == 0)
      take(&result.query_exponents, &exponent, 1);
  }
  void on_accumulator(std::int64_t acc) override { take(&result.accumulators, &acc, 1); }
  void on_score(std::uint32_t bits, bool, bool) override {
    const auto score = std::bit_cast<float>(bits);
    take(&result.scores, &score, 1);
  }

  /// Fills the next values of a tensor. Throws SimulationError if it is full.
  template <class T>
  void take(std::vector<T>* tensor, const T* values, int count) {
    std::size_t& at = taken_[tensor];
    if (at + static_cast<std::size_t>(count) > tensor->size()) wrong(tensor, "too many");
    std::copy_n(values, count, tensor->begin() + static_cast<std::ptrdiff_t>(at));
    at += static_cast<std::size_t>(count);
  }

  /// Throws SimulationError unless every tensor is full. The last `outside` tokens came as records,
  /// and all of them but that has no rows yet. Tensors of `elsewhere` are not asked.
  void check(std::size_t outside, const std::set<const void*>& elsewhere) const {
    const void* const records = &result.records;
    files::for_each_tensor(result, [&](const files::TensorRow& row, const files::Shape&,
                                       const auto& values) {
      if (elsewhere.contains(&values)) return;
      const bool of_keys = row.axes.front() == &files::result_axis::tokens && &values != records;
      const std::size_t left =
          of_keys && outside != 0 ? values.size() / result.tokens * outside : 0;
      if (taken(values) != values.size() - left) wrong(&values, "a wrong number of");
    });
  }

  files::Result result;

 private:
  template <class T>
  std::size_t taken(const std::vector<T>& tensor) const {
    const auto found = taken_.find(&tensor);
    return found == taken_.end() ? 0 : found->second;
  }

  [[noreturn]] void wrong(const void* tensor, const char* what) const {
    std::string name;
    files::for_each_tensor(
        result, [&](const files::TensorRow& row, const files::Shape&, const auto& values) {
          if (&values == tensor) name = row.name;
        });
    throw SimulationError(std::string("the RTL output ") + what + " values of " + name);
  }

  std::map<const void*, std::size_t> taken_;  ///< of each tensor
};

std::vector<Command> commands_of(const files::Config& config, const files::Trace& trace) {
  const auto d = static_cast<std::size_t>(config.parameters.head_dim);
  std::vector<Command> commands;
  const auto row = [d](const std::vector<std::uint16_t>& rows, std::size_t i) {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(i * d);
    return Vector(first, first + static_cast<std::ptrdiff_t>(d));
  };
  const std::size_t records = trace.record_count(config.parameters);
  for (std::size_t t = 0; t < trace.key_count() - records; ++t)
    commands.push_back(command::Key{row(trace.keys, t)});
  const auto bytes = static_cast<std::ptrdiff_t>(config.parameters.record_bytes());
  for (auto at = trace.records.begin(); at != trace.records.end(); at += bytes)
    commands.push_back(command::Record{{at, at + bytes}});
  for (std::size_t q = 0; q < trace.query_count(); ++q)
    commands.push_back(command::Query{row(trace.queries, q)});
  commands.push_back(command::Drain{});
  return commands;
}

/// The copies that the RTL holds, in order of tokens.
void append_copies(const files::Config& config, const Driver& driver, RtlModel& model,
                   files::Result* result) {
  const Parameters& p = config.parameters;
  for (std::size_t t = 0; t < result->tokens; ++t) {
    const bool exact = is_exact(t, result->tokens, p);
    const auto place = static_cast<unsigned>(exact ? copy_place(t, p) : 0);
    if (exact && driver.copied(place)) append_stored_copy(config, model, place, t, result);
  }
}

}  // namespace

RtlRun run_rtl(const files::Config& config, const files::Trace& trace, const std::string& library,
               Stalls stalls, std::uint64_t seed, const std::string& waves) {
  RtlModel model(library, static_cast<unsigned>(seed % 0x7fffffffU) + 1);
  if (!waves.empty()) model.start_waves(waves);
  Driver driver(config, model, stalls, seed);
  Collector collector(config, trace);
  driver.run(commands_of(config, trace), collector);
  if (driver.key_count() != trace.key_count())
    throw SimulationError("the RTL stored a wrong number of keys");

  files::Result& result = collector.result;
  // The memory has the records, or their codewords; records behind a code are seen on their way.
  const bool coded = result.codeword_bytes > 0;
  auto& stored = coded ? result.codewords : result.records;
  const std::size_t outside = trace.record_count(config.parameters);
  collector.check(outside, {&result.records, &stored, &result.exact, &result.exact_keys,
                            &result.exact_exponents});
  for (std::size_t r = 0; r < outside; ++r)
    run::fill_record(trace.records.data() + r * result.record_bytes(), result.tokens - outside + r,
                     &result);
  for (unsigned t = 0; t < trace.key_count(); ++t) {
    const auto row = files::row_of(stored, t, result.tokens);
    std::ranges::copy(model.stored(t, row.size()), row.begin());
  }
  if (result.has_copies()) append_copies(config, driver, model, &result);
  return {std::move(result), driver.cycles(), std::nullopt};
}

}  // namespace axelram::sim
