#pragma once

#include "attention.hpp"
#include "axelram/files/result.hpp"

namespace axelram::files {

/// Calls f(name, type, shape, vector) for each tensor in the order of the file. R is Result or
/// const Result.
template <class R, class F>
void for_each_tensor(R& r, F&& f) {
  const std::uint64_t t = r.tokens;
  const std::uint64_t q = r.queries;
  const auto d = static_cast<std::uint64_t>(r.head_dim);
  // With a split an axis of 2 follows.
  const auto each = [&r](Shape shape) {
    if (r.split()) shape.push_back(2);
    return shape;
  };
  f("indices", DataType::u8, Shape{t, d}, r.indices);
  if (r.trellis) f("levels", DataType::u8, Shape{t, d}, r.levels);
  if (r.prod) f("residual_signs", DataType::u8, Shape{t, d}, r.residual_signs);
  f("norms", DataType::f16, each({t}), r.norms);
  if (r.prod) {
    f("residual_norms", DataType::f16, Shape{t}, r.residual_norms);
    f("residual_shifts", DataType::i32, Shape{t}, r.residual_shifts);
  }
  if (r.unbiased) f("correlations", DataType::i64, each({t}), r.correlations);
  if (r.trellis) f("path_costs", DataType::u32, each({t}), r.path_costs);
  if (!r.trellis) f("thresholds", DataType::i32, Shape{t, r.boundary_count()}, r.thresholds);
  if (r.trellis || r.prod)
    f("reconstructions", DataType::i32, Shape{t, r.level_count()}, r.reconstructions);
  f("records", DataType::u8, Shape{t, r.record_bytes()}, r.records);
  if (r.codeword_bytes != 0) f("codewords", DataType::u8, Shape{t, r.codeword_bytes}, r.codewords);
  if (r.has_copies) {
    const std::uint64_t c = r.copies;
    f("exact", DataType::u8, Shape{t}, r.exact);
    f("exact_keys", DataType::i16, Shape{c, d}, r.exact_keys);
    f("exact_exponents", DataType::i32, Shape{c}, r.exact_exponents);
  }
  f("rotated_queries", DataType::i32, Shape{q, d}, r.rotated_queries);
  f("query_exponents", DataType::i32, Shape{q}, r.query_exponents);
  if (r.prod) {
    f("residual_queries", DataType::i32, Shape{q, d}, r.residual_queries);
    f("residual_query_exponents", DataType::i32, Shape{q}, r.residual_query_exponents);
  }
  f("accumulators", DataType::i64, each({q, t}), r.accumulators);
  if (r.prod) f("residual_accumulators", DataType::i64, Shape{q, t}, r.residual_accumulators);
  f("scores", DataType::f32, Shape{q, t}, r.scores);
  if (r.attention) for_each_attention_tensor(r, f);
}

/// Metadata of a result.
Metadata metadata_of(const Result& result);

}  // namespace axelram::files
