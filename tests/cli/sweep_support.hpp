#pragma once

#include <string>

#include "program.hpp"

namespace test {

/// Two bases, four combinations of which one is rejected, and a row of the list.
inline const std::string kSweep =  // the second base has room for 24 keys, and the trace has 40
    "base: [small.yaml, d32-b3-hamming84]\n"
    "grid:\n"
    "  macro.index_bits: [2, 3]\n"
    "  microarchitecture.read_lanes: [8, 64]\n"
    "list:\n"
    "  - {ecc.code: golay24, macro.max_keys: 50}\n"
    "trace: trace.safetensors\n"
    "pareto:\n"
    "  - {x: code_stored_bits, x_best: lowest, y: compression, y_best: highest, series: "
    "ecc.code}\n";

inline const std::string kSweepRun = "sweep s.yaml -o out --plots json";

}  // namespace test
