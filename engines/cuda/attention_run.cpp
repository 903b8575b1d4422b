#include "attention_run.hpp"

#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>

#include "axelram/kernels/attend_in_order.hpp"
#include "axelram/kernels/codes.hpp"
#include "axelram/kernels/constants.hpp"
#include "axelram/kernels/queries.hpp"
#include "axelram/kernels/scores.hpp"
#include "axelram/kernels/write.hpp"
#include "axelram/run/segment_rows.hpp"
#include "device_rotation.hpp"
#include "result_rows.hpp"
#include "segment_plan.hpp"

namespace axelram::engines {
namespace {

using namespace kernels;
/// Columns of the result that keys, or values, of one rotation write.
struct Written {
  std::vector<std::uint8_t>* records;
  std::vector<std::uint8_t>* indices;
  std::vector<std::uint16_t>* norms;
  std::vector<std::uint8_t>* codewords;
  files::Result* of_keys;  ///< null for values
};

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
        result_(sized_result(config, trace)),
        events_(stream_, std::vector<WriteEvents>(1)),
        width_(static_cast<std::size_t>(config.parameters.head_dim)) {
    if (config.ecc.code != "none") code_.emplace(stream_, make_code(config.ecc.code));
    for (const RotationRow& row : rows_)
      rotations_.push_back(
          std::make_unique<DeviceRotation>(stream_, row.rotation, config.parameters.head_dim));
    if (!result_.has_copies) return;
    copies_.resize(trace.keys.size());
    copy_exponents_.resize(trace.key_count());
  }

  files::Result run() {
    for (std::size_t rotation = 0; rotation < rows_.size(); ++rotation) write(rotation);
    for (const PlannedGroup& group : plan_.groups) attend(group);
    if (result_.has_copies) list_copies();
    if (trace_.commands) {
      result_.command_count = plan_.refused.size();
      result_.attention->refused = plan_.refused;
    }
    if (events_.download(stream_)[0].rejected != 0)
      throw std::runtime_error("the device rejected a row of a trace whose elements are finite");
    return std::move(result_);
  }

 private:
  void write(std::size_t rotation) {
    const Rows& rows = plan_.keys[rotation];
    if (rows.empty()) return;
    files::Result& r = result_;
    files::AttentionTensors& a = *r.attention;
    MacroConstants values = keys_;
    values.centered = false;
    const Buffer<std::uint16_t> center(stream_, rows_[rotation].center);
    write_vectors(keys_, rotation, center.data(), gather(trace_.keys, rows, width_), rows,
                  {&r.records, &r.indices, &r.norms, &r.codewords, &r});
    write_vectors(
        values, rotation, nullptr, gather(*trace_.values, rows, width_), rows,
        {&a.value_records, &a.value_indices, &a.value_norms, &a.value_codewords, nullptr});
  }

  void write_vectors(const MacroConstants& constants, std::size_t rotation,
                     const std::uint16_t* center, const std::vector<std::uint16_t>& elements,
                     const Rows& rows, const Written& to) {
    const files::Result& r = result_;
    const std::size_t count = rows.size(), bytes = r.record_bytes();
    const bool key = to.of_keys != nullptr, copied = key && r.has_copies;
    const Buffer<std::uint16_t> device(stream_, elements), norms(count);
    const Buffer<std::uint8_t> records(count * bytes), indices(count * width_),
        levels(key && r.trellis ? count * width_ : 0), codewords(count * r.codeword_bytes);
    const Buffer<std::int32_t> thresholds(key && !r.trellis ? count * r.boundary_count() : 0),
        reconstructions(key && r.trellis ? count * r.level_count() : 0),
        copy_exponents(copied ? count : 0);
    const Buffer<std::int64_t> correlations(key && r.unbiased ? count : 0);
    const Buffer<std::uint32_t> path_costs(key && r.trellis ? count : 0);
    const Buffer<std::int16_t> copies(copied ? count * width_ : 0);
    WrittenRows written;
    written.records = records.data();
    written.indices = indices.data();
    written.norms = norms.data();
    written.events = events_.data();
    written.levels = levels.data();
    written.thresholds = thresholds.data();
    written.reconstructions = reconstructions.data();
    written.correlations = correlations.data();
    written.path_costs = path_costs.data();
    written.copies = copies.data();
    written.copy_exponents = copy_exponents.data();
    write_keys(stream_, constants, ElementRows::dense(device.data(), count, 1, width_),
               rotations_[rotation]->rotations(), center, written);
    scatter(records.download(stream_), rows, bytes, to.records);
    scatter(indices.download(stream_), rows, width_, to.indices);
    scatter(norms.download(stream_), rows, 1, to.norms);
    if (code_) {
      encode_rows(stream_, *code_, records.data(), count, 8 * bytes, bytes, codewords.data(),
                  r.codeword_bytes);
      scatter(codewords.download(stream_), rows, r.codeword_bytes, to.codewords);
    }
    if (!key) return;
    files::Result& k = *to.of_keys;
    const auto take = [&](const auto& buffer, std::size_t width, auto* tensor) {
      if (buffer.size() != 0) scatter(buffer.download(stream_), rows, width, tensor);
    };
    take(levels, width_, &k.levels);
    take(thresholds, r.boundary_count(), &k.thresholds);
    take(reconstructions, r.level_count(), &k.reconstructions);
    take(correlations, 1, &k.correlations);
    take(path_costs, 1, &k.path_costs);
    take(copies, width_, &copies_);
    take(copy_exponents, 1, &copy_exponents_);
  }

