#pragma once

#include <string>
#include <vector>

#include "axelram/rtl/generator.hpp"

namespace axelram::rtl {

/// Encoder and decoder of a code, without a macro.
struct CodeUnit {
  std::string code;                   ///< a name that make_code accepts
  std::string decoder = "algebraic";  ///< algebraic or rom (golay24 only)
  int stages = 0;                     ///< registers in the encoder, and in the decoder
};

/// A self-contained directory, sorted by path: rtl/*.sv with the top axelram_code_unit (encoder and
/// decoder side by side), axelram.f (sources in order of dependency), axelram_code.h (the code's
/// tables for C, C++ and CUDA).
/// Throws std::invalid_argument if the code, decoder or number of stages is not supported.
std::vector<GeneratedFile> generate_code_unit(const CodeUnit& unit);

}  // namespace axelram::rtl
