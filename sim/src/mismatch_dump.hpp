#pragma once

#include <string>
#include <vector>

#include "axelram/sim/verify.hpp"

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

/// Writes into options.directory what is needed to look into a mismatch, and returns the paths:
/// mismatch.safetensors (the finite keys and queries up to it, for `axelram run`), mismatch.fst
/// (the same phase again, from 2000 cycles before it), mismatch.gtkw (a view with the marker on
/// it), mismatch.txt (what, where, and how to see it).
std::vector<std::string> dump_mismatch(const MismatchCase& found);

}  // namespace axelram::sim
