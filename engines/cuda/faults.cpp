#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "axelram/exact.hpp"
#include "axelram/kernels/codes.hpp"
#include "axelram/kernels/constants.hpp"
#include "axelram/kernels/queries.hpp"
#include "axelram/kernels/scores.hpp"
#include "axelram/kernels/write.hpp"
#include "cuda.hpp"
#include "device_rotation.hpp"
#include "on_device.hpp"

namespace axelram::engines {
namespace {

using namespace kernels;
using Bytes = std::vector<std::uint8_t>;

/// One macro on the device.
class CudaFaultEngine : public faults::FaultEngine {
 public:
  CudaFaultEngine(const files::Config& config, const files::Trace& trace, const std::string& code)
      : constants_(macro_constants(config.parameters, codebook_rom(config.parameters))),
        fields_(record_fields(config.parameters)),
        keys_(trace.key_count()),
        queries_(trace.query_count()),
        width_(static_cast<std::size_t>(config.parameters.head_dim)),
        record_bytes_(static_cast<std::size_t>(config.parameters.record_bytes())),
        row_bytes_(record_bytes_),
        u_(queries_ * width_),
        exponents_(queries_),
        v_(constants_.prod ? queries_ * width_ : 0),
        residual_exponents_(constants_.prod ? queries_ : 0),
        scores_(queries_ * keys_) {
    if (code != "none") {
      code_.emplace(stream_, make_code(code));
      row_bytes_ = code_->code().codeword_bytes(record_bits());
      statuses_ = Buffer<std::uint8_t>(keys_ * status_bytes(code_->code().words(record_bits())));
    }
    decoded_ = Buffer<std::uint8_t>(keys_ * record_bytes_);
    repaired_ = Buffer<std::uint8_t>(keys_ * record_bytes_);
    rows_ = Buffer<std::uint8_t>(keys_ * row_bytes_);
    write(config, trace);
  }

  const Bytes& stored() const override { return stored_; }

  faults::FaultOutcome read(const Bytes& masks, ErasurePolicy policy) override {
    Bytes faulty = stored_;
    for (std::size_t i = 0; i < faulty.size(); ++i)
      faulty[i] = static_cast<std::uint8_t>(faulty[i] ^ masks[i]);
    rows_.upload(stream_, faulty);
    faults::FaultOutcome outcome;
    if (code_) {
      decode_rows(stream_, *code_, rows_.data(), keys_, record_bits(), row_bytes_, decoded_.data(),
                  record_bytes_, statuses_.data(), nullptr);
      repair_rows(stream_, *code_, policy, fields_, {1, keys_, 1}, decoded_.data(), record_bytes_,
                  statuses_.data(), repaired_.data());
      outcome.statuses = statuses_.download(stream_);
      outcome.decoded = decoded_.download(stream_);
      outcome.repaired = repaired_.download(stream_);
    } else {
      outcome.decoded = faulty;
      outcome.repaired = faulty;
    }
    const std::uint8_t* const records = (code_ ? repaired_ : rows_).data();
    if (constants_.two_parts())
      score_parts(stream_, constants_,
                  {u_.data(), exponents_.data(), v_.data(), residual_exponents_.data(), queries_},
                  records, keys_, {scores_.data()});
    else
      score_records(stream_, constants_, u_.data(), exponents_.data(), queries_, records, keys_,
                    nullptr, scores_.data(), nullptr);
    // Faults do not touch copies.
    if (copies_.count > 0)
      score_copies(stream_, constants_, u_.data(), exponents_.data(), queries_, copies_, keys_,
                   nullptr, scores_.data(), nullptr);
    outcome.scores = scores_.download(stream_);
    return outcome;
  }

 private:
  std::size_t record_bits() const { return 8 * record_bytes_; }

