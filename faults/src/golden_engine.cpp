#include "axelram/faults/golden_engine.hpp"

#include "axelram/macro.hpp"

namespace axelram::faults {
namespace {

class GoldenEngine : public FaultEngine {
 public:
  GoldenEngine(const files::Config& config, const files::Trace& trace, const std::string& code,
               const UnitTable& units)
      : trace_(trace),
        record_bytes_(static_cast<std::size_t>(config.parameters.record_bytes())),
        coded_(config.parameters, config.head_rotation, config.center, trace.key_count(), {code},
               units),
        plain_(config.parameters, config.head_rotation, config.center, trace.key_count(), {},
               units) {
    const auto d = static_cast<std::size_t>(config.parameters.head_dim);
    for (std::size_t t = 0; t < trace.key_count(); ++t) {
      coded_.write(&trace.keys[t * d]);
      plain_.write(&trace.keys[t * d]);
      const std::uint8_t* const row = coded_.store().stored(t);
      stored_.insert(stored_.end(), row, row + coded_.store().stored_bytes());
    }
  }

  const std::vector<std::uint8_t>& stored() const override { return stored_; }

  FaultOutcome read(const std::vector<std::uint8_t>& masks, ErasurePolicy policy) override {
    inject(masks);
    FaultOutcome outcome;
    outcome.decoded = read_records(ErasurePolicy::keep);
    outcome.repaired = read_records(policy);
    outcome.statuses = statuses();
    outcome.scores = score(outcome.repaired);
    return outcome;
  }

 private:
  void inject(const std::vector<std::uint8_t>& masks) {
    KeyStore& store = coded_.store();
    std::vector<std::uint8_t> row(store.stored_bytes());
    for (std::size_t t = 0; t < store.size(); ++t) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::size_t at = t * row.size() + i;
        row[i] = static_cast<std::uint8_t>(stored_[at] ^ masks[at]);
      }
      store.set_stored(t, row.data());
    }
  }

  std::vector<std::uint8_t> read_records(ErasurePolicy policy) {
    KeyStore& store = coded_.store();
    store.set_erasure(policy);
    if (store.size() == 0) return {};
    const std::uint8_t* const records = store.read();
    return {records, records + store.size() * record_bytes_};
  }

  std::vector<std::uint8_t> statuses() const {
    const KeyStore& store = coded_.store();
    std::vector<std::uint8_t> result;
    if (store.code() == nullptr) return result;
    const std::size_t bytes = status_bytes(store.code()->words(record_bytes_ * 8));
    for (std::size_t t = 0; t < store.size(); ++t)
      result.insert(result.end(), store.statuses(t), store.statuses(t) + bytes);
    return result;
  }

  /// A macro decodes its memory for each query, with the same result. A macro without a code that
  /// stores the repaired records gives the same scores without decoding. Both score exact tokens
  /// from their copies, which no fault hits.
  std::vector<float> score(const std::vector<std::uint8_t>& records) {
    for (std::size_t t = 0; t < plain_.size(); ++t)
      plain_.store().set_stored(t, &records[t * record_bytes_]);
    std::vector<float> scores;
    const auto d = static_cast<std::size_t>(trace_.head_dim);
    for (std::size_t q = 0; q < trace_.query_count(); ++q) {
      const QueryResult result = plain_.query(&trace_.queries[q * d]);
      scores.insert(scores.end(), result.scores.begin(), result.scores.end());
    }
    return scores;
  }

  const files::Trace& trace_;
  std::size_t record_bytes_;
  Macro coded_, plain_;
  std::vector<std::uint8_t> stored_;
};

}  // namespace

EngineFactory golden_engines(const files::Config& config, const files::Trace& trace,
                             const UnitTable& units) {
  return [&config, &trace, &units](const std::string& code) -> std::unique_ptr<FaultEngine> {
    return std::make_unique<GoldenEngine>(config, trace, code, units);
  };
}

}  // namespace axelram::faults
