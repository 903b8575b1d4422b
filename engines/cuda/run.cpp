#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "../src/rows.hpp"
#include "axelram/exact.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/kernels/codes.hpp"
#include "axelram/kernels/constants.hpp"
#include "axelram/kernels/queries.hpp"
#include "axelram/kernels/scores.hpp"
#include "axelram/kernels/write.hpp"
#include "axelram/sim/engine.hpp"
#include "cuda.hpp"
#include "on_device.hpp"

namespace axelram::engines {
namespace {

using namespace kernels;

template <class T>
std::span<const T> rows_of(const std::vector<T>& all, std::size_t first, std::size_t rows,
                           std::size_t width) {
  return std::span<const T>(all).subspan(first * width, rows * width);
}

/// Rows [first, first + rows) of a tensor, from the beginning of a buffer.
template <class T>
void take(Stream& stream, std::vector<T>* all, std::size_t first, std::size_t rows,
          std::size_t width, const T* from) {
  if (rows * width == 0) return;
  copy_to_host(stream, all->data() + first * width, from, rows * width * sizeof(T));
}

/// One macro on the device.
class DeviceMacro {
 public:
  DeviceMacro(const files::Config& config, const files::Trace& trace, std::size_t scratch_bytes)
      : result_(sim::empty_result(config)),
        trace_(trace),
        parameters_(config.parameters),
        scratch_bytes_(scratch_bytes),
        constants_(macro_constants(config.parameters, codebook_rom(config.parameters))),
        signs_(stream_, config.head_rotation.signs),
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
    const std::size_t tokens = r.tokens - outside_, record_bytes = r.record_bytes();
    const std::size_t boundaries = r.boundaries.size();
    r.indices.resize(tokens * width_);
    r.norms.resize(tokens);
    r.thresholds.resize(tokens * boundaries);
    r.correlations.resize(r.unbiased ? tokens : 0);
    const std::size_t searched = r.trellis ? tokens : 0, levels = r.reconstruction_words.size();
    r.reconstructions.resize(searched * levels);
    r.levels.resize(searched * width_);
    r.path_costs.resize(searched);
    r.records.resize(tokens * record_bytes);
    r.codewords.resize(tokens * r.codeword_bytes);
    const std::size_t most =
        chunk(tokens, 3 * width_ + 2 + (r.unbiased ? 8 : 0) + 4 * boundaries + r.codeword_bytes +
                          (r.trellis ? width_ + 4 * levels + 4 : 0));
    const Buffer<std::uint16_t> keys(most * width_), norms(most);
    const Buffer<std::uint8_t> indices(most * width_), codewords(most * r.codeword_bytes);
    const Buffer<std::int32_t> thresholds(most * boundaries);
    const Buffer<std::int64_t> correlations(r.unbiased ? most : 0);
    const std::size_t most_searched = r.trellis ? most : 0;
    const Buffer<std::int32_t> reconstructions(most_searched * levels);
    const Buffer<std::uint8_t> chosen(most_searched * width_);
    const Buffer<std::uint32_t> path_costs(most_searched);
    for (std::size_t first = 0; first < tokens; first += most) {
      const std::size_t rows = std::min(most, tokens - first);
      std::uint8_t* const records = records_.data() + first * record_bytes;
      const auto elements = rows_of(trace_.keys, first, rows, width_);
      copy_to_device(stream_, keys.data(), elements.data(), elements.size_bytes());
      WrittenRows written{records,           indices.data(), norms.data(),
                          thresholds.data(), events_.data(), correlations.data()};
      written.reconstructions = reconstructions.data();
      written.levels = chosen.data();
      written.path_costs = path_costs.data();
      write_keys(stream_, constants_, ElementRows::dense(keys.data(), rows, 1, width_),
                 signs_.data(), center_.data(), written);
      take(stream_, &r.records, first, rows, record_bytes, records);
      take(stream_, &r.indices, first, rows, width_, indices.data());
      take(stream_, &r.norms, first, rows, 1, norms.data());
      take(stream_, &r.thresholds, first, rows, boundaries, thresholds.data());
      if (r.trellis) {
        take(stream_, &r.reconstructions, first, rows, levels, reconstructions.data());
        take(stream_, &r.levels, first, rows, width_, chosen.data());
        take(stream_, &r.path_costs, first, rows, 1, path_costs.data());
      }
      if (r.unbiased) take(stream_, &r.correlations, first, rows, 1, correlations.data());
      if (!code_) continue;
      encode_rows(stream_, *code_, records, rows, 8 * record_bytes, record_bytes, codewords.data(),
                  r.codeword_bytes);
      take(stream_, &r.codewords, first, rows, r.codeword_bytes, codewords.data());
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
      sim::append_record(parameters_, &trace_.records[row * bytes], &r);
    r.records.insert(r.records.end(), trace_.records.begin(), trace_.records.end());
    if (!code_) return;
    const Buffer<std::uint8_t> codewords(outside_ * r.codeword_bytes);
    r.codewords.resize(r.tokens * r.codeword_bytes);
    // Rows of an encoder begin at a multiple of 16 bytes.
    const Buffer<std::uint8_t> aligned(stream_, trace_.records);
    encode_rows(stream_, *code_, aligned.data(), outside_, 8 * bytes, bytes, codewords.data(),
                r.codeword_bytes);
    take(stream_, &r.codewords, keys, outside_, r.codeword_bytes, codewords.data());
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
               signs_.data(), center_.data(), written);
    r.exact_keys = copies_.download(stream_);
    r.exact_exponents = copy_exponents_.download(stream_);
  }

  void query() {
    files::Result& r = result_;
    r.rotated_queries.resize(r.queries * width_);
    r.query_exponents.resize(r.queries);
    r.accumulators.resize(r.queries * r.tokens);
    r.scores.resize(r.queries * r.tokens);
    const std::size_t most = chunk(r.queries, 6 * width_ + 4 + 12 * r.tokens);
    const Buffer<std::uint16_t> queries(most * width_);
    const Buffer<std::int32_t> u(most * width_), exponents(most);
    const Buffer<std::int64_t> accumulators(most * r.tokens);
    const Buffer<float> scores(most * r.tokens);
    for (std::size_t first = 0; first < r.queries; first += most) {
      const std::size_t rows = std::min(most, r.queries - first);
      const auto elements = rows_of(trace_.queries, first, rows, width_);
      copy_to_device(stream_, queries.data(), elements.data(), elements.size_bytes());
      round_queries(stream_, constants_, ElementRows::dense(queries.data(), rows, 1, width_), 1,
                    signs_.data(), {u.data(), nullptr, exponents.data()}, events_.data());
      score_records(stream_, constants_, u.data(), exponents.data(), rows, records_.data(),
                    r.tokens, accumulators.data(), scores.data(), nullptr);
      if (r.has_copies)
        score_copies(stream_, constants_, u.data(), exponents.data(), rows,
                     {copies_.data(), copy_exponents_.data(), copy_tokens_.data(), r.copies},
                     r.tokens, accumulators.data(), scores.data(), nullptr);
      take(stream_, &r.rotated_queries, first, rows, width_, u.data());
      take(stream_, &r.query_exponents, first, rows, 1, exponents.data());
      take(stream_, &r.accumulators, first, rows, r.tokens, accumulators.data());
      take(stream_, &r.scores, first, rows, r.tokens, scores.data());
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
  Buffer<std::int8_t> signs_;
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
    outcome.seconds =
        seconds_of([&] { outcome.result = DeviceMacro(config, trace, scratch_bytes).run(); });
    return outcome;
  });
}

}  // namespace axelram::engines
