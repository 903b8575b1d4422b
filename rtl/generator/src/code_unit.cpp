#include "axelram/rtl/code_unit.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "axelram/files/messages.hpp"
#include "generator_internal.hpp"

namespace axelram::rtl {
namespace {

std::string top_text(const Code& code) {
  return systemverilog("/// Encoder and decoder of " + code.name +
                       " side by side.\n"
                       "module axelram_code_unit (\n"
                       "    input  wire logic clk_i,\n"
                       "    input  wire logic rst_ni,\n"
                       "    input  wire logic encode_valid_i,\n"
                       "    input  wire logic [axelram_code_pkg::K-1:0] encode_data_i,\n"
                       "    output logic encode_valid_o,\n"
                       "    output logic [axelram_code_pkg::N-1:0] encode_codeword_o,\n"
                       "    input  wire logic decode_valid_i,\n"
                       "    input  wire logic [axelram_code_pkg::N-1:0] decode_codeword_i,\n"
                       "    output logic decode_valid_o,\n"
                       "    output logic [axelram_code_pkg::N-1:0] decode_codeword_o,\n"
                       "    output logic [1:0] decode_status_o\n"
                       ");\n"
                       "  axelram_word_encoder u_encoder (\n"
                       "      .clk_i,\n"
                       "      .rst_ni,\n"
                       "      .valid_i(encode_valid_i),\n"
                       "      .data_i(encode_data_i),\n"
                       "      .valid_o(encode_valid_o),\n"
                       "      .codeword_o(encode_codeword_o)\n"
                       "  );\n"
                       "  axelram_word_decoder u_decoder (\n"
                       "      .clk_i,\n"
                       "      .rst_ni,\n"
                       "      .valid_i(decode_valid_i),\n"
                       "      .codeword_i(decode_codeword_i),\n"
                       "      .valid_o(decode_valid_o),\n"
                       "      .codeword_o(decode_codeword_o),\n"
                       "      .status_o(decode_status_o)\n"
                       "  );\n"
                       "endmodule\n");
}

void require(const CodeUnit& unit, bool holds, const std::string& rule) {
  if (!holds) throw std::invalid_argument("code unit '" + unit.code + "': " + rule);
}

}  // namespace

std::vector<GeneratedFile> generate_code_unit(const CodeUnit& unit) {
  const Code code = make_code(unit.code);
  const std::optional<files::GolayDecoder> golay = value_named<files::GolayDecoder>(unit.decoder);
  require(unit, golay.has_value(),
          "the decoder is " + files::any_of(names_of<files::GolayDecoder>()));
  require(unit,
          *golay == files::GolayDecoder::algebraic || code.family->decoder == DecoderUnit::golay,
          "only golay24 has a decoder " + unit.decoder);
  require(unit, unit.stages >= 0 && unit.stages <= 16, "stages must lie in 0..16");

  // Hand-written modules follow the package and ROM that they read and precede their wrappers.
  std::vector<GeneratedFile> files = code_files(code, *golay, unit.stages);
  std::vector<GeneratedFile> modules;
  for (const std::string& name : code_modules(code, *golay))
    modules.push_back({"rtl/" + name + ".sv", module_text(name)});
  files.insert(files.end() - 2, modules.begin(), modules.end());
  files.push_back({"rtl/axelram_code_unit.sv", top_text(code)});

  std::vector<std::string> sources;
  for (const GeneratedFile& file : files) sources.push_back(file.path);
  files.push_back({"axelram.f", file_list_text(sources)});
  files.push_back({"axelram_code.h", code_constants_text(code)});
  std::sort(files.begin(), files.end(),
            [](const GeneratedFile& a, const GeneratedFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace axelram::rtl
