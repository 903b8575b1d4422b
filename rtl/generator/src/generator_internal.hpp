#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "axelram/code.hpp"
#include "axelram/codebook.hpp"
#include "axelram/rtl/generator.hpp"
#include "axelram/rtl/layout.hpp"
#include "axelram/rtl/memories.hpp"

namespace axelram::rtl {

/// Input of every generated text.
struct Design {
  const files::Config& config;
  Layout layout;
  CodebookRom rom;
  bool observe;        ///< the top has obs_* ports
  std::string prefix;  ///< of everything that belongs to this macro
  std::vector<Memory> memories;
};

/// An output of a ROM, and an input of the macro: NAME_o and NAME_i. Its width is a constant of the
/// package. Exponents (balance) have no input of their own: they lie above the signs of signs_i.
struct RomOutput {
  std::string rom;    ///< sign, codebook, center or balance
  std::string name;   ///< without _o
  std::string width;  ///< name of the constant
  std::string value;  ///< of the constant, as an expression in the package
};
std::vector<RomOutput> rom_outputs(const Design& design);
/// The bounds of its range.
std::string bounds(const Design& design, const RomOutput& output);

/// Concatenation of sized words, one a line. The first word has the lowest bits.
std::string concatenation(const std::vector<std::int64_t>& words, int bits);

/// Channels of a split key in the order of its rows, 8 bits each.
std::string order_text(const Design& design);

std::string package_text(const Design& design);
std::string top_text(const Design& design);
std::string sign_rom_text(const Design& design);
std::string codebook_rom_text(const Design& design);
std::string center_rom_text(const Design& design);
std::string balance_rom_text(const Design& design);
std::string file_list_text(const std::vector<std::string>& sources);
std::string core_text(const Design& design, const std::vector<std::string>& sources);
std::string common_core_text(const std::vector<GeneratedFile>& common);
/// Throws files::InputError if names that begin with the macro's are too long for tools.
void check_prefix(const files::Config& config);
/// Period of the clock in ns, as axelram.sdc writes it.
inline constexpr const char* kPeriod = "6.0";
std::string constraints_text(const Design& design);
/// tb/NAME_tb.sv and the vectors that it reads.
std::vector<GeneratedFile> test_bench_files(const Design& design);
std::vector<GeneratedFile> attention_test_bench_files(const Design& design);
/// Paths of these vectors.
std::vector<std::string> vector_files(const Design& design);
std::string readme_text(const Design& design);
/// views/: what other flows need of the SRAMs. `sources`: paths of the sources, in order.
std::vector<GeneratedFile> view_files(const Design& design,
                                      const std::vector<std::string>& sources);

/// A view of an SRAM in views/: Verilog without a body, Liberty and LEF.
struct SramView {
  const char* extension;
  std::string (*text)(const Memory& memory, const std::string& module);
};
std::array<SramView, 3> sram_views();
/// Path of a view in the generated folder.
std::string view_path(const std::string& module, const SramView& view);
/// views/memories.json: what an SRAM compiler is asked for.
std::string request_text(const Design& design);

/// Signal from which each tensor of a result is sampled, with obs_* ports.
nlohmann::ordered_json observed_tensors(const Design& design);
std::string manifest_text(const Design& design, const std::vector<std::string>& sources);

/// Hardware that decodes the words of a code.
struct CodeDecoder {
  const char* module;  ///< that no other decoder needs, or nullptr
  int number;          ///< parameter Decoder of axelram_word_decoder
};

/// Decoder of a code. Throws std::invalid_argument for a code of no family.
const CodeDecoder& decoder_of(const Code& code, files::GolayDecoder golay);

/// Modules that a macro with this decoder, or without a code (nullptr), does not need although its
/// modules name them: branches of generate statements that are not taken. Branches of the default
/// parameters stay, because Yosys elaborates a module with them first.
std::vector<std::string> modules_without(const CodeDecoder* decoder);

/// Files of rtl/common: hand-written modules and axelram_golay_rom.
std::vector<GeneratedFile> common_files();
/// Paths of the sources that `top` needs, in order of dependency, as the instances and packages in
/// their texts say. Modules `left_out` and what they alone need are left out.
std::vector<std::string> sources_of(const std::string& top, const std::vector<GeneratedFile>& files,
                                    const std::vector<std::string>& left_out);

/// `localparam bit [bits-1:0] Parity`: the matrix P of a code.
std::string parity_text(const Code& code, const std::string& bits);
/// axelram_golay_rom, which axelram_syndrome_decoder reads.
std::string golay_rom_text(const Code& code);
/// PREFIX_code.h, for software that decodes stored codewords: C, C++ and CUDA. All names in it
/// begin with the prefix.
std::string code_constants_text(const Code& code, const std::string& prefix);

/// Digits of the lowest `bits` bits.
std::string hex(std::uint64_t value, int bits);

/// Generated SystemVerilog with `default_nettype none` around it.
std::string systemverilog(const std::string& body);

}  // namespace axelram::rtl
