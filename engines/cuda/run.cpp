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
#include "device_rows.hpp"
#include "on_device.hpp"

namespace axelram::engines {
namespace {

using namespace kernels;

template <class T>
std::span<const T> rows_of(const std::vector<T>& all, std::size_t first, std::size_t rows,
                           std::size_t width) {
  return std::span<const T>(all).subspan(first * width, rows * width);
}

/// One macro on the device.
class DeviceMacro {
 public:
  DeviceMacro(const files::Config& config, const files::Trace& trace, std::size_t scratch_bytes)
      : result_(run::empty_result(config, trace)),
        trace_(trace),
        parameters_(config.parameters),
        scratch_bytes_(scratch_bytes),
        constants_(macro_constants(config.parameters, codebook_rom(config.parameters))),
        rotation_(stream_, config.head_rotation, config.parameters.head_dim),
        center_(stream_, config.center),
        events_(stream_, std::vector<WriteEvents>(1)),
        width_(static_cast<std::size_t>(config.parameters.head_dim)) {
    if (config.ecc.code != "none") code_.emplace(stream_, make_code(config.ecc.code));
    outside_ = trace.record_count(config.parameters);
    records_ = Buffer<std::uint8_t>(result_.tokens * result_.record_bytes());
  }

  files::Result run() {
    write();
    take_records();
    if (result_.has_copies()) copy_keys();
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
    const std::size_t keys_written = r.tokens - outside_, record_bytes = r.record_bytes();
    const std::size_t most =
        chunk(keys_written, row_bytes(r, files::result_axis::tokens) + 2 * width_);
    const Buffer<std::uint16_t> keys(most * width_);
    DeviceRows rows_of_keys(stream_, most);
    const auto column = [&](auto& tensor) { return rows_of_keys.of(tensor, r.tokens); };
    WrittenRows written;
    written.events = events_.data();
    written.indices = column(r.indices);
    written.levels = column(r.levels);
    written.norms = column(r.norms);
    written.thresholds = column(r.thresholds);
    written.reconstructions = column(r.reconstructions);
    written.correlations = column(r.correlations);
    written.path_costs = column(r.path_costs);
    written.residual_signs = column(r.residual_signs);
    written.residual_norms = column(r.residual_norms);
    written.residual_shifts = column(r.residual_shifts);
    std::uint8_t* const codewords = column(r.codewords);
    for (std::size_t first = 0; first < keys_written; first += most) {
      const std::size_t rows = std::min(most, keys_written - first);
      const auto elements = rows_of(trace_.keys, first, rows, width_);
      copy_to_device(stream_, keys.data(), elements.data(), elements.size_bytes());
      written.records = records_.data() + first * record_bytes;
      write_keys(stream_, constants_, ElementRows::dense(keys.data(), rows, 1, width_),
                 rotation_.rotations(), center_.data(), written);
      copy_to_host(stream_, &r.records[first * record_bytes], written.records, rows * record_bytes);
      if (code_)
        encode_rows(stream_, *code_, written.records, rows, 8 * record_bytes, record_bytes,
                    codewords, r.codeword_bytes);
      rows_of_keys.take(first, rows);
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
    std::copy(trace_.records.begin(), trace_.records.end(), &r.records[keys * bytes]);
    for (std::size_t row = 0; row < outside_; ++row)
      run::fill_record(&trace_.records[row * bytes], keys + row, &r);
    if (!code_) return;
    DeviceRows rows(stream_, outside_);
    std::uint8_t* const codewords = rows.of(r.codewords, r.tokens);
    // Rows of an encoder begin at a multiple of 16 bytes.
    const Buffer<std::uint8_t> aligned(stream_, trace_.records);
    encode_rows(stream_, *code_, aligned.data(), outside_, 8 * bytes, bytes, codewords,
                r.codeword_bytes);
    rows.take(keys, outside_);
  }

  /// The copies that a macro holds after the last key: these keys are written once more, as copies
  /// alone.
  void copy_keys() {
    files::Result& r = result_;
    std::vector<std::int32_t> tokens;
    std::vector<std::uint16_t> elements;
    for (std::size_t t = 0; t < r.tokens; ++t) {
      const bool copied = t < r.tokens - outside_ && is_exact(t, r.tokens, parameters_);
      if (!copied) continue;
      r.exact[t] = 1;
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
    const std::size_t most =
        chunk(r.queries, row_bytes(r, files::result_axis::queries) + 2 * width_);
    const Buffer<std::uint16_t> queries(most * width_);
    DeviceRows rows_of_queries(stream_, most);
    const auto column = [&](auto& tensor) { return rows_of_queries.of(tensor, r.queries); };
    std::int32_t* const u = column(r.rotated_queries);
    std::int32_t* const exponents = column(r.query_exponents);
    std::int32_t* const v = column(r.residual_queries);
    std::int32_t* const residual_exponents = column(r.residual_query_exponents);
    std::int64_t* const accumulators = column(r.accumulators);
    std::int64_t* const residual_accumulators = column(r.residual_accumulators);
    float* const scores = column(r.scores);
    for (std::size_t first = 0; first < r.queries; first += most) {
      const std::size_t rows = std::min(most, r.queries - first);
      const auto elements = rows_of(trace_.queries, first, rows, width_);
      copy_to_device(stream_, queries.data(), elements.data(), elements.size_bytes());
      round_queries(stream_, constants_, ElementRows::dense(queries.data(), rows, 1, width_), 1,
                    rotation_.rotations(), {u, nullptr, exponents, v, nullptr, residual_exponents},
                    events_.data());
      if (constants_.two_parts())
        score_parts(stream_, constants_, {u, exponents, v, residual_exponents, rows},
                    records_.data(), r.tokens, {scores, accumulators, residual_accumulators});
      else
        score_records(stream_, constants_, u, exponents, rows, records_.data(), r.tokens,
                      accumulators, scores, nullptr);
      if (r.has_copies())
        score_copies(stream_, constants_, u, exponents, rows,
                     {copies_.data(), copy_exponents_.data(), copy_tokens_.data(), r.copies},
                     r.tokens, accumulators, scores, nullptr);
      rows_of_queries.take(first, rows);
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
