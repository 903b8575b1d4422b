#include "axelram/run/result.hpp"

#include "axelram/attention_output.hpp"
#include "axelram/codebook.hpp"
#include "axelram/logit.hpp"
#include "axelram/record.hpp"
#include "rows.hpp"

namespace axelram::run {
namespace {

template <class T>
void append(std::vector<T>* to, const std::vector<T>& values) {
  to->insert(to->end(), values.begin(), values.end());
}

void set_metadata(const files::Config& config, files::Result* result) {
  const CodebookRom rom = codebook_rom(config.parameters);
  result->score_scale = rom.score_scale;
  result->kappa = rom.kappa;
  result->residual_scale = rom.residual_scale;
  result->centroids = rom.centroids;
  result->boundaries = rom.boundaries;
  result->reconstruction_words = rom.reconstructions;
  if (rom.second) {
    result->second_kappa = rom.second->kappa;
    append(&result->centroids, rom.second->centroids);
    append(&result->boundaries, rom.second->boundaries);
    append(&result->reconstruction_words, rom.second->reconstructions);
  }
  if (!config.attention.given) return;
  const AttentionParameters& attention = config.attention.parameters;
  result->softmax_scale = softmax_scale(rom.score_scale, attention.scale);
  result->value_scale = value_scale(rom.score_scale);
  result->weight_bits = attention.weight_bits;
}

}  // namespace

files::Result empty_result(const files::Config& config, const files::Trace& trace) {
  files::Result result;
  result.parameters = config.parameters;
  result.tokens = trace.key_count();
  result.queries = trace.query_count();
  if (config.ecc.code != "none")
    result.codeword_bytes = make_code(config.ecc.code).codeword_bytes(result.record_bytes() * 8);
  if (config.attention.given) {
    result.output = config.attention.parameters.output;
    if (trace.commands) result.commands = trace.commands->size();
  }
  set_metadata(config, &result);
  allocate(&result);
  return result;
}

void fill_record(const std::uint8_t* record, std::size_t token, files::Result* result) {
  files::Result& r = *result;
  const Parameters& p = r.parameters;
  const auto row = [&](auto& tensor) { return files::row_of(tensor, token, r.tokens); };
  std::size_t first = 0;  // element of the vector
  int vector = 0;
  for (const RecordField& field : record_fields(p)) {
    const std::vector<std::uint16_t> values = field_values(field, record);
    switch (field.kind) {
      case RecordField::Kind::index: {
        const Parameters part = p.split() ? p.part(vector++) : p;
        const auto indices = row(r.indices).subspan(first, values.size());
        fill(indices, values);
        if (p.trellis())
          trellis_level_ref(indices.data(), part.head_dim, part.states, &row(r.levels)[first]);
        first += values.size();
        break;
      }
      case RecordField::Kind::residual_sign:
        fill(row(r.residual_signs), values);
        break;
      case RecordField::Kind::norm:
        std::copy_n(values.begin(), r.parts(), row(r.norms).begin());
        if (p.prod()) r.residual_norms[token] = values[1];
        break;
    }
  }
}

}  // namespace axelram::run
