#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "../src/rows.hpp"
#include "attention_run.hpp"
#include "axelram/exact.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/kernels/codes.hpp"
#include "axelram/kernels/constants.hpp"
#include "axelram/kernels/queries.hpp"
#include "axelram/kernels/scores.hpp"
#include "axelram/kernels/write.hpp"
#include "axelram/run/result.hpp"
#include "cuda.hpp"
#include "device_rotation.hpp"
#include "on_device.hpp"

namespace axelram::engines {
namespace {

using namespace kernels;

template <class T>
std::span<const T> rows_of(const std::vector<T>& all, std::size_t first, std::size_t rows,
                           std::size_t width) {
  return std::span<const T>(all).subspan(first * width, rows * width);
}

/// A tensor of the result, of rows of `width` values, and device memory for some of the rows.
template <class T>
class Tensor {
 public:
  Tensor(std::vector<T>* all, std::size_t rows, std::size_t width, std::size_t at_once)
      : all_(all), width_(width), rows_(at_once * width) {
    all_->resize(rows * width);
  }

  T* data() const { return rows_.data(); }
  /// Rows [first, first + rows) of the tensor, from the beginning of the device memory.
  void take(Stream& stream, std::size_t first, std::size_t rows) const {
    if (rows * width_ == 0) return;
    copy_to_host(stream, all_->data() + first * width_, data(), rows * width_ * sizeof(T));
  }

 private:
  std::vector<T>* all_;
  std::size_t width_;
  Buffer<T> rows_;
};

/// One macro on the device.
class DeviceMacro {
 public:
  DeviceMacro(const files::Config& config, const files::Trace& trace, std::size_t scratch_bytes)
      : result_(run::empty_result(config)),
        trace_(trace),
        parameters_(config.parameters),
        scratch_bytes_(scratch_bytes),
        constants_(macro_constants(config.parameters, codebook_rom(config.parameters))),
        rotation_(stream_, config.head_rotation, config.parameters.head_dim),
        center_(stream_, config.center),
        events_(stream_, std::vector<WriteEvents>(1)),
        width_(static_cast<std::size_t>(config.parameters.head_dim)) {
    if (config.ecc.code != "none") code_.emplace(stream_, make_code(config.ecc.code));
    result_.tokens = trace.key_count();
    result_.queries = trace.query_count();
    outside_ = trace.record_count(config.parameters);
    records_ = Buffer<std::uint8_t>(result_.tokens * result_.record_bytes());
  }

  files::Result run() {
    write();
    take_records();
    if (result_.has_copies) copy_keys();
    query();
    return std::move(result_);
  }

 private:
  /// Rows of `bytes` each that fit into the scratch memory, at least 1. A multiple of 64 if that
  /// many fit, so that the records of a chunk begin at a multiple of 16 bytes.
  std::size_t chunk(std::size_t rows, std::size_t bytes) const {
    const std::size_t fit = scratch_bytes_ / std::max<std::size_t>(bytes, 1);
    return std::max<std::size_t>(std::min(rows, fit < 64 ? fit : fit / 64 * 64), 1);
  }

