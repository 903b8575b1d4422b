#include <cmath>

#include "axelram/kernels/hadamard.hpp"
#include "report_line.hpp"

namespace bench {

using namespace axelram::kernels;

void bench_hadamard(Bench& bench) {
  for (const int d : {64, 128, 256}) {
    const std::size_t bytes = bench.options.small ? 1 << 16 : std::size_t{1} << 30;
    const std::size_t rows = bytes / (2 * static_cast<std::size_t>(d));
    Json line = {{"bench", "hadamard"}, {"d", d}, {"rows", rows}};
    if (!bench.fits(line, 2 * bytes)) continue;
    const Buffer<std::uint16_t> in = many_elements(bench.stream, bytes / 2, 5);
    const Buffer<std::uint16_t> out(bytes / 2);
    const auto scale = static_cast<float>(1 / std::sqrt(d));
    const Timing timing = time_graph(bench.stream, 1, [&](std::size_t) {
      hadamard_rows(bench.stream, d, in.data(), rows, scale, out.data());
    });
    add_timing(line, bench, timing, 2.0 * static_cast<double>(bytes));
    bench.write(line);
  }
}

}  // namespace bench