  void attend(const PlannedGroup& group) {
    files::Result& r = result_;
    files::AttentionTensors& a = *r.attention;
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
        values(stream_, gather(a.value_records, tokens, bytes));
    const Buffer<std::int32_t> u(q * width_), exponents(q);
    const Buffer<std::int64_t> accumulators(q * t);
    const Buffer<float> scores(q * t);
    const DeviceRotation& rotation = *rotations_[group.rotation];
    round_queries(stream_, keys_, ElementRows::dense(elements.data(), q, 1, width_), 1,
                  rotation.rotations(),
                  {u.data(), nullptr, exponents.data(), nullptr, nullptr, nullptr}, events_.data());
    score_records(stream_, keys_, u.data(), exponents.data(), q, keys.data(), t,
                  accumulators.data(), scores.data(), nullptr);
    if (!copied.empty()) {
      const Buffer<std::int16_t> copies(stream_, gather(copies_, copied, width_));
      const Buffer<std::int32_t> copy_exponents(stream_, gather(copy_exponents_, copied, 1)),
          numbers(stream_, places);
      score_copies(stream_, keys_, u.data(), exponents.data(), q,
                   {copies.data(), copy_exponents.data(), numbers.data(), places.size()}, t,
                   accumulators.data(), scores.data(), nullptr);
    }
    scatter(u.download(stream_), queries, width_, &r.rotated_queries);
    scatter(exponents.download(stream_), queries, 1, &r.query_exponents);
    take_tokens(accumulators, group, tokens, &r.accumulators);
    take_tokens(scores, group, tokens, &r.scores);

    const Buffer<std::int32_t> logits(q * t), references(q * t), maxima(q), shifts(q),
        rotated(q * width_);
    const Buffer<std::uint32_t> weights(q * t), reciprocals(q), outputs(q * width_);
    const Buffer<std::uint64_t> denominators(q);
    const Buffer<std::int64_t> sums(q * width_);
    AttendedInOrder out;
    out.logits = logits.data();
    out.weights = weights.data();
    out.weight_references = references.data();
    out.maxima = maxima.data();
    out.denominators = denominators.data();
    out.sums = sums.data();
    out.output_shifts = shifts.data();
    out.rotated = rotated.data();
    out.reciprocals = reciprocals.data();
    out.outputs = outputs.data();
    attend_in_order(stream_, keys_, attention_, rotation.rotations().signs, scores.data(), q,
                    values.data(), t, out);
    take_tokens(logits, group, tokens, &a.logits);
    take_tokens(weights, group, tokens, &a.weights);
    take_tokens(references, group, tokens, &a.weight_references);
    scatter(maxima.download(stream_), queries, 1, &a.maxima);
    scatter(denominators.download(stream_), queries, 1, &a.denominators);
    scatter(sums.download(stream_), queries, width_, &a.sums);
    scatter(shifts.download(stream_), queries, 1, &a.output_shifts);
    scatter(rotated.download(stream_), queries, width_, &a.rotated_outputs);
    scatter(reciprocals.download(stream_), queries, 1, &a.reciprocals);
    take_outputs(outputs.download(stream_), group.first);
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

  void take_outputs(const std::vector<std::uint32_t>& bits, std::size_t first) {
    files::AttentionTensors& a = *result_.attention;
    for (std::size_t i = 0; i < bits.size(); ++i) {
      const std::size_t at = first * width_ + i;
      if (a.output == OutputFormat::fp16)
        a.half_outputs[at] = static_cast<std::uint16_t>(bits[i]);
      else
        std::memcpy(&a.float_outputs[at], &bits[i], sizeof bits[i]);
    }
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