  void write() {
    files::Result& r = result_;
    const std::size_t tokens = r.tokens - outside_, vectors = r.parts();
    const std::size_t boundaries = r.boundaries.size(), levels = r.reconstruction_words.size();
    const std::size_t scaled = r.unbiased ? vectors : 0, searched = r.trellis ? vectors : 0;
    const std::size_t chosen = r.trellis ? width_ : 0, residual = r.prod ? 1 : 0;
    const std::size_t most =
        chunk(tokens, 3 * width_ + 2 * vectors + 8 * scaled + 4 * (boundaries + levels + searched) +
                          r.codeword_bytes + chosen + residual * (width_ + 6));
    const Buffer<std::uint16_t> keys(most * width_);
    const Tensor indices(&r.indices, tokens, width_, most);
    const Tensor chosen_levels(&r.levels, tokens, chosen, most);
    const Tensor norms(&r.norms, tokens, vectors, most);
    const Tensor thresholds(&r.thresholds, tokens, boundaries, most);
    const Tensor correlations(&r.correlations, tokens, scaled, most);
    const Tensor reconstructions(&r.reconstructions, tokens, levels, most);
    const Tensor path_costs(&r.path_costs, tokens, searched, most);
    const Tensor residual_signs(&r.residual_signs, tokens, residual * width_, most);
    const Tensor residual_norms(&r.residual_norms, tokens, residual, most);
    const Tensor residual_shifts(&r.residual_shifts, tokens, residual, most);
    const Tensor codewords(&r.codewords, tokens, r.codeword_bytes, most);
    const std::size_t record_bytes = r.record_bytes();
    r.records.resize(tokens * record_bytes);
    for (std::size_t first = 0; first < tokens; first += most) {
      const std::size_t rows = std::min(most, tokens - first);
      const auto elements = rows_of(trace_.keys, first, rows, width_);
      copy_to_device(stream_, keys.data(), elements.data(), elements.size_bytes());
      WrittenRows written;
      written.records = records_.data() + first * record_bytes;
      written.indices = indices.data();
      written.norms = norms.data();
      written.thresholds = thresholds.data();
      written.events = events_.data();
      written.correlations = correlations.data();
      written.reconstructions = reconstructions.data();
      written.levels = chosen_levels.data();
      written.path_costs = path_costs.data();
      written.residual_signs = residual_signs.data();
      written.residual_norms = residual_norms.data();
      written.residual_shifts = residual_shifts.data();
      write_keys(stream_, constants_, ElementRows::dense(keys.data(), rows, 1, width_),
                 rotation_.rotations(), center_.data(), written);
      copy_to_host(stream_, &r.records[first * record_bytes], written.records, rows * record_bytes);
      const auto take = [&](const auto&... tensors) { (tensors.take(stream_, first, rows), ...); };
      take(indices, chosen_levels, norms, thresholds, correlations, reconstructions, path_costs,
           residual_signs, residual_norms, residual_shifts);
      if (!code_) continue;
      encode_rows(stream_, *code_, written.records, rows, 8 * record_bytes, record_bytes,
                  codewords.data(), r.codeword_bytes);
      take(codewords);
    }
    check_rejected("key");
  }

  /// Records from outside, behind those of the keys.
  void take_records() {
    if (outside_ == 0) return;
    files::Result& r = result_;
    const std::size_t bytes = r.record_bytes(), keys = r.tokens - outside_;
    std::uint8_t* const records = records_.data() + keys * bytes;
    copy_to_device(stream_, records, trace_.records.data(), trace_.records.size());
    for (std::size_t row = 0; row < outside_; ++row)
      run::append_record(parameters_, &trace_.records[row * bytes], &r);
    r.records.insert(r.records.end(), trace_.records.begin(), trace_.records.end());
    if (!code_) return;
    std::vector<std::uint8_t> behind;
    const Tensor codewords(&behind, outside_, r.codeword_bytes, outside_);
    // Rows of an encoder begin at a multiple of 16 bytes.
    const Buffer<std::uint8_t> aligned(stream_, trace_.records);
    encode_rows(stream_, *code_, aligned.data(), outside_, 8 * bytes, bytes, codewords.data(),
                r.codeword_bytes);
    codewords.take(stream_, 0, outside_);
    r.codewords.insert(r.codewords.end(), behind.begin(), behind.end());
  }

  /// The copies that a macro holds after the last key: these keys are written once more, as copies
  /// alone.
  void copy_keys() {
    files::Result& r = result_;
    std::vector<std::int32_t> tokens;
    std::vector<std::uint16_t> elements;
    for (std::size_t t = 0; t < r.tokens; ++t) {
      const bool copied = t < r.tokens - outside_ && is_exact(t, r.tokens, parameters_);
      r.exact.push_back(copied ? 1 : 0);
      if (r.exact.back() == 0) continue;
      const auto key = rows_of(trace_.keys, t, 1, width_);
      elements.insert(elements.end(), key.begin(), key.end());
      tokens.push_back(static_cast<std::int32_t>(t));
    }
    r.copies = tokens.size();
    copy_tokens_ = Buffer<std::int32_t>(stream_, tokens);
    copy_exponents_ = Buffer<std::int32_t>(r.copies);
    copies_ = Buffer<std::int16_t>(r.copies * width_);
    const Buffer<std::uint16_t> keys(stream_, elements);
    WrittenRows written;
    written.copies = copies_.data();
    written.copy_exponents = copy_exponents_.data();
    write_keys(stream_, constants_, ElementRows::dense(keys.data(), r.copies, 1, width_),
               rotation_.rotations(), center_.data(), written);
    r.exact_keys = copies_.download(stream_);
    r.exact_exponents = copy_exponents_.download(stream_);
  }

