#include "result_rows.hpp"

#include <cstdint>

#include "axelram/sim/engine.hpp"

namespace axelram::engines {
namespace {

constexpr std::int32_t kNone = -32768;  // a reference without a token or a weight

}  // namespace

files::Result sized_result(const files::Config& config, const files::Trace& trace) {
  files::Result r = sim::empty_result(config);
  const auto width = static_cast<std::size_t>(r.head_dim);
  const std::size_t t = r.tokens = trace.key_count(), q = r.queries = trace.query_count();
  const std::size_t seen = q * t;
  r.indices.resize(t * width);
  r.norms.resize(t);
  if (r.unbiased) r.correlations.resize(t);
  if (r.trellis) {
    r.levels.resize(t * width);
    r.path_costs.resize(t);
    r.reconstructions.resize(t * r.level_count());
  } else {
    r.thresholds.resize(t * r.boundary_count());
  }
  r.records.resize(t * r.record_bytes());
  r.codewords.resize(t * r.codeword_bytes);
  r.rotated_queries.resize(q * width);
  r.query_exponents.resize(q);
  r.accumulators.resize(seen);
  r.scores.resize(seen);
  files::AttentionTensors& a = *r.attention;
  a.value_indices.resize(t * width);
  a.value_norms.resize(t);
  a.value_records.resize(t * r.record_bytes());
  a.value_codewords.resize(t * r.codeword_bytes);
  a.logits.resize(seen);
  a.weights.resize(seen);
  a.weight_references.assign(seen, kNone);
  a.maxima.assign(q, kNone);
  a.denominators.resize(q);
  a.sums.resize(q * width);
  a.output_shifts.resize(q);
  a.rotated_outputs.resize(q * width);
  a.reciprocals.resize(q);
  if (a.output == OutputFormat::fp16)
    a.half_outputs.resize(q * width);
  else
    a.float_outputs.resize(q * width);
  return r;
}

}  // namespace axelram::engines
