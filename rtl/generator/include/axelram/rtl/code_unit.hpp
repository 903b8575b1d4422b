#pragma once

#include <string>
#include <vector>

#include "axelram/rtl/generator.hpp"

namespace axelram::rtl {

/// A code's hardware on its own.
struct CodeUnit {
  std::string code;                   ///< as make_code takes it
  std::string decoder = "algebraic";  ///< or rom; golay24 only
  int stages = 0;                     ///< registers in the encoder, and in the decoder
};

/// A folder that stands alone, sorted by path: rtl/*.sv with the top axelram_code_unit (encoder and
/// decoder side by side), axelram.f (sources in order of dependency), axelram_code.h (the code's
/// tables for C, C++ and CUDA).
/// Throws std::invalid_argument for a code, decoder or number of stages that there is not.
std::vector<GeneratedFile> generate_code_unit(const CodeUnit& unit);

}  // namespace axelram::rtl
