#include "axelram/run/golden.hpp"

#include "axelram/macro.hpp"
#include "axelram/run/result.hpp"
#include "rows.hpp"

namespace axelram::run {
namespace {

void fill_query(const QueryResult& query, std::size_t number, files::Result* result) {
  files::Result& r = *result;
  const auto row = [&](auto& tensor) { return files::row_of(tensor, number, r.queries); };
  fill_rotated_query(query, number, result);
  fill(row(r.scores), query.scores);
  if (r.prod()) fill(row(r.residual_accumulators), query.second_acc);
  const std::span<std::int64_t> sums = row(r.accumulators);
  if (!r.split()) return fill(sums, query.acc);
  for (std::size_t t = 0; t < r.tokens; ++t) {
    sums[2 * t] = query.acc[t];
    sums[2 * t + 1] = query.second_acc[t];
  }
}

}  // namespace

files::Result golden(const files::Config& config, const files::Trace& trace,
                     const UnitTable& units) {
  Macro macro(config.parameters, config.head_rotation, config.center,
              static_cast<std::size_t>(config.max_keys), protection(config.ecc), units);
  const auto d = static_cast<std::size_t>(config.parameters.head_dim);
  files::Result result = empty_result(config, trace);
  const std::size_t outside = trace.record_count(config.parameters);
  const std::size_t keys = result.tokens - outside;
  for (std::size_t t = 0; t < keys; ++t)
    fill_key(macro.write(trace.keys.data() + t * d), t, &result);
  for (std::size_t t = keys; t < result.tokens; ++t) {
    const std::uint8_t* const record = trace.records.data() + (t - keys) * result.record_bytes();
    const KeyResult stored = macro.write_record(record);
    fill(files::row_of(result.records, t, result.tokens), stored.record);
    fill(files::row_of(result.codewords, t, result.tokens), stored.codeword);
    fill_record(record, t, &result);
  }
  for (std::size_t q = 0; q < result.queries; ++q)
    fill_query(macro.query(trace.queries.data() + q * d), q, &result);
  for (std::size_t t = 0; result.has_copies() && t < result.tokens; ++t)
    if (const KeyCopy* const copy = macro.copies().find(t)) append_copy(*copy, t, &result);
  return result;
}

}  // namespace axelram::run
