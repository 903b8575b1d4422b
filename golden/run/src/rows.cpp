#include "rows.hpp"

namespace axelram::run {
namespace {

void append_vector(const VectorResult& vector, files::Result* result) {
  append(&result->indices, vector.indices);
  result->norms.push_back(vector.norm);
  if (result->unbiased) result->correlations.push_back(vector.correlation);
  append(&result->thresholds, vector.thresholds);
  append(&result->levels, vector.levels);
  if (result->trellis) result->path_costs.push_back(vector.path_cost);
  append(&result->reconstructions, vector.reconstructions);
}

}  // namespace

void append_key(const KeyResult& key, files::Result* result) {
  append_vector(key, result);
  if (result->split()) append_vector(key.second, result);
  if (result->prod) {
    append(&result->residual_signs, key.residual.signs);
    result->residual_norms.push_back(key.residual.norm);
    result->residual_shifts.push_back(key.residual.shift);
  }
  append(&result->records, key.record);
  append(&result->codewords, key.codeword);
}

void append_no_key(files::Result* result) {
  const auto d = static_cast<std::size_t>(result->head_dim);
  const std::size_t parts = result->parts();
  append_zeros(&result->indices, d);
  append_zeros(&result->norms, parts);
  if (result->unbiased) append_zeros(&result->correlations, parts);
  if (result->trellis) {
    append_zeros(&result->levels, d);
    append_zeros(&result->path_costs, parts);
    append_zeros(&result->reconstructions, result->level_count());
  } else {
    append_zeros(&result->thresholds, result->boundary_count());
  }
  append_zeros(&result->records, result->record_bytes());
  append_zeros(&result->codewords, result->codeword_bytes);
}

void append_copy(const KeyCopy* copy, files::Result* result) {
  result->exact.push_back(copy != nullptr ? 1 : 0);
  if (copy == nullptr) return;
  append(&result->exact_keys, copy->elements);
  result->exact_exponents.push_back(copy->exponent);
  ++result->copies;
}

void append_rotated_query(const QueryResult& query, files::Result* result) {
  append(&result->rotated_queries, query.u);
  result->query_exponents.push_back(query.exponent);
  if (!result->prod) return;
  append(&result->residual_queries, query.v);
  result->residual_query_exponents.push_back(query.residual_exponent);
}

}  // namespace axelram::run
