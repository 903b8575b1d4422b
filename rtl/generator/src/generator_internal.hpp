#pragma once

#include <string>
#include <vector>

#include "axelram/code.hpp"
#include "axelram/codebook.hpp"
#include "axelram/rtl/generator.hpp"
#include "axelram/rtl/layout.hpp"

namespace axelram::rtl {

/// Input of every generated text.
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

/// Hardware that decodes the words of a code.
struct CodeDecoder {
  const char* module;
  bool takes_sizes;  ///< parameters K, N and ParityBit
  bool reads_rom;    ///< instantiates axelram_golay_rom
};

/// Decoder of a code. Throws std::invalid_argument for a code of no family.
const CodeDecoder& decoder_of(const Code& code, files::GolayDecoder golay);

/// Modules of all decoders.
std::vector<std::string> decoder_modules();

/// Text of a hand-written module. Throws std::logic_error if it does not exist.
const char* module_text(const std::string& name);

/// True for hand-written modules that only a macro with a code may contain.
bool is_code_module(const std::string& name);
/// Those modules of a macro with this code.
std::vector<std::string> macro_code_modules(const Code& code, files::GolayDecoder golay);
/// Those modules of the encoder and decoder of a code, instances before their parents.
std::vector<std::string> code_modules(const Code& code, files::GolayDecoder golay);
/// axelram_code_pkg: constants of the code.
std::string code_package_text(const Code& code);
/// axelram_golay_rom, which axelram_golay_rom_decoder reads.
std::string golay_rom_text(const Code& code);
/// axelram_word_encoder, with the ports of axelram_encoder and `stages` registers.
std::string word_encoder_text(const Code& code, int stages);
/// axelram_word_decoder, with the ports of axelram_hamming_decoder and `stages` registers.
std::string word_decoder_text(const Code& code, files::GolayDecoder golay, int stages);
/// Generated modules of a code: package, ROM if the decoder reads one, both wrappers.
std::vector<GeneratedFile> code_files(const Code& code, files::GolayDecoder golay, int stages);
/// axelram_code.h, for software that decodes stored codewords: C, C++ and CUDA.
std::string code_constants_text(const Code& code);

/// Generated SystemVerilog with `default_nettype none` around it.
std::string systemverilog(const std::string& body);

}  // namespace axelram::rtl
