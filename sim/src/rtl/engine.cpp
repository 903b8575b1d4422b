#include "axelram/sim/engine.hpp"

#include <bit>
#include <stdexcept>

#include "axelram/codebook.hpp"
#include "axelram/macro.hpp"

namespace axelram::sim {
namespace {

template <typename T>
void append(std::vector<T>* to, const T* values, std::size_t count) {
  to->insert(to->end(), values, values + count);
}

/// Collects the tensors of a result in the order of the RTL, which is the order of the trace.
class Collector : public Observer {
 public:
  explicit Collector(const files::Config& config)
      : result(empty_result(config)),
        boundaries_(static_cast<std::size_t>(config.parameters.boundaries())) {}

  void on_thresholds(const std::int32_t* values) override {
    append(&result.thresholds, values, boundaries_);
  }
  void on_norm(std::uint16_t norm) override { result.norms.push_back(norm); }
  void on_correlation(std::int64_t correlation) override {
    result.correlations.push_back(correlation);
  }
  void on_indices(const std::uint8_t* values, int count) override {
    append(&result.indices, values, static_cast<std::size_t>(count));
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

 private:
  std::size_t boundaries_;
};

void require(bool holds, const char* what) {
  if (!holds) throw SimulationError(std::string("the RTL output a wrong number of ") + what);
}

void check_sizes(const files::Result& r) {
  const auto d = static_cast<std::size_t>(r.head_dim);
  require(r.thresholds.size() == r.tokens * r.boundaries.size(), "thresholds");
  require(r.norms.size() == r.tokens, "norms");
  require(r.correlations.size() == (r.unbiased ? r.tokens : 0), "correlations");
  require(r.records.size() == r.tokens * r.record_bytes(), "records");
  require(r.indices.size() == r.tokens * d, "indices");
  require(r.rotated_queries.size() == r.queries * d, "rotated query elements");
  require(r.accumulators.size() == r.queries * r.tokens, "accumulators");
  require(r.scores.size() == r.queries * r.tokens, "scores");
}

std::vector<Command> commands_of(const files::Config& config, const files::Trace& trace) {
  const auto d = static_cast<std::size_t>(config.parameters.head_dim);
  std::vector<Command> commands;
  const auto row = [d](const std::vector<std::uint16_t>& rows, std::size_t i) {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(i * d);
    return Vector(first, first + static_cast<std::ptrdiff_t>(d));
  };
  for (std::size_t t = 0; t < trace.key_count(); ++t)
    commands.push_back(command::Key{row(trace.keys, t)});
  for (std::size_t q = 0; q < trace.query_count(); ++q)
    commands.push_back(command::Query{row(trace.queries, q)});
  commands.push_back(command::Drain{});
  return commands;
}

}  // namespace

files::Result empty_result(const files::Config& config) {
  const CodebookRom rom = codebook_rom(config.parameters);
  files::Result result;
  result.head_dim = config.parameters.head_dim;
  result.index_bits = config.parameters.index_bits;
  result.unbiased = config.parameters.scale == ScaleKind::unbiased;
  result.score_scale = rom.score_scale;
  result.kappa = rom.kappa;
  result.centroids = rom.centroids;
  result.boundaries = rom.boundaries;
  if (config.ecc.code != "none")
    result.codeword_bytes = make_code(config.ecc.code).codeword_bytes(result.record_bytes() * 8);
  return result;
}

files::Result run_golden(const files::Config& config, const files::Trace& trace,
                         const UnitTable& units) {
  Macro macro(config.parameters, config.signs, config.center,
              static_cast<std::size_t>(config.max_keys), protection(config.ecc), units);
  const auto d = static_cast<std::size_t>(config.parameters.head_dim);
  files::Result result = empty_result(config);
  result.tokens = trace.key_count();
  result.queries = trace.query_count();
  for (std::size_t t = 0; t < trace.key_count(); ++t) {
    const KeyResult key = macro.write(trace.keys.data() + t * d);
    append(&result.indices, key.indices.data(), key.indices.size());
    result.norms.push_back(key.norm);
    if (result.unbiased) result.correlations.push_back(key.correlation);
    append(&result.thresholds, key.thresholds.data(), key.thresholds.size());
    append(&result.records, key.record.data(), key.record.size());
    append(&result.codewords, key.codeword.data(), key.codeword.size());
  }
  for (std::size_t q = 0; q < trace.query_count(); ++q) {
    const QueryResult query = macro.query(trace.queries.data() + q * d);
    append(&result.rotated_queries, query.u.data(), query.u.size());
    result.query_exponents.push_back(query.exponent);
    append(&result.accumulators, query.acc.data(), query.acc.size());
    append(&result.scores, query.scores.data(), query.scores.size());
  }
  return result;
}

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
  // The memory has the records, or their codewords.
  const bool coded = result.codeword_bytes > 0;
  for (unsigned t = 0; t < trace.key_count(); ++t) {
    const std::vector<std::uint8_t> stored =
        model.stored(t, coded ? result.codeword_bytes : result.record_bytes());
    append(coded ? &result.codewords : &result.records, stored.data(), stored.size());
  }
  check_sizes(result);
  return {std::move(result), driver.cycles()};
}

}  // namespace axelram::sim
