#include "axelram/rtl/code_unit.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "axelram/files/messages.hpp"
#include "generator_internal.hpp"

namespace axelram::rtl {
namespace {

std::string package_text(const Code& code, const CodeDecoder& decoder, int stages) {
  return systemverilog("/// Code " + code.name + ": c = [d | d P].\npackage axelram_code_pkg;\n" +
                       "  localparam int N = " + std::to_string(code.n) +
                       ";  // codeword bits\n"
                       "  localparam int K = " +
                       std::to_string(code.k) +
                       ";  // data bits, the codeword's lowest\n"
                       "  localparam int Decoder = " +
                       std::to_string(decoder.number) +
                       ";  // axelram_word_decoder\n"
                       "  localparam int ParityBit = " +
                       std::to_string(code.parity_bit) +
                       ";  // check bit that is an overall parity; -1: none\n"
                       "  localparam int Stages = " +
                       std::to_string(stages) + ";  // registers of encoder and decoder\n" +
                       parity_text(code, "K*(N-K)") + "endpackage\n");
}

/// Module `name` around `inner` with the parameters of the code.
std::string wrapper(const std::string& comment, const std::string& name, const std::string& inner,
                    const std::vector<std::string>& parameters,
                    const std::vector<std::pair<std::string, std::string>>& ports) {
  std::string text = "/// " + comment + "\nmodule " + name +
                     " (\n    input  wire logic clk_i,\n    input  wire logic rst_ni,\n"
                     "    input  wire logic valid_i,\n";
  for (const auto& [declaration, port] : ports)
    text += "    " + declaration + " " + port + (port == ports.back().second ? "\n" : ",\n");
  text += ");\n  " + inner + " #(\n";
  for (const std::string& parameter : parameters)
    text += "      ." + parameter + "(axelram_code_pkg::" + parameter + ")" +
            (parameter == parameters.back() ? "\n" : ",\n");
  text += "  ) u_unit (\n      .clk_i,\n      .rst_ni,\n      .valid_i,\n";
  for (const auto& [declaration, port] : ports)
    text += "      ." + port + (port == ports.back().second ? "\n" : ",\n");
  return systemverilog(text + "  );\nendmodule\n");
}

const char* const kDataIn = "input  wire logic [axelram_code_pkg::K-1:0]";
const char* const kWordIn = "input  wire logic [axelram_code_pkg::N-1:0]";
const char* const kWordOut = "output logic [axelram_code_pkg::N-1:0]";
const char* const kBitOut = "output logic";

std::string encoder_text(const Code& code) {
  return wrapper("Encoder of " + code.name + ": axelram_encoder.", "axelram_code_encoder",
                 "axelram_encoder", {"K", "N", "Parity", "Stages"},
                 {{kDataIn, "data_i"}, {kBitOut, "valid_o"}, {kWordOut, "codeword_o"}});
}

std::string decoder_text(const Code& code) {
  return wrapper("Decoder of " + code.name + ": axelram_word_decoder.", "axelram_code_decoder",
                 "axelram_word_decoder", {"K", "N", "Decoder", "ParityBit", "Parity", "Stages"},
                 {{kWordIn, "codeword_i"},
                  {kBitOut, "valid_o"},
                  {kWordOut, "codeword_o"},
                  {"output logic [1:0]", "status_o"}});
}

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
                       "  axelram_code_encoder u_encoder (\n"
                       "      .clk_i,\n"
                       "      .rst_ni,\n"
                       "      .valid_i(encode_valid_i),\n"
                       "      .data_i(encode_data_i),\n"
                       "      .valid_o(encode_valid_o),\n"
                       "      .codeword_o(encode_codeword_o)\n"
                       "  );\n"
                       "  axelram_code_decoder u_decoder (\n"
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

  const CodeDecoder& decoder = decoder_of(code, *golay);
  std::vector<GeneratedFile> all = common_files();
  all.push_back({"rtl/axelram_code_pkg.sv", package_text(code, decoder, unit.stages)});
  all.push_back({"rtl/axelram_code_encoder.sv", encoder_text(code)});
  all.push_back({"rtl/axelram_code_decoder.sv", decoder_text(code)});
  all.push_back({"rtl/axelram_code_unit.sv", top_text(code)});
  const std::vector<std::string> sources =
      sources_of("axelram_code_unit", all, modules_without(&decoder));

  std::vector<GeneratedFile> files;
  for (GeneratedFile& file : all)
    if (file.path.rfind(".svh") != std::string::npos ||
        std::find(sources.begin(), sources.end(), file.path) != sources.end())
      files.push_back(std::move(file));
  files.push_back({"axelram.f", file_list_text(sources)});
  files.push_back({"axelram_code.h", code_constants_text(code, "axelram")});
  std::sort(files.begin(), files.end(),
            [](const GeneratedFile& a, const GeneratedFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace axelram::rtl
