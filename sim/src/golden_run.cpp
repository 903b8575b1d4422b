#include "axelram/codebook.hpp"
#include "axelram/exact.hpp"
#include "axelram/macro.hpp"
#include "axelram/record.hpp"
#include "axelram/sim/engine.hpp"

namespace axelram::sim {
namespace {

template <typename T>
void append(std::vector<T>* to, const std::vector<T>& values) {
  to->insert(to->end(), values.begin(), values.end());
}

template <typename T>
void append_zeros(std::vector<T>* to, std::size_t count) {
  to->resize(to->size() + count);
}

/// Appends `second[i]` behind `first[i]` for each i with a split, otherwise `first` alone.
void append_pairs(const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& second,
                  bool split, std::vector<std::int64_t>* to) {
  for (std::size_t i = 0; i < first.size(); ++i) {
    to->push_back(first[i]);
    if (split) to->push_back(second[i]);
  }
}

void append_vector(const VectorResult& vector, files::Result* result) {
  append(&result->indices, vector.indices);
  result->norms.push_back(vector.norm);
  if (result->unbiased) result->correlations.push_back(vector.correlation);
  append(&result->thresholds, vector.thresholds);
  append(&result->levels, vector.levels);
  if (result->trellis) result->path_costs.push_back(vector.path_cost);
  append(&result->reconstructions, vector.reconstructions);
}

void append_key(const KeyResult& key, files::Result* result) {
  append_vector(key, result);
  if (result->split()) append_vector(key.second, result);
  if (!result->prod) return;
  append(&result->residual_signs, key.residual.signs);
  result->residual_norms.push_back(key.residual.norm);
  result->residual_shifts.push_back(key.residual.shift);
}

void append_query(const QueryResult& query, files::Result* result) {
  append(&result->rotated_queries, query.u);
  result->query_exponents.push_back(query.exponent);
  append_pairs(query.acc, query.second_acc, result->split(), &result->accumulators);
  append(&result->scores, query.scores);
  if (!result->prod) return;
  append(&result->residual_queries, query.v);
  result->residual_query_exponents.push_back(query.residual_exponent);
  append(&result->residual_accumulators, query.second_acc);
}

/// The copies after the last key, in order of tokens.
void append_copies(const ExactStore& copies, files::Result* result) {
  for (std::size_t t = 0; t < result->tokens; ++t) {
    const KeyCopy* const copy = copies.find(t);
    result->exact.push_back(copy != nullptr ? 1 : 0);
    if (copy == nullptr) continue;
    append(&result->exact_keys, copy->elements);
    result->exact_exponents.push_back(copy->exponent);
    ++result->copies;
  }
}

/// Indices and levels of one vector of a key, and 0 for what a record does not tell.
void append_stored(const Parameters& p, const std::vector<std::uint16_t>& indices,
                   files::Result* result) {
  for (const std::uint16_t index : indices)
    result->indices.push_back(static_cast<std::uint8_t>(index));
  if (result->unbiased) result->correlations.push_back(0);
  if (!p.trellis()) return;
  result->path_costs.push_back(0);
  append_zeros(&result->levels, indices.size());
  const std::size_t first = result->indices.size() - indices.size();
  trellis_level_ref(&result->indices[first], p.head_dim, p.states, &result->levels[first]);
}

}  // namespace

files::Result empty_result(const files::Config& config) {
  const Parameters& p = config.parameters;
  const CodebookRom rom = codebook_rom(p);
  files::Result result;
  result.head_dim = p.head_dim;
  result.index_bits = p.index_bits;
  result.trellis = p.trellis();
  result.prod = p.prod();
  result.split_high = p.split_high;
  result.split_low = p.split_low;
  result.unbiased = p.scale == ScaleKind::unbiased;
  result.has_copies = p.copies() != 0;
  result.score_scale = rom.score_scale;
  result.kappa = rom.kappa;
  result.residual_scale = rom.residual_scale;
  result.centroids = rom.centroids;
  result.boundaries = rom.boundaries;
  result.reconstruction_words = rom.reconstructions;
  if (rom.second) {
    result.second_kappa = rom.second->kappa;
    append(&result.centroids, rom.second->centroids);
    append(&result.boundaries, rom.second->boundaries);
    append(&result.reconstruction_words, rom.second->reconstructions);
  }
  if (config.ecc.code != "none")
    result.codeword_bytes = make_code(config.ecc.code).codeword_bytes(result.record_bytes() * 8);
  return result;
}

void append_record(const Parameters& p, const std::uint8_t* record, files::Result* result) {
  append_zeros(&result->thresholds, result->boundaries.size());
  append_zeros(&result->reconstructions, result->reconstruction_words.size());
  int vector = 0;
  for (const RecordField& field : record_fields(p)) {
    const std::vector<std::uint16_t> values = field_values(field, record);
    switch (field.kind) {
      case RecordField::Kind::index:
        append_stored(p.split() ? p.part(vector++) : p, values, result);
        break;
      case RecordField::Kind::residual_sign:
        for (const std::uint16_t sign : values)
          result->residual_signs.push_back(static_cast<std::uint8_t>(sign));
        break;
      case RecordField::Kind::norm:
        result->norms.insert(result->norms.end(), values.begin(),
                             values.begin() + (p.prod() ? 1 : field.count));
        if (p.prod()) result->residual_norms.push_back(values[1]);
        break;
    }
  }
  if (p.prod()) result->residual_shifts.push_back(0);
}

files::Result run_golden(const files::Config& config, const files::Trace& trace,
                         const UnitTable& units) {
  Macro macro(config.parameters, config.head_rotation, config.center,
              static_cast<std::size_t>(config.max_keys), protection(config.ecc), units);
  const auto d = static_cast<std::size_t>(config.parameters.head_dim);
  files::Result result = empty_result(config);
  result.tokens = trace.key_count();
  result.queries = trace.query_count();
  const std::size_t outside = trace.record_count(config.parameters);
  for (std::size_t t = 0; t < trace.key_count() - outside; ++t) {
    const KeyResult key = macro.write(trace.keys.data() + t * d);
    append_key(key, &result);
    append(&result.records, key.record);
    append(&result.codewords, key.codeword);
  }
  for (std::size_t r = 0; r < outside; ++r) {
    const KeyResult key = macro.write_record(trace.records.data() + r * result.record_bytes());
    append_record(config.parameters, key.record.data(), &result);
    append(&result.records, key.record);
    append(&result.codewords, key.codeword);
  }
  for (std::size_t q = 0; q < trace.query_count(); ++q)
    append_query(macro.query(trace.queries.data() + q * d), &result);
  if (result.has_copies) append_copies(macro.copies(), &result);
  return result;
}

}  // namespace axelram::sim
