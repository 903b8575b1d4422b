#include "rows.hpp"

namespace axelram::run {

using files::row_of;

void fill_key(const KeyResult& key, std::size_t token, files::Result* result) {
  files::Result& r = *result;
  const auto row = [&](auto& tensor) { return row_of(tensor, token, r.tokens); };
  const VectorResult& second = key.second;  // empty without a split
  fill(row(r.indices), key.indices, second.indices);
  fill(row(r.levels), key.levels, second.levels);
  fill(row(r.residual_signs), key.residual.signs);
  fill(row(r.norms), {key.norm, second.norm});
  fill(row(r.residual_norms), {key.residual.norm});
  fill(row(r.residual_shifts), {key.residual.shift});
  fill(row(r.correlations), {key.correlation, second.correlation});
  fill(row(r.path_costs), {key.path_cost, second.path_cost});
  fill(row(r.thresholds), key.thresholds, second.thresholds);
  fill(row(r.reconstructions), key.reconstructions, second.reconstructions);
  fill(row(r.records), key.record);
  fill(row(r.codewords), key.codeword);
}

void append_copy(const KeyCopy& copy, std::size_t token, files::Result* result) {
  result->exact[token] = 1;
  result->exact_keys.insert(result->exact_keys.end(), copy.elements.begin(), copy.elements.end());
  result->exact_exponents.push_back(copy.exponent);
  ++result->copies;
}

void fill_rotated_query(const QueryResult& query, std::size_t number, files::Result* result) {
  files::Result& r = *result;
  const auto row = [&](auto& tensor) { return row_of(tensor, number, r.queries); };
  fill(row(r.rotated_queries), query.u);
  fill(row(r.query_exponents), {query.exponent});
  fill(row(r.residual_queries), query.v);
  fill(row(r.residual_query_exponents), {query.residual_exponent});
}

}  // namespace axelram::run
