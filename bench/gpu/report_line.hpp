#pragma once

#include <cstddef>
#include <iosfwd>
#include <set>
#include <string>

#include "axelram/kernels/device.hpp"
#include "caches.hpp"
#include "json_line.hpp"
#include "timing.hpp"

namespace bench {

struct BenchOptions {
  std::set<std::string> only;  ///< names of benchmarks; all if empty
  bool small = false;          ///< shapes that the emulator can run
  /// Instructions that a warp issues for a row of write_keys; 0: not known.
  double write_instructions = 0;
};

/// State that benchmarks share: the stream, the limits of the machine, and the output.
struct Bench {
  axelram::kernels::Stream& stream;
  const BenchOptions& options;
  std::ostream& out;
  double copy_bytes_per_second = 0;    ///< the faster of memcpy and a kernel
  double instructions_per_second = 0;  ///< of warps, on the whole device

  bool wanted(const std::string& name) const {
    return options.only.empty() || options.only.count(name) > 0;
  }
  /// True if `bytes` fit in free device memory; otherwise writes a line that says so.
  bool fits(const Json& name, std::size_t bytes);
  void write(const Json& line);
};

/// {"bench": name, "batch": ...}
Json line_of(const std::string& name, const Shape& shape);
/// Adds time, bytes per submit, their rate, its fraction of a copy's, and of the kernel that takes
/// most blocks its registers and occupancy.
void add_timing(Json& line, const Bench& bench, const Timing& timing, double bytes);

void bench_limits(Bench& bench);
void bench_write(Bench& bench);
/// A launch of write_keys at 3 bits, and a line with its rows.
void write_once(Bench& bench);
void bench_hadamard(Bench& bench);
void bench_scores(Bench& bench);
void bench_attention(Bench& bench);
void bench_codes(Bench& bench);

}  // namespace bench
