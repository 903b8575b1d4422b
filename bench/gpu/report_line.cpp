#include "report_line.hpp"

#include <ostream>

namespace bench {

bool Bench::fits(const JsonLine& name, std::size_t bytes) {
  const std::size_t free = axelram::kernels::device_info().free_bytes;
  if (bytes < free / 100 * 95) return true;
  JsonLine line = name;
  line.text("skipped", std::to_string(bytes) + " bytes of device memory; " + std::to_string(free) +
                           " are free");
  write(line);
  return false;
}

void Bench::write(const JsonLine& line) { out << line.str() << std::endl; }

JsonLine line_of(const std::string& name, const Shape& shape) {
  JsonLine line;
  line.text("bench", name);
  line.count("batch", shape.batch).count("heads", shape.heads).count("group", shape.group);
  line.count("context", shape.context).count("d", shape.d);
  return line;
}

void add_timing(JsonLine& line, const Bench& bench, const Timing& timing, double bytes) {
  const double rate = bytes / (timing.us * 1e-6);
  line.number("us", timing.us).number("fastest_us", timing.fastest_us);
  line.number("replays", timing.replays).number("bytes", bytes).number("GB_per_s", rate * 1e-9);
  if (bench.copy_bytes_per_second > 0)
    line.number("fraction_of_copy", rate / bench.copy_bytes_per_second);
  else
    line.null("fraction_of_copy");
  const KernelUse* largest = nullptr;
  for (const KernelUse& use : timing.kernels)
    if (largest == nullptr || use.blocks * static_cast<std::size_t>(use.threads) >
                                  largest->blocks * static_cast<std::size_t>(largest->threads))
      largest = &use;
  if (largest == nullptr) return;
  line.text("kernel", largest->name).count("kernels", timing.kernels.size());
  line.count("blocks", largest->blocks).number("threads", largest->threads);
  line.number("registers", largest->registers).count("local_bytes", largest->local_bytes);
  line.count("shared_bytes", largest->shared_bytes).number("occupancy", largest->occupancy);
}

}  // namespace bench
