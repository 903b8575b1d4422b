#include "axelram/run/result.hpp"

#include "axelram/attention_output.hpp"
#include "axelram/codebook.hpp"
#include "axelram/logit.hpp"
#include "axelram/record.hpp"
#include "rows.hpp"

namespace axelram::run {
namespace {

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

files::AttentionTensors empty_attention(const files::Config& config, const CodebookRom& rom) {
  const AttentionParameters& parameters = config.attention.parameters;
  files::AttentionTensors attention;
  attention.output = parameters.output;
  attention.softmax_scale = softmax_scale(rom.score_scale, parameters.scale);
  attention.value_scale = value_scale(rom.score_scale);
  attention.weight_bits = parameters.weight_bits;
  return attention;
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
  if (config.attention.given) result.attention = empty_attention(config, rom);
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

}  // namespace axelram::run
