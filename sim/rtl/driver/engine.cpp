#include "axelram/sim/engine.hpp"

#include <bit>
#include <cstring>
#include <stdexcept>

#include "axelram/codebook.hpp"
#include "axelram/exact.hpp"
#include "axelram/macro.hpp"
#include "axelram/record.hpp"
#include "axelram/run/result.hpp"
#include "rtl/driver/stored_copy.hpp"

namespace axelram::sim {
namespace {

template <typename T>
void append(std::vector<T>* to, const T* values, std::size_t count) {
  to->insert(to->end(), values, values + count);
}

/// Collects the tensors of a result in the order of the RTL, which is the order of the trace.
class Collector : public Observer {
 public:
  explicit Collector(const files::Config& config) : result(run::empty_result(config)) {}

  void on_thresholds(const std::int32_t* values, int count) override {
    append(&result.thresholds, values, static_cast<std::size_t>(count));
  }
  void on_norm(std::uint16_t norm) override { result.norms.push_back(norm); }
  void on_correlation(std::int64_t correlation) override {
    result.correlations.push_back(correlation);
  }
  void on_indices(const std::uint8_t* values, int count) override {
    append(&result.indices, values, static_cast<std::size_t>(count));
  }
  void on_reconstructions(const std::int32_t* upper, int count) override {
    for (int j = count; j-- > 0;) result.reconstructions.push_back(-upper[j]);
    append(&result.reconstructions, upper, static_cast<std::size_t>(count));
  }
  void on_residual_shift(int shift) override { result.residual_shifts.push_back(shift); }
  void on_residual_signs(const std::uint8_t* values, int count) override {
    append(&result.residual_signs, values, static_cast<std::size_t>(count));
  }
  void on_residual_norm(std::uint16_t norm) override { result.residual_norms.push_back(norm); }
  void on_residual_query_row(const std::int32_t* values, int count, int exponent) override {
    append(&result.residual_queries, values, static_cast<std::size_t>(count));
    if (result.residual_queries.size() % static_cast<std::size_t>(result.head_dim) == 0)
      result.residual_query_exponents.push_back(exponent);
  }
  void on_residual_accumulator(std::int64_t acc) override {
    result.residual_accumulators.push_back(acc);
  }
  void on_path_cost(std::uint32_t cost) override { result.path_costs.push_back(cost); }
  void on_levels(const std::uint8_t* values, int count) override {
    append(&result.levels, values, static_cast<std::size_t>(count));
  }
  void on_record(const std::uint8_t* record) override {
    append(&result.records, record, result.record_bytes());
  }
  void on_query_row(const std::int32_t* values, int count, int exponent) override {
    append(&result.rotated_queries, values, static_cast<std::size_t>(count));
    if (result.rotated_queries.size() % static_cast<std::size_t>(result.head_dim) == 0)
      result.query_exponents.push_back(exponent);
  }
  void on_accumulator(std::int64_t acc) override { result.accumulators.push_back(acc); }
  void on_score(std::uint32_t bits, bool, bool) override {
    result.scores.push_back(std::bit_cast<float>(bits));
  }

  files::Result result;
};

void require(bool holds, const char* what) {
  if (!holds) throw SimulationError(std::string("the RTL output a wrong number of ") + what);
}

void check_sizes(const files::Result& r) {
  const auto d = static_cast<std::size_t>(r.head_dim);
  require(r.thresholds.size() == r.tokens * r.boundaries.size(), "thresholds");
  require(r.reconstructions.size() == r.tokens * r.reconstruction_words.size(), "reconstructions");
  require(r.path_costs.size() == (r.trellis ? r.tokens * r.parts() : 0), "path costs");
  require(r.levels.size() == (r.trellis ? r.tokens * d : 0), "levels");
  require(r.norms.size() == r.tokens * r.parts(), "norms");
  require(r.correlations.size() == (r.unbiased ? r.tokens * r.parts() : 0), "correlations");
  require(r.records.size() == r.tokens * r.record_bytes(), "records");
  require(r.indices.size() == r.tokens * d, "indices");
  require(r.rotated_queries.size() == r.queries * d, "rotated query elements");
  require(r.accumulators.size() == r.queries * r.tokens * r.parts(), "accumulators");
  const std::size_t residuals = r.prod ? 1 : 0;
  require(r.residual_signs.size() == residuals * r.tokens * d, "residual signs");
  require(r.residual_norms.size() == residuals * r.tokens, "residual norms");
  require(r.residual_shifts.size() == residuals * r.tokens, "residual shifts");
  require(r.residual_queries.size() == residuals * r.queries * d, "residual query elements");
  require(r.residual_accumulators.size() == residuals * r.queries * r.tokens,
          "residual accumulators");
  require(r.scores.size() == r.queries * r.tokens, "scores");
}

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
    const bool copied = exact && driver.copied(place);
    if (!copied) {
      result->exact.push_back(0);
      continue;
    }
    append_stored_copy(config, model, place, result);
  }
}

}  // namespace

RtlRun run_rtl(const files::Config& config, const files::Trace& trace, const std::string& library,
               Stalls stalls, std::uint64_t seed, const std::string& waves) {
  RtlModel model(library, static_cast<unsigned>(seed % 0x7fffffffU) + 1);
  if (!waves.empty()) model.start_waves(waves);
  Driver driver(config, model, stalls, seed);
  Collector collector(config);
  driver.run(commands_of(config, trace), collector);

  files::Result& result = collector.result;
  result.tokens = trace.key_count();
  result.queries = trace.query_count();
  require(driver.key_count() == trace.key_count(), "stored keys");
  for (std::size_t r = 0; r < trace.record_count(config.parameters); ++r)
    run::append_record(config.parameters, trace.records.data() + r * result.record_bytes(),
                       &result);
  // The memory has the records, or their codewords.
  const bool coded = result.codeword_bytes > 0;
  for (unsigned t = 0; t < trace.key_count(); ++t) {
    const std::vector<std::uint8_t> stored =
        model.stored(t, coded ? result.codeword_bytes : result.record_bytes());
    append(coded ? &result.codewords : &result.records, stored.data(), stored.size());
  }
  if (result.has_copies) append_copies(config, driver, model, &result);
  check_sizes(result);
  return {std::move(result), driver.cycles(), std::nullopt};
}

}  // namespace axelram::sim
