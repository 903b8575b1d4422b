#include <algorithm>
#include <vector>

#include "limits.hpp"
#include "report_line.hpp"

namespace bench {

using axelram::kernels::Buffer;

namespace {

/// A copy reads and writes its bytes.
double copy(Bench& bench, const std::string& name, std::size_t bytes, bool by_kernel) {
  const Buffer<std::uint8_t> from =
      repeated(bench.stream, random_bytes(std::min<std::size_t>(bytes, 1 << 20), 1), bytes);
  const Buffer<std::uint8_t> to(bytes);
  const Timing timing = time_graph(bench.stream, 1, [&](std::size_t) {
    if (by_kernel)
      copy_by_kernel(bench.stream, from.data(), to.data(), bytes);
    else
      copy_on_device(bench.stream, to.data(), from.data(), bytes);
  });
  Json line = {{"bench", name}};
  add_timing(line, bench, timing, 2.0 * static_cast<double>(bytes));
  bench.write(line);
  return 2.0 * static_cast<double>(bytes) / (timing.us * 1e-6);
}

}  // namespace

/// Always measured: the others are judged by it.
void bench_limits(Bench& bench) {
  const std::size_t bytes = bench.options.small ? 1 << 20 : std::size_t{1} << 30;
  const double by_memcpy = copy(bench, "memcpy", bytes, false);
  bench.copy_bytes_per_second = std::max(by_memcpy, copy(bench, "copy_kernel", bytes, true));
  const int multiprocessors = axelram::kernels::device_info().multiprocessors;
  const int steps = bench.options.small ? 2 : 4000;
  const Buffer<std::uint32_t> sink(1);
  double instructions = 0;
  const Timing timing = time_graph(bench.stream, 1, [&](std::size_t) {
    instructions = issue_instructions(bench.stream, multiprocessors, steps, sink.data());
  });
  bench.instructions_per_second = instructions / (timing.us * 1e-6);
  bench.write({{"bench", "issue"},
               {"us", rounded(timing.us)},
               {"instructions", rounded(instructions)},
               {"instructions_per_second", rounded(bench.instructions_per_second)},
               {"clock_hz", rounded(clock_hz())}});
}

}  // namespace bench
