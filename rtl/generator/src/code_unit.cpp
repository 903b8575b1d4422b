#include "axelram/rtl/code_unit.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "axelram/files/messages.hpp"
#include "generator_internal.hpp"
#include "lists.hpp"

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

const char* const kData = "axelram_code_pkg::K-1:0";
const char* const kWord = "axelram_code_pkg::N-1:0";

/// Ports of an encoder and of a decoder, each name with a prefix in front.
std::vector<Declaration> encoder_ports(const std::string& prefix = "") {
  return {{true, "", prefix + "valid_i"},
          {true, kData, prefix + "data_i"},
          {false, "", prefix + "valid_o"},
          {false, kWord, prefix + "codeword_o"}};
}

std::vector<Declaration> decoder_ports(const std::string& prefix = "") {
  return {{true, "", prefix + "valid_i"},
          {true, kWord, prefix + "codeword_i"},
          {false, "", prefix + "valid_o"},
          {false, kWord, prefix + "codeword_o"},
          {false, "1:0", prefix + "status_o"}};
}

/// Clock and reset, then `ports` and `more`.
std::vector<Declaration> clocked(const std::vector<Declaration>& ports,
                                 const std::vector<Declaration>& more = {}) {
  std::vector<Declaration> all = {{true, "", "clk_i"}, {true, "", "rst_ni"}};
  all.insert(all.end(), ports.begin(), ports.end());
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// Module `name` around `inner` with the parameters of the code.
std::string wrapper(const std::string& comment, const std::string& name, const std::string& inner,
                    const std::vector<std::string>& parameters,
                    const std::vector<Declaration>& ports) {
  std::vector<Connection> constants, connections;
  for (const std::string& parameter : parameters)
    constants.push_back({parameter, "axelram_code_pkg::" + parameter});
  for (const Declaration& port : clocked(ports)) connections.push_back({port.name});
  return systemverilog("/// " + comment + "\n" + header_text(name, clocked(ports)) +
                       instance_text(inner, "u_unit", constants, connections) + "endmodule\n");
}

std::string encoder_text(const Code& code) {
  return wrapper("Encoder of " + code.name + ": axelram_encoder.", "axelram_code_encoder",
                 "axelram_encoder", {"K", "N", "Parity", "Stages"}, encoder_ports());
}

std::string decoder_text(const Code& code) {
  return wrapper("Decoder of " + code.name + ": axelram_word_decoder.", "axelram_code_decoder",
                 "axelram_word_decoder", {"K", "N", "Decoder", "ParityBit", "Parity", "Stages"},
                 decoder_ports());
}

std::string top_text(const Code& code) {
  const auto instance = [](const std::string& module, const std::string& name,
                           const std::vector<Declaration>& ports, const std::string& prefix) {
    std::vector<Connection> connections = {{"clk_i"}, {"rst_ni"}};
    for (const Declaration& port : ports) connections.push_back({port.name, prefix + port.name});
    return instance_text(module, name, {}, connections);
  };
  return systemverilog("/// Encoder and decoder of " + code.name + " side by side.\n" +
                       header_text("axelram_code_unit",
                                   clocked(encoder_ports("encode_"), decoder_ports("decode_"))) +
                       instance("axelram_code_encoder", "u_encoder", encoder_ports(), "encode_") +
                       instance("axelram_code_decoder", "u_decoder", decoder_ports(), "decode_") +
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
