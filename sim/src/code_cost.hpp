#pragma once

#include <string>

namespace axelram::sim {

/// What a word's encoder and decoder cost without registers, as Yosys maps them: generic two-input
/// gates and inverters, and the gates on the longest path.
struct CodeCost {
  int encoder_gates, encoder_depth;
  int decoder_gates, decoder_depth;
};

/// Synthesizes the unit; `decoder` as ecc.decoder has it. Seconds.
/// Throws files::EnvironmentError where Yosys is missing or fails.
CodeCost measure_code_cost(const std::string& code, const std::string& decoder);

}  // namespace axelram::sim
