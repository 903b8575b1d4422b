#include "attention_run.hpp"

#include <memory>
#include <optional>
#include <stdexcept>

#include "axelram/kernels/attend_in_order.hpp"
#include "axelram/kernels/codes.hpp"
#include "axelram/kernels/constants.hpp"
#include "axelram/kernels/queries.hpp"
#include "axelram/kernels/scores.hpp"
#include "axelram/kernels/write.hpp"
#include "axelram/run/result.hpp"
#include "axelram/run/segment_rows.hpp"
#include "device_rotation.hpp"
#include "device_rows.hpp"
#include "segment_plan.hpp"

namespace axelram::engines {
namespace {

using namespace kernels;

/// A macro with attention on the device.
class DeviceAttention {
 public:
  DeviceAttention(const files::Config& config, const files::Trace& trace)
      : trace_(trace),
        plan_(segment_plan(config, trace)),
        rows_(files::rotation_rows(config)),
        rom_(codebook_rom(config.parameters)),
        keys_(macro_constants(config.parameters, rom_)),
        attention_(attention_constants(config.attention.parameters, rom_)),
        result_(run::empty_result(config, trace)),
        events_(stream_, std::vector<WriteEvents>(1)),
        width_(static_cast<std::size_t>(config.parameters.head_dim)) {
    if (config.ecc.code != "none") code_.emplace(stream_, make_code(config.ecc.code));
    for (const RotationRow& row : rows_)
      rotations_.push_back(
          std::make_unique<DeviceRotation>(stream_, row.rotation, config.parameters.head_dim));
    if (!result_.has_copies()) return;
    copies_.resize(trace.keys.size());
    copy_exponents_.resize(trace.key_count());
  }

  files::Result run() {
    for (std::size_t rotation = 0; rotation < rows_.size(); ++rotation) write(rotation);
    for (const PlannedGroup& group : plan_.groups) attend(group);
    if (result_.has_copies()) list_copies();
    if (trace_.commands) result_.refused = plan_.refused;
    if (events_.download(stream_)[0].rejected != 0)
      throw std::runtime_error("the device rejected a row of a trace whose elements are finite");
    return std::move(result_);
  }

 private:
  void write(std::size_t rotation) {
    const Rows& rows = plan_.keys[rotation];
    if (rows.empty()) return;
    files::Result& r = result_;
    const Buffer<std::uint16_t> center(stream_, rows_[rotation].center);
    DeviceRows keys(stream_, rows.size());
    const auto of_key = [&](auto& tensor) { return keys.of(tensor, r.tokens); };
    WrittenRows written;
    written.records = of_key(r.records);
    written.indices = of_key(r.indices);
    written.norms = of_key(r.norms);
    written.levels = of_key(r.levels);
    written.thresholds = of_key(r.thresholds);
    written.reconstructions = of_key(r.reconstructions);
    written.correlations = of_key(r.correlations);
    written.path_costs = of_key(r.path_costs);
    written.copies = of_key(copies_);
    written.copy_exponents = of_key(copy_exponents_);
    write_vectors(keys_, rotation, center.data(), gather(trace_.keys, rows, width_), written,
                  of_key(r.codewords));
    keys.scatter(rows);

    DeviceRows values(stream_, rows.size());
    const auto of_value = [&](auto& tensor) { return values.of(tensor, r.tokens); };
    MacroConstants constants = keys_;
    constants.balanced = constants.centered = false;
    written = {};
    written.records = of_value(r.value_records);
    written.indices = of_value(r.value_indices);
    written.norms = of_value(r.value_norms);
    write_vectors(constants, rotation, nullptr, gather(*trace_.values, rows, width_), written,
                  of_value(r.value_codewords));
    values.scatter(rows);
  }

  void write_vectors(const MacroConstants& constants, std::size_t rotation,
                     const std::uint16_t* center, const std::vector<std::uint16_t>& elements,
                     WrittenRows written, std::uint8_t* codewords) {
    const std::size_t count = elements.size() / width_, bytes = result_.record_bytes();
    const Buffer<std::uint16_t> device(stream_, elements);
    written.events = events_.data();
    write_keys(stream_, constants, ElementRows::dense(device.data(), count, 1, width_),
               rotations_[rotation]->rotations(), center, written);
    if (code_)
      encode_rows(stream_, *code_, written.records, count, 8 * bytes, bytes, codewords,
                  result_.codeword_bytes);
  }