  void write(const files::Config& config, const files::Trace& trace) {
    const DeviceRotation rotation(stream_, config.head_rotation, config.parameters.head_dim);
    const Buffer<std::uint16_t> center(stream_, config.center), keys(stream_, trace.keys),
        queries(stream_, trace.queries);
    const Buffer<WriteEvents> events(stream_, std::vector<WriteEvents>(1));
    WrittenRows written;
    written.records = (code_ ? decoded_ : rows_).data();
    written.events = events.data();
    const bool exact = config.parameters.copies() != 0;
    const Buffer<std::int16_t> copies(exact ? keys_ * width_ : 0);
    const Buffer<std::int32_t> copy_exponents(exact ? keys_ : 0);
    written.copies = copies.data();
    written.copy_exponents = copy_exponents.data();
    write_keys(stream_, constants_, ElementRows::dense(keys.data(), keys_, 1, width_),
               rotation.rotations(), center.data(), written);
    if (exact) keep_copies(config.parameters, copies, copy_exponents);
    if (code_)
      encode_rows(stream_, *code_, decoded_.data(), keys_, record_bits(), record_bytes_,
                  rows_.data(), row_bytes_);
    round_queries(
        stream_, constants_, ElementRows::dense(queries.data(), queries_, 1, width_), 1,
        rotation.rotations(),
        {u_.data(), nullptr, exponents_.data(), v_.data(), nullptr, residual_exponents_.data()},
        events.data());
    stored_ = rows_.download(stream_);
    if (events.download(stream_)[0].rejected != 0)
      throw std::runtime_error(
          "the device rejected a row of a trace whose elements are all finite");
  }

  /// Keeps the copies of the tokens that are exact once all keys are written.
  void keep_copies(const Parameters& p, const Buffer<std::int16_t>& copies,
                   const Buffer<std::int32_t>& exponents) {
    const std::vector<std::int16_t> all = copies.download(stream_);
    const std::vector<std::int32_t> all_exponents = exponents.download(stream_);
    std::vector<std::int16_t> kept;
    std::vector<std::int32_t> kept_exponents, tokens;
    for (std::size_t token = 0; token < keys_; ++token) {
      if (!is_exact(token, keys_, p)) continue;
      const auto row = all.begin() + static_cast<std::ptrdiff_t>(token * width_);
      kept.insert(kept.end(), row, row + static_cast<std::ptrdiff_t>(width_));
      kept_exponents.push_back(all_exponents[token]);
      tokens.push_back(static_cast<std::int32_t>(token));
    }
    copy_elements_ = Buffer<std::int16_t>(stream_, kept);
    copy_exponents_ = Buffer<std::int32_t>(stream_, kept_exponents);
    copy_tokens_ = Buffer<std::int32_t>(stream_, tokens);
    copies_ = {copy_elements_.data(), copy_exponents_.data(), copy_tokens_.data(), tokens.size()};
  }

  Stream stream_;
  MacroConstants constants_;
  std::vector<RecordField> fields_;
  std::size_t keys_, queries_, width_, record_bytes_, row_bytes_;
  std::optional<DeviceCode> code_;
  Buffer<std::uint8_t> rows_, decoded_, repaired_, statuses_;
  Buffer<std::int32_t> u_, exponents_, v_, residual_exponents_;
  Buffer<float> scores_;
  Buffer<std::int16_t> copy_elements_;
  Buffer<std::int32_t> copy_exponents_, copy_tokens_;
  KeyCopies copies_;  ///< of exact tokens
  Bytes stored_;
};

/// Errors of the device as those of the environment.
class CheckedEngine : public faults::FaultEngine {
 public:
  CheckedEngine(const files::Config& config, const files::Trace& trace, const std::string& code)
      : engine_(on_device([&] { return std::make_unique<CudaFaultEngine>(config, trace, code); })) {
  }
  const Bytes& stored() const override { return engine_->stored(); }
  faults::FaultOutcome read(const Bytes& masks, ErasurePolicy policy) override {
    return on_device([&] { return engine_->read(masks, policy); });
  }

 private:
  std::unique_ptr<faults::FaultEngine> engine_;
};

}  // namespace

faults::EngineFactory cuda_faults(const FaultsRequest& request) {
  on_device([] { return device_info(); });
  return [&config = request.config,
          &trace = request.trace](const std::string& code) -> std::unique_ptr<faults::FaultEngine> {
    return std::make_unique<CheckedEngine>(config, trace, code);
  };
}

}  // namespace axelram::engines
