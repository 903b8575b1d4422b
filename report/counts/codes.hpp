#pragma once

#include <string>

#include "axelram/files/config.hpp"
#include "lines/section.hpp"

namespace axelram::report {

/// Norms of a record that erasures leave to interpolation; 0 without a code.
int interpolated_norms(const files::Config& config);
void add_codes(const files::Config& config, bool synthesize, Lines* lines);
/// Lines of the code of `config`, which has one. Their names begin with `prefix`.
void add_code_counts(const files::Config& config, const std::string& prefix, Section* section);
void add_code_gates(const files::Config& config, const std::string& prefix, Section* section);
void add_code_storage(const files::Config& config, Lines* lines);

/// Gates of the encoder and decoder of one word, without registers, as Yosys maps them: generic
/// two-input gates and inverters. Depths are gates on the longest path.
struct CodeCost {
  int encoder_gates, encoder_depth;
  int decoder_gates, decoder_depth;
};

/// Synthesizes the unit with decoder `decoder` (a name of ecc.decoder); takes seconds. Throws
/// files::EnvironmentError if Yosys is missing or fails.
CodeCost measure_code_cost(const std::string& code, const std::string& decoder);

}  // namespace axelram::report