  void query() {
    files::Result& r = result_;
    const std::size_t sums = r.tokens * r.parts(), twice = r.prod ? 1 : 0;
    const std::size_t most = chunk(r.queries, (1 + twice) * (4 * width_ + 4) + 2 * width_ +
                                                  8 * (sums + twice * r.tokens) + 4 * r.tokens);
    const Buffer<std::uint16_t> queries(most * width_);
    const Tensor u(&r.rotated_queries, r.queries, width_, most);
    const Tensor exponents(&r.query_exponents, r.queries, 1, most);
    const Tensor v(&r.residual_queries, r.queries, twice * width_, most);
    const Tensor residual_exponents(&r.residual_query_exponents, r.queries, twice, most);
    const Tensor accumulators(&r.accumulators, r.queries, sums, most);
    const Tensor residual_accumulators(&r.residual_accumulators, r.queries, twice * r.tokens, most);
    const Tensor scores(&r.scores, r.queries, r.tokens, most);
    for (std::size_t first = 0; first < r.queries; first += most) {
      const std::size_t rows = std::min(most, r.queries - first);
      const auto elements = rows_of(trace_.queries, first, rows, width_);
      copy_to_device(stream_, queries.data(), elements.data(), elements.size_bytes());
      round_queries(
          stream_, constants_, ElementRows::dense(queries.data(), rows, 1, width_), 1,
          rotation_.rotations(),
          {u.data(), nullptr, exponents.data(), v.data(), nullptr, residual_exponents.data()},
          events_.data());
      if (constants_.two_parts())
        score_parts(stream_, constants_,
                    {u.data(), exponents.data(), v.data(), residual_exponents.data(), rows},
                    records_.data(), r.tokens,
                    {scores.data(), accumulators.data(), residual_accumulators.data()});
      else
        score_records(stream_, constants_, u.data(), exponents.data(), rows, records_.data(),
                      r.tokens, accumulators.data(), scores.data(), nullptr);
      if (r.has_copies)
        score_copies(stream_, constants_, u.data(), exponents.data(), rows,
                     {copies_.data(), copy_exponents_.data(), copy_tokens_.data(), r.copies},
                     r.tokens, accumulators.data(), scores.data(), nullptr);
      const auto take = [&](const auto&... tensors) { (tensors.take(stream_, first, rows), ...); };
      take(u, exponents, v, residual_exponents, accumulators, residual_accumulators, scores);
    }
    check_rejected("query");
  }

  void check_rejected(const char* what) {
    if (events_.download(stream_)[0].rejected != 0)
      throw std::runtime_error(std::string("the device rejected a ") + what +
                               " of a trace whose elements are all finite");
  }

  Stream stream_;
  files::Result result_;
  const files::Trace& trace_;
  Parameters parameters_;
  std::size_t scratch_bytes_;
  MacroConstants constants_;
  DeviceRotation rotation_;
  Buffer<std::uint16_t> center_;
  Buffer<WriteEvents> events_;
  std::size_t width_;
  std::size_t outside_ = 0;  ///< records
  std::optional<DeviceCode> code_;
  Buffer<std::uint8_t> records_;
  Buffer<std::int16_t> copies_;
  Buffer<std::int32_t> copy_exponents_, copy_tokens_;
};

}  // namespace

RunOutcome run_cuda(const files::Config& config, const files::Trace& trace,
                    std::size_t scratch_bytes) {
  return on_device([&] {
    RunOutcome outcome;
    outcome.device = device_info().name;
    outcome.seconds = seconds_of([&] {
      outcome.result = config.attention.given ? run_attention(config, trace)
                                              : DeviceMacro(config, trace, scratch_bytes).run();
    });
    return outcome;
  });
}

}  // namespace axelram::engines
