#include <cstdint>
#include <sstream>

#include "generator_internal.hpp"
#include "lists.hpp"

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

}  // namespace

std::string parity_text(const Code& code, const std::string& bits) {
  std::ostringstream text;
  text << "  // P, row i at bits i*(N-K): check bits that data bit i feeds.\n"
          "  localparam bit ["
       << bits << "-1:0] Parity = {\n";
  for (std::size_t i = code.parity_rows.size(); i-- > 0;)
    text << "    " << literal(code.parity_rows[i], code.check_bits()) << (i == 0 ? "" : ",")
         << "  // " << i << "\n";
  text << "  };\n";
  return text.str();
}

std::string golay_rom_text(const Code& code) {
  std::ostringstream text;
  text << "/// Errors of " << code.name
       << " by syndrome (references.md#ecc-kv-cache, section 4.2.4): data in the lower\n"
          "/// half, check bits in the upper half. A syndrome that is not listed has no error of "
          "weight <= "
       << code.correctable << ".\n"
       << header_text("axelram_golay_rom",
                      {{true, std::to_string(code.check_bits() - 1) + ":0", "syndrome_i"},
                       {false, std::to_string(code.n - 1) + ":0", "error_o"},
                       {false, "", "correctable_o"}})
       << "  always_comb begin\n"
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

}  // namespace axelram::rtl
