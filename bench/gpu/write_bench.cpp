#include <algorithm>

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
        signs_(bench.stream, random_signs(shape.heads * shape.d)),
        records_(rows() * static_cast<std::size_t>(constants_.record_bytes())),
        events_(bench.stream, std::vector<WriteEvents>(1)) {}

  std::size_t rows() const { return tokens_ * shape_.heads; }
  void write(Stream& stream) const {
    WrittenRows out;
    out.records = records_.data();
    out.events = events_.data();
    write_keys(stream, constants_,
               ElementRows::dense(keys_.data(), tokens_, shape_.heads, shape_.d), signs_.data(),
               nullptr, out);
  }

 private:
  static std::vector<std::int8_t> random_signs(std::size_t count) {
    const std::vector<std::uint8_t> coins = random_bytes(count, 4);
    std::vector<std::int8_t> signs(count);
    std::transform(coins.begin(), coins.end(), signs.begin(), [](std::uint8_t coin) {
      return static_cast<std::int8_t>(coin % 2 == 0 ? 1 : -1);
    });
    return signs;
  }

  std::size_t tokens_;
  Shape shape_;
  MacroConstants constants_;
  Buffer<std::uint16_t> keys_;
  Buffer<std::int8_t> signs_;
  Buffer<std::uint8_t> records_;
  Buffer<WriteEvents> events_;
};

Shape shape_of(const Bench& bench) {
  Shape shape;
  shape.batch = bench.options.small ? 1 : 16;
  shape.context = bench.options.small ? 64 : 32768;
  return shape;
}

double bytes_of(const Shape& shape, int index_bits) {
  const auto record = static_cast<std::size_t>(paper_constants(index_bits).record_bytes());
  return static_cast<double>(shape.batch * shape.context * shape.heads * (2 * shape.d + record));
}

Timing time_write(Bench& bench, const Prompt& prompt) {
  return time_graph(bench.stream, 1, [&](std::size_t) { prompt.write(bench.stream); });
}

/// The same keys with unbiased norms, and through a trellis, against plain ones of `plain_us`. The
/// search of a trellis has no fast kernel, so that fewer keys tell enough.
void bench_quantizers(Bench& bench, const Shape& shape, int index_bits, double plain_us) {
  for (const int states : {0, kStates}) {
    Shape part = shape;
    if (states != 0) part.batch = 1;
    const double bytes = bytes_of(part, index_bits);
    Json line = line_of(states == 0 ? "write_unbiased" : "write_trellis", part);
    line["index_bits"] = index_bits;
    if (!bench.fits(line, static_cast<std::size_t>(bytes))) continue;
    const Prompt prompt(bench, part, unbiased_constants(index_bits, states));
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
    const double bytes = bytes_of(shape, b);
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
