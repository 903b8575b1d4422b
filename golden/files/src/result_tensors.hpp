#pragma once

#include "axelram/files/result.hpp"

namespace axelram::files {

/// Calls f(name, type, shape, vector) for each tensor in the order of the file. R is Result or
/// const Result.
template <class R, class F>
void for_each_tensor(R& r, F&& f) {
  const std::uint64_t t = r.tokens;
  const std::uint64_t q = r.queries;
  const auto d = static_cast<std::uint64_t>(r.head_dim);
  const std::uint64_t values = std::uint64_t{1} << r.index_bits;  // of an index
  f("indices", DataType::u8, Shape{t, d}, r.indices);
  if (r.trellis) f("levels", DataType::u8, Shape{t, d}, r.levels);
  f("norms", DataType::f16, Shape{t}, r.norms);
  if (r.unbiased) f("correlations", DataType::i64, Shape{t}, r.correlations);
  if (r.trellis) {
    f("path_costs", DataType::u32, Shape{t}, r.path_costs);
    f("reconstructions", DataType::i32, Shape{t, 2 * values}, r.reconstructions);
  } else {
    f("thresholds", DataType::i32, Shape{t, values - 1}, r.thresholds);
  }
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
  f("accumulators", DataType::i64, Shape{q, t}, r.accumulators);
  f("scores", DataType::f32, Shape{q, t}, r.scores);
}

/// Metadata of a result.
Metadata metadata_of(const Result& result);

}  // namespace axelram::files
