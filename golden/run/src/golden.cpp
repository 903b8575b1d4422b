#include "axelram/run/golden.hpp"

#include "axelram/macro.hpp"
#include "axelram/run/result.hpp"
#include "rows.hpp"

namespace axelram::run {
namespace {

/// Appends `second[i]` behind `first[i]` for each i with a split, otherwise `first` alone.
void append_pairs(const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& second,
                  bool split, std::vector<std::int64_t>* to) {
  for (std::size_t i = 0; i < first.size(); ++i) {
    to->push_back(first[i]);
    if (split) to->push_back(second[i]);
  }
}

void append_query(const QueryResult& query, files::Result* result) {
  append_rotated_query(query, result);
  append_pairs(query.acc, query.second_acc, result->split(), &result->accumulators);
  append(&result->scores, query.scores);
  if (result->prod) append(&result->residual_accumulators, query.second_acc);
}

}  // namespace

files::Result golden(const files::Config& config, const files::Trace& trace,
                     const UnitTable& units) {
  Macro macro(config.parameters, config.head_rotation, config.center,
              static_cast<std::size_t>(config.max_keys), protection(config.ecc), units);
  const auto d = static_cast<std::size_t>(config.parameters.head_dim);
  files::Result result = empty_result(config);
  result.tokens = trace.key_count();
  result.queries = trace.query_count();
  const std::size_t outside = trace.record_count(config.parameters);
  for (std::size_t t = 0; t < trace.key_count() - outside; ++t)
    append_key(macro.write(trace.keys.data() + t * d), &result);
  for (std::size_t r = 0; r < outside; ++r) {
    const KeyResult key = macro.write_record(trace.records.data() + r * result.record_bytes());
    append_record(config.parameters, key.record.data(), &result);
    append(&result.records, key.record);
    append(&result.codewords, key.codeword);
  }
  for (std::size_t q = 0; q < trace.query_count(); ++q)
    append_query(macro.query(trace.queries.data() + q * d), &result);
  for (std::size_t t = 0; result.has_copies && t < result.tokens; ++t)
    append_copy(macro.copies().find(t), &result);
  return result;
}

}  // namespace axelram::run
