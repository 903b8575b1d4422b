#include "report_line.hpp"

#include <ostream>

namespace bench {

bool Bench::fits(const Json& name, std::size_t bytes) {
  const std::size_t free = axelram::kernels::device_info().free_bytes;
  if (bytes < free / 100 * 95) return true;
  Json line = name;
  line["skipped"] =
      std::to_string(bytes) + " bytes of device memory; " + std::to_string(free) + " are free";
  write(line);
  return false;
}

void Bench::write(const Json& line) { out << line.dump() << std::endl; }

Json line_of(const std::string& name, const Shape& shape) {
  return {{"bench", name},        {"batch", shape.batch},     {"heads", shape.heads},
          {"group", shape.group}, {"context", shape.context}, {"d", shape.d}};
}

void add_timing(Json& line, const Bench& bench, const Timing& timing, double bytes) {
  const double rate = bytes / (timing.us * 1e-6);
  line["us"] = rounded(timing.us);
  line["fastest_us"] = rounded(timing.fastest_us);
  line["replays"] = timing.replays;
  line["bytes"] = rounded(bytes);
  line["GB_per_s"] = rounded(rate * 1e-9);
  line["fraction_of_copy"] = rounded(rate / bench.copy_bytes_per_second);
  const KernelUse* largest = nullptr;
  for (const KernelUse& use : timing.kernels)
    if (largest == nullptr || use.blocks * static_cast<std::size_t>(use.threads) >
                                  largest->blocks * static_cast<std::size_t>(largest->threads))
      largest = &use;
  if (largest == nullptr) return;
  line["kernel"] = largest->name;
  line["kernels"] = timing.kernels.size();
  line["blocks"] = largest->blocks;
  line["threads"] = largest->threads;
  line["registers"] = largest->registers;
  line["local_bytes"] = largest->local_bytes;
  line["shared_bytes"] = largest->shared_bytes;
  line["occupancy"] = rounded(largest->occupancy);
}

}  // namespace bench
