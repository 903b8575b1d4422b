#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "axelram/kernels/feedback.hpp"
#include "axelram/kernels/write.hpp"
#include "report_line.hpp"

namespace bench {

using namespace axelram::kernels;

namespace {

/// Keys of a prompt, and buffers for their records.
class Prompt {
 public:
  Prompt(Bench& bench, const Shape& shape, const MacroConstants& constants)
      : tokens_(shape.batch * shape.context),
        shape_(shape),
        constants_(constants),
        keys_(many_elements(bench.stream, rows() * shape.d, 3)),
        host_signs_(random_signs(shape.heads * shape.d)),
        signs_(bench.stream, host_signs_),
        channels_(bench.stream, even_channels_first(shape)),
        balance_(bench.stream, every_exponent(shape)),
        records_(rows() * static_cast<std::size_t>(constants_.record_bytes())),
        events_(bench.stream, std::vector<WriteEvents>(1)) {}

  /// From now on keys are encoded with feedback.
  void feed_back(Stream& stream, const axelram::Parameters& parameters, bool full) {
    std::vector<std::shared_ptr<const axelram::Feedback>> heads;
    const axelram::QueryMoment moment = some_moment(shape_.d, full);
    for (std::size_t head = 0; head < shape_.heads; ++head)
      heads.push_back(
          axelram::feedback_of(moment, &host_signs_[head * shape_.d], static_cast<int>(shape_.d)));
    feedback_.emplace(stream, parameters, heads);
  }

  std::size_t rows() const { return tokens_ * shape_.heads; }
  void write(Stream& stream) const {
    WrittenRows out;
    out.records = records_.data();
    out.events = events_.data();
    const ElementRows keys = ElementRows::dense(keys_.data(), tokens_, shape_.heads, shape_.d);
    if (feedback_)
      write_keys_with_feedback(stream, constants_, feedback_->heads(), keys, rotations(), nullptr,
                               out);
    else
      write_keys(stream, constants_, keys, rotations(), nullptr, out);
  }

 private:
  KeyRotations rotations() const {
    return {signs_.data(), signs_.data(), channels_.data(), balance_.data()};
  }

  static std::vector<std::int8_t> random_signs(std::size_t count) {
    const std::vector<std::uint8_t> coins = random_bytes(count, 4);
    std::vector<std::int8_t> signs(count);
    std::transform(coins.begin(), coins.end(), signs.begin(), [](std::uint8_t coin) {
      return static_cast<std::int8_t>(coin % 2 == 0 ? 1 : -1);
    });
    return signs;
  }

  static std::vector<std::uint16_t> even_channels_first(const Shape& shape) {
    std::vector<std::uint16_t> channels;
    for (std::size_t i = 0; i < shape.heads * shape.d; ++i) {
      const std::size_t at = i % shape.d, half = shape.d / 2;
      channels.push_back(static_cast<std::uint16_t>(at < half ? 2 * at : 2 * (at - half) + 1));
    }
    return channels;
  }

  /// Queries of which one direction has 30 times the others' energy.
  static axelram::QueryMoment some_moment(std::size_t d, bool full) {
    axelram::QueryMoment moment;
    moment.alpha = 29;
    moment.direction.assign(d, 1 / std::sqrt(static_cast<float>(d)));
    if (!full) return moment;
    moment.full.resize(d * d);
    for (std::size_t i = 0; i < d * d; ++i)
      moment.full[i] = moment.alpha * moment.direction[i / d] * moment.direction[i % d] +
                       (i / d == i % d ? 1.0F : 0.0F);
    return moment;
  }

  std::size_t tokens_;
  Shape shape_;
  MacroConstants constants_;
  Buffer<std::uint16_t> keys_;
  std::vector<std::int8_t> host_signs_;
  Buffer<std::int8_t> signs_;
  Buffer<std::uint16_t> channels_;
  Buffer<std::int8_t> balance_;
  Buffer<std::uint8_t> records_;
  Buffer<WriteEvents> events_;
  std::optional<DeviceFeedback> feedback_;
};

Shape shape_of(const Bench& bench) {
  Shape shape;
  shape.batch = bench.options.small ? 1 : 16;
  shape.context = bench.options.small ? 64 : 32768;
  return shape;
}

double bytes_of(const Shape& shape, const MacroConstants& constants) {
  const auto record = static_cast<std::size_t>(constants.record_bytes());
  return static_cast<double>(shape.batch * shape.context * shape.heads * (2 * shape.d + record));
}

Timing time_write(Bench& bench, const Prompt& prompt) {
  return time_graph(bench.stream, 1, [&](std::size_t) { prompt.write(bench.stream); });
}

/// A way to choose indices, and the batch of the prompts that it is timed with: without a fast
/// kernel fewer keys tell enough.
struct Quantizer {
  const char* name;
  int states;
  enum { hardware, rank1, full } encoder;
  bool few;
  enum Records { unbiased, plain, prod, split } records = unbiased;
  bool balance = false;

