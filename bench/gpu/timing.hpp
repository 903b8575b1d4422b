#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "axelram/kernels/device.hpp"

namespace bench {

/// A kernel of the work that was timed, as the device runs it.
struct KernelUse {
  std::string name;
  std::size_t blocks = 0;
  int threads = 0, registers = 0;
  std::size_t shared_bytes = 0, local_bytes = 0;  ///< of a block; of a thread: spilled registers
  double occupancy = 0;  ///< threads resident on a multiprocessor, of those that it can hold
};

struct Timing {
  double us = 0;  ///< median over the replays
  double fastest_us = 0;
  int replays = 0;
  std::vector<KernelUse> kernels;
};

/// Times work as a CUDA graph: `submit(set)` is captured for set = 0 .. sets-1 one after the other,
/// as often as it takes to fill about a millisecond, and the graph is replayed; the time of one
/// submit. Sets are buffers that take turns, so that no cache holds what is read. Emulated: submit
/// runs once a set and the time is the CPU's, of no interest.
Timing time_graph(axelram::kernels::Stream& stream, std::size_t sets,
                  const std::function<void(std::size_t)>& submit);

/// Bytes of the device's level 2 cache; 0 if emulated.
std::size_t cache_bytes();
/// Cycles per second that a multiprocessor runs at, most.
double clock_hz();

}  // namespace bench
