#include "axelram/code.hpp"
#include "axelram/kernels/codes.hpp"
#include "axelram/kernels/faults.hpp"
#include "axelram/record.hpp"
#include "report_line.hpp"

namespace bench {

using namespace axelram::kernels;

/// Records of 3-bit keys to codewords and back, every row of a prompt.
void bench_codes(Bench& bench) {
  constexpr int kBits = 3;
  Shape shape;
  shape.batch = bench.options.small ? 1 : 16;
  shape.context = bench.options.small ? 64 : 32768;
  const std::size_t rows = shape.batch * shape.context * shape.heads;
  const auto record =
      static_cast<std::size_t>(axelram::record_bytes(static_cast<int>(shape.d), kBits));
  const Buffer<std::uint8_t> records =
      repeated(bench.stream, random_bytes(1 << 20, 12), rows * record);
  const Buffer<std::uint8_t> decoded(rows * record);

  for (const char* name : {"hamming74", "hamming84", "golay24", "hsiao_72_64"}) {
    const DeviceCode code(bench.stream, axelram::make_code(name));
    const std::size_t stored = code.code().codeword_bytes(8 * record);
    Json line = line_of("encode", shape);
    line["code"] = name;
    if (!bench.fits(line, rows * stored)) continue;
    const Buffer<std::uint8_t> codewords(rows * stored);
    const Buffer<CodeCounts> counts(bench.stream, std::vector<CodeCounts>(1));
    const double bytes = static_cast<double>(rows * (record + stored));
    const Timing encoded = time_graph(bench.stream, 1, [&](std::size_t) {
      encode_rows(bench.stream, code, records.data(), rows, 8 * record, record, codewords.data(),
                  stored);
    });
    add_timing(line, bench, encoded, bytes);
    bench.write(line);

    axelram::FaultSite site{};
    flip_bits(bench.stream, site, axelram::fault_threshold(kErrorRate), codewords.data(), rows,
              8 * stored, stored, nullptr);
    const Timing timing = time_graph(bench.stream, 1, [&](std::size_t) {
      decode_rows(bench.stream, code, codewords.data(), rows, 8 * record, stored, decoded.data(),
                  record, nullptr, counts.data());
    });
    line = line_of("decode", shape);
    line["code"] = name;
    line["bit_error_rate"] = kErrorRate;
    add_timing(line, bench, timing, bytes);
    bench.write(line);
  }
}

}  // namespace bench