  axelram::Parameters parameters(int index_bits) const {
    const axelram::Parameters all = without_balance(index_bits);
    return balance ? balanced(all) : all;
  }

 private:
  axelram::Parameters without_balance(int index_bits) const {
    if (records == plain) return {.index_bits = index_bits};
    if (records == prod) return prod_parameters(index_bits);
    if (records == split) return split_parameters(index_bits, index_bits - 1, states);
    return unbiased_parameters(index_bits, states);
  }
};
constexpr Quantizer kQuantizers[] = {
    {"write_unbiased", 0, Quantizer::hardware, false},
    {"write_balanced", 0, Quantizer::hardware, false, Quantizer::plain, true},
    {"write_unbiased_balanced", 0, Quantizer::hardware, false, Quantizer::unbiased, true},
    {"write_trellis", kStates, Quantizer::hardware, true},
    {"write_trellis_balanced", kStates, Quantizer::hardware, true, Quantizer::unbiased, true},
    {"write_feedback", 0, Quantizer::rank1, true},
    {"write_feedback_balanced", 0, Quantizer::rank1, true, Quantizer::unbiased, true},
    {"write_feedback_trellis", kStates, Quantizer::rank1, true},
    {"write_feedback_full", 0, Quantizer::full, true},
    {"write_feedback_full_trellis", kStates, Quantizer::full, true},
    {"write_prod", 0, Quantizer::hardware, true, Quantizer::prod},
    {"write_split", 0, Quantizer::hardware, true, Quantizer::split},
    {"write_split_trellis", kStates, Quantizer::hardware, true, Quantizer::split},
};

/// The same keys with each quantizer, against plain ones of `plain_us`.
void bench_quantizers(Bench& bench, const Shape& shape, int index_bits, double plain_us) {
  for (const Quantizer& quantizer : kQuantizers) {
    Shape part = shape;
    if (quantizer.few) part.batch = 1;
    const axelram::Parameters parameters = quantizer.parameters(index_bits);
    const MacroConstants constants = macro_constants(parameters, axelram::codebook_rom(parameters));
    const double bytes = bytes_of(part, constants);
    Json line = line_of(quantizer.name, part);
    line["index_bits"] = index_bits;
    if (!bench.fits(line, static_cast<std::size_t>(bytes))) continue;
    Prompt prompt(bench, part, constants);
    if (quantizer.encoder != Quantizer::hardware)
      prompt.feed_back(bench.stream, parameters, quantizer.encoder == Quantizer::full);
    const Timing timing = time_write(bench, prompt);
    add_timing(line, bench, timing, bytes);
    const double share = static_cast<double>(part.batch) / static_cast<double>(shape.batch);
    line["ns_per_key"] = rounded(1000 * timing.us / static_cast<double>(prompt.rows()));
    line["of_write"] = rounded(timing.us / (share * plain_us));
    bench.write(line);
  }
}

}  // namespace

/// It can be no faster than a copy of its bytes, nor than the issue of its instructions.
void bench_write(Bench& bench) {
  const Shape shape = shape_of(bench);
  for (const int b : {2, 3, 4}) {
    const std::size_t rows = shape.batch * shape.context * shape.heads;
    const double bytes = bytes_of(shape, paper_constants(b));
    Json line = line_of("write", shape);
    line["index_bits"] = b;
    if (!bench.fits(line, static_cast<std::size_t>(bytes))) continue;
    const Prompt prompt(bench, shape, paper_constants(b));
    const Timing timing = time_write(bench, prompt);
    add_timing(line, bench, timing, bytes);
    line["ns_per_key"] = rounded(1000 * timing.us / static_cast<double>(rows));
    const double memory_us = bytes / bench.copy_bytes_per_second * 1e6;
    line["memory_limit_us"] = rounded(memory_us);
    const double instructions = b == 3 ? bench.options.write_instructions : 0;
    line["instructions_per_key"] = line["issue_limit_us"] = line["fraction_of_limit"] = nullptr;
    if (instructions > 0) {
      const double issue_us =
          static_cast<double>(rows) * instructions / bench.instructions_per_second * 1e6;
      line["instructions_per_key"] = rounded(instructions);
      line["issue_limit_us"] = rounded(issue_us);
      line["fraction_of_limit"] = rounded(std::max(memory_us, issue_us) / timing.us);
    }
    bench.write(line);
    bench_quantizers(bench, shape, b, timing.us);
  }
}

void write_once(Bench& bench) {
  const Shape shape = shape_of(bench);
  const Prompt prompt(bench, shape, paper_constants(3));
  prompt.write(bench.stream);
  bench.stream.synchronize();
  Json line = line_of("write_once", shape);
  line["rows"] = prompt.rows();
  bench.write(line);
}

}  // namespace bench
