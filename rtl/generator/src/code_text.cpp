#include <cstdint>
#include <sstream>

#include "generator_internal.hpp"

namespace axelram::rtl {
namespace {

/// Sized Verilog literal, such as 12'h0a5.
std::string literal(std::uint64_t value, int bits) {
  std::ostringstream text;
  text << std::hex << value;
  const std::string digits = text.str();
  return std::to_string(bits) + "'h" +
         std::string(static_cast<std::size_t>((bits + 3) / 4) - digits.size(), '0') + digits;
}

struct Constant {
  const char* name;
  int value;
  const char* meaning;
};

/// Module with `ports` after clock, reset and valid_i. It instantiates `inner`.
std::string wrapper(const std::string& header, const std::string& name, const std::string& ports,
                    const std::string& inner, const std::vector<std::string>& parameters,
                    const std::vector<std::string>& outputs) {
  std::ostringstream text;
  text << header << "module " << name
       << " (\n"
          "    input  wire logic clk_i,\n"
          "    input  wire logic rst_ni,\n"
          "    input  wire logic valid_i,\n"
       << ports << ");\n  " << inner << " #(\n";
  for (const std::string& parameter : parameters)
    text << "      " << parameter << (&parameter == &parameters.back() ? "\n" : ",\n");
  text << "  ) u_unit (\n      .clk_i,\n      .rst_ni,\n      .valid_i,\n";
  for (const std::string& output : outputs)
    text << "      ." << output << (&output == &outputs.back() ? "\n" : ",\n");
  text << "  );\nendmodule\n";
  return systemverilog(text.str());
}

std::string latency(int stages) { return "Latency: " + std::to_string(stages) + " cycles.\n"; }

}  // namespace

std::vector<GeneratedFile> code_files(const Code& code, files::GolayDecoder golay, int stages) {
  std::vector<GeneratedFile> files = {{"rtl/axelram_code_pkg.sv", code_package_text(code)}};
  if (decoder_of(code, golay).reads_rom)
    files.push_back({"rtl/axelram_golay_rom.sv", golay_rom_text(code)});
  files.push_back({"rtl/axelram_word_encoder.sv", word_encoder_text(code, stages)});
  files.push_back({"rtl/axelram_word_decoder.sv", word_decoder_text(code, golay, stages)});
  return files;
}

std::string code_package_text(const Code& code) {
  std::vector<Constant> constants = {
      {"N", code.n, "codeword bits"},
      {"K", code.k, "data bits, the codeword's lowest"},
      {"CheckBits", code.check_bits(), "N - K"},
  };
  if (decoder_of(code, files::GolayDecoder::algebraic).takes_sizes)
    constants.push_back(
        {"ParityBit", code.parity_bit, "check bit that is an overall parity; -1: none"});
  std::ostringstream text;
  text << "/// Code " << code.name << ": c = [d | d P].\npackage axelram_code_pkg;\n";
  for (const Constant& constant : constants)
    text << "  localparam int " << constant.name << " = " << constant.value << ";  // "
         << constant.meaning << "\n";
  text << "  // P, row i at bits i*CheckBits: check bits that data bit i feeds.\n"
          "  localparam bit [K*CheckBits-1:0] Parity = {\n";
  for (std::size_t i = code.parity_rows.size(); i-- > 0;)
    text << "    " << literal(code.parity_rows[i], code.check_bits()) << (i == 0 ? "" : ",")
         << "  // " << i << "\n";
  text << "  };\nendpackage\n";
  return systemverilog(text.str());
}

std::string golay_rom_text(const Code& code) {
  std::ostringstream text;
  text << "/// Errors of " << code.name
       << " by syndrome (references.md#ecc-kv-cache, section 4.2.4): data in the lower half,\n"
          "/// check bits in the upper half. A syndrome that is not listed has no error of weight "
          "<= "
       << code.correctable
       << ".\nmodule axelram_golay_rom (\n"
          "    input  wire logic ["
       << code.check_bits() - 1 << ":0] syndrome_i,\n    output logic [" << code.n - 1
       << ":0] error_o,\n"
          "    output logic correctable_o\n"
          ");\n"
          "  always_comb begin\n"
          "    correctable_o = 1'b1;\n"
          "    case (syndrome_i)\n";
  for (std::size_t s = 0; s < code.patterns.size(); ++s) {
    const ErrorPattern& pattern = code.patterns[s];
    if (pattern.status == WordStatus::detected) continue;
    const std::uint64_t error = pattern.error.data | static_cast<std::uint64_t>(pattern.error.check)
                                                         << code.k;
    text << "      " << literal(s, code.check_bits()) << ": error_o = " << literal(error, code.n)
         << ";\n";
  }
  text << "      default: begin\n"
          "        error_o = "
       << literal(0, code.n)
       << ";\n"
          "        correctable_o = 1'b0;\n"
          "      end\n"
          "    endcase\n"
          "  end\n"
          "endmodule\n";
  return systemverilog(text.str());
}

std::string word_encoder_text(const Code& code, int stages) {
  return wrapper("/// Encoder of " + code.name + ": see axelram_encoder. " + latency(stages),
                 "axelram_word_encoder",
                 "    input  wire logic [axelram_code_pkg::K-1:0] data_i,\n"
                 "    output logic valid_o,\n"
                 "    output logic [axelram_code_pkg::N-1:0] codeword_o\n",
                 "axelram_encoder",
                 {".K(axelram_code_pkg::K)", ".N(axelram_code_pkg::N)",
                  ".Parity(axelram_code_pkg::Parity)", ".Stages(" + std::to_string(stages) + ")"},
                 {"data_i", "valid_o", "codeword_o"});
}

std::string word_decoder_text(const Code& code, files::GolayDecoder golay, int stages) {
  const CodeDecoder& decoder = decoder_of(code, golay);
  const std::string module = decoder.module;
  std::vector<std::string> parameters = {".Parity(axelram_code_pkg::Parity)",
                                         ".Stages(" + std::to_string(stages) + ")"};
  if (decoder.takes_sizes)
    parameters.insert(parameters.begin(), {".K(axelram_code_pkg::K)", ".N(axelram_code_pkg::N)",
                                           ".ParityBit(axelram_code_pkg::ParityBit)"});
  return wrapper("/// Decoder of " + code.name + ": see " + module + ". " + latency(stages),
                 "axelram_word_decoder",
                 "    input  wire logic [axelram_code_pkg::N-1:0] codeword_i,\n"
                 "    output logic valid_o,\n"
                 "    output logic [axelram_code_pkg::N-1:0] codeword_o,\n"
                 "    output logic [1:0] status_o\n",
                 module, parameters, {"codeword_i", "valid_o", "codeword_o", "status_o"});
}

}  // namespace axelram::rtl
