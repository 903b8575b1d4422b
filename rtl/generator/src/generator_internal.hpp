#pragma once

#include <string>
#include <vector>

#include "axelram/code.hpp"
#include "axelram/codebook.hpp"
#include "axelram/rtl/generator.hpp"
#include "axelram/rtl/layout.hpp"

namespace axelram::rtl {

/// What every piece of generated text is made from.
struct Design {
  const files::Config& config;
  Layout layout;
  CodebookRom rom;
};

std::string package_text(const Design& design);
std::string top_text(const Design& design);
std::string sign_rom_text(const Design& design);
std::string codebook_rom_text(const Design& design);
std::string center_rom_text(const Design& design);
std::string file_list_text(const std::vector<std::string>& sources);
std::string core_text(const Design& design, const std::vector<std::string>& sources);
std::string constraints_text(const Design& design);
std::string manifest_text(const Design& design, const std::vector<std::string>& sources);

// Codes. `decoder` is algebraic or rom and matters for golay24 only; `stages` registers each.

/// The hand-written modules that code words, of which a macro has only those it needs.
bool is_code_module(const std::string& name);
/// Those of a protected macro.
std::vector<std::string> macro_code_modules(const Code& code, const std::string& decoder);
/// Those of a code's encoder and decoder, instances before their parents.
std::vector<std::string> code_modules(const Code& code, const std::string& decoder);
/// axelram_code_pkg: the code's constants.
std::string code_package_text(const Code& code);
/// axelram_golay_rom, which axelram_golay_rom_decoder reads.
std::string golay_rom_text(const Code& code);
/// axelram_word_encoder, ports as axelram_encoder.
std::string word_encoder_text(const Code& code, int stages);
/// axelram_word_decoder, ports as axelram_hamming_decoder.
std::string word_decoder_text(const Code& code, const std::string& decoder, int stages);
/// The generated modules of a code: package, table where the decoder reads one, both wrappers.
std::vector<GeneratedFile> code_files(const Code& code, const std::string& decoder, int stages);
/// axelram_code.h, for software that decodes what the hardware stored: C, C++ and CUDA.
std::string code_constants_text(const Code& code);

/// Frames generated SystemVerilog with strict nettypes.
std::string systemverilog(const std::string& body);

}  // namespace axelram::rtl