  void attend(const PlannedGroup& group) {
    files::Result& r = result_;
    const std::size_t q = group.count, t = group.tokens.size(), bytes = r.record_bytes();
    Rows queries, tokens, copied;
    std::vector<std::int32_t> places;  // of the copies among the tokens
    for (std::size_t g = 0; g < q; ++g) queries.push_back(group.first + g);
    for (const run::VisibleToken& token : group.tokens) {
      if (token.exact) {
        places.push_back(static_cast<std::int32_t>(tokens.size()));
        copied.push_back(token.row);
      }
      tokens.push_back(token.row);
    }
    const Buffer<std::uint16_t> elements(stream_, gather(trace_.queries, queries, width_));
    const Buffer<std::uint8_t> keys(stream_, gather(r.records, tokens, bytes)),
        values(stream_, gather(r.value_records, tokens, bytes));
    DeviceRows answers(stream_, q);
    const auto column = [&](auto& tensor) { return answers.of(tensor, r.queries); };
    std::int32_t* const u = column(r.rotated_queries);
    std::int32_t* const exponents = column(r.query_exponents);
    const Buffer<std::int64_t> accumulators(q * t);
    const Buffer<float> scores(q * t);
    const DeviceRotation& rotation = *rotations_[group.rotation];
    round_queries(stream_, keys_, ElementRows::dense(elements.data(), q, 1, width_), 1,
                  rotation.rotations(), {u, nullptr, exponents, nullptr, nullptr, nullptr},
                  events_.data());
    score_records(stream_, keys_, u, exponents, q, keys.data(), t, accumulators.data(),
                  scores.data(), nullptr);
    if (!copied.empty()) {
      const Buffer<std::int16_t> copies(stream_, gather(copies_, copied, width_));
      const Buffer<std::int32_t> copy_exponents(stream_, gather(copy_exponents_, copied, 1)),
          numbers(stream_, places);
      score_copies(stream_, keys_, u, exponents, q,
                   {copies.data(), copy_exponents.data(), numbers.data(), places.size()}, t,
                   accumulators.data(), scores.data(), nullptr);
    }
    take_tokens(accumulators, group, tokens, &r.accumulators);
    take_tokens(scores, group, tokens, &r.scores);

    const Buffer<std::int32_t> logits(q * t), references(q * t);
    const Buffer<std::uint32_t> weights(q * t), outputs(q * width_);
    AttendedInOrder out;
    out.logits = logits.data();
    out.weights = weights.data();
    out.weight_references = references.data();
    out.outputs = outputs.data();
    out.maxima = column(r.maxima);
    out.denominators = column(r.denominators);
    out.sums = column(r.sums);
    out.output_shifts = column(r.output_shifts);
    out.rotated = column(r.rotated_outputs);
    out.reciprocals = column(r.reciprocals);
    attend_in_order(stream_, keys_, attention_, rotation.rotations().signs, scores.data(), q,
                    values.data(), t, out);
    take_tokens(logits, group, tokens, &r.logits);
    take_tokens(weights, group, tokens, &r.weights);
    take_tokens(references, group, tokens, &r.weight_references);
    answers.scatter(queries);
    const std::vector<std::uint32_t> bits = outputs.download(stream_);
    for (std::size_t i = 0; i < bits.size(); ++i) r.set_output(group.first * width_ + i, bits[i]);
  }

  /// A column for each visible token becomes the column of its key.
  template <class T, class U>
  void take_tokens(const Buffer<T>& from, const PlannedGroup& group, const Rows& tokens,
                   std::vector<U>* to) {
    const std::vector<T> values = from.download(stream_);
    for (std::size_t g = 0; g < group.count; ++g)
      for (std::size_t i = 0; i < tokens.size(); ++i)
        (*to)[(group.first + g) * result_.tokens + tokens[i]] =
            static_cast<U>(values[g * tokens.size() + i]);
  }

  void list_copies() {
    files::Result& r = result_;
    Rows copied;
    for (const run::VisibleToken& token : plan_.left)
      if (token.exact) copied.push_back(token.row);
    for (const std::size_t row : copied) r.exact[row] = 1;
    r.copies = copied.size();
    r.exact_keys = gather(copies_, copied, width_);
    r.exact_exponents = gather(copy_exponents_, copied, 1);
  }

  const files::Trace& trace_;
  SegmentPlan plan_;
  std::vector<RotationRow> rows_;
  Stream stream_;
  CodebookRom rom_;
  MacroConstants keys_;
  AttentionConstants attention_;
  files::Result result_;
  Buffer<WriteEvents> events_;
  std::size_t width_;
  std::optional<DeviceCode> code_;
  std::vector<std::unique_ptr<DeviceRotation>> rotations_;
  std::vector<std::int16_t> copies_;  ///< of all stored keys, by row
  std::vector<std::int32_t> copy_exponents_;
};

}  // namespace

files::Result run_attention(const files::Config& config, const files::Trace& trace) {
  return DeviceAttention(config, trace).run();
}

}  // namespace axelram::engines
