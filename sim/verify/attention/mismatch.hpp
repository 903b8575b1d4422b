#pragma once

#include <string>
#include <vector>

#include "axelram/rtl/generator.hpp"
#include "axelram/run/script.hpp"
#include "verify/attention/comparison.hpp"

namespace axelram::sim {

struct AttentionMismatch {
  const files::Config& config;
  const std::vector<rtl::GeneratedFile>& generated;
  const std::string& library;  ///< of the generated files
  const run::AttentionScript& script;
  const Manner& manner;
  const Mismatch& mismatch;
  const VerifyOptions& options;
};

/// Writes the files of dump_mismatch about the fewest first steps of a script that differ.
std::vector<std::string> dump_attention_mismatch(const AttentionMismatch& found);

}  // namespace axelram::sim
