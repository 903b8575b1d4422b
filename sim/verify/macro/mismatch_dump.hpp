#pragma once

#include <string>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/rtl/generator.hpp"
#include "axelram/sim/command.hpp"
#include "axelram/sim/stalls.hpp"
#include "axelram/sim/verify_report.hpp"

namespace axelram::sim {

struct MismatchCase {
  const files::Config& config;
  const std::vector<rtl::GeneratedFile>& generated;
  const std::vector<Command>& commands;
  Stalls stalls;
  unsigned seed;
  const Mismatch& mismatch;
  const VerifyOptions& options;
};

/// Writes files about a mismatch into options.directory and returns their paths:
/// mismatch.safetensors (finite keys and queries before it, for `axelram run`), mismatch.fst (the
/// waveform of the phase, from 2000 cycles before it), mismatch.gtkw (a view with the marker at the
/// mismatch), mismatch.txt (the difference and commands to inspect it).
std::vector<std::string> dump_mismatch(const MismatchCase& found);

}  // namespace axelram::sim
